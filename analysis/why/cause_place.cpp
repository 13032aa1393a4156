// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/cause_place.h"

#include <fmt/format.h>

namespace culprit {

CausePlace PlaceOf(const CausePart& cause) {
  if (cause.source.empty() || cause.source.front().file.empty()) return {};
  std::vector<SourceFrame> places;
  for (const CauseSource& s : cause.source)
    if (places.empty() || s.tied) places.push_back({s.file, s.line});
  return {RangesOf(places), cause.source.front().kernel};
}

std::string ToText(const CausePlace& place) {
  const std::string lines = ToText(std::span(place.lines));
  return place.kernel.empty() ? lines : fmt::format("kernel {} ({})", place.kernel, lines);
}

}  // namespace culprit
