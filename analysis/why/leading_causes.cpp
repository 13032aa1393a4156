// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/leading_causes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/render/format.h"

namespace culprit {
namespace {

bool IsInDirection(const CausePart& cause, const Explanation& explanation) {
  return cause.delta_us * explanation.DeltaUs() > 0;
}

}  // namespace

bool IsExplained(const Explanation& explanation) {
  return IsDifference(explanation.verdict.speed) && explanation.decomposition;
}

const CausePart* FirstCause(const Explanation& explanation) {
  if (explanation.causes.empty() || LargePartsCancel(explanation)) return nullptr;
  const CausePart& first = explanation.causes.front();
  return IsInDirection(first, explanation) ? &first : nullptr;
}

const CausePart* SecondCause(const Explanation& explanation) {
  if (explanation.causes.size() < 2 || LargePartsCancel(explanation)) return nullptr;
  const CausePart& second = explanation.causes[1];
  return IsInDirection(second, explanation) && second.delta_us / explanation.DeltaUs() >= kSecondCauseFrom ? &second
                                                                                                           : nullptr;
}

std::string WithoutCause(const Explanation& explanation) {
  if (!IsDifference(explanation.verdict.speed)) return std::string(ToText(explanation.verdict.speed));
  if (const auto opposed = LargePartsCancel(explanation)) return ToText(*opposed, explanation.DeltaUs());
  return explanation.decomposition ? "unexplained" : "not measured";
}

std::string WithinNoiseText(const Explanation& explanation) {
  constexpr std::size_t kNamed = 4;
  const double change = explanation.DeltaUs(), left = explanation.unexplained_us;
  if (!(std::abs(left) >= kTellOfNoiseFrom * std::abs(change))) return "";
  const double sum = WithinNoiseUs(explanation);
  std::string named;
  std::size_t count = 0;
  for (const auto& [cause, us] : explanation.within_noise) {
    if (++count <= kNamed)
      named += fmt::format("{}{} {}", count == 1 ? "" : ", ", cause, Format(us, Unit::kTimeDeltaUs));
  }
  // Of less than half of it, the others would be the news.
  if (!(sum / left >= 0.5)) return "";
  return fmt::format("in the unexplained {} are {} of causes that noise alone could make, each by itself: {}{}",
                     Format(left, Unit::kTimeDeltaUs), Format(sum, Unit::kTimeDeltaUs), named,
                     count > kNamed ? " and others" : "");
}

double WithinNoiseUs(const Explanation& explanation) {
  double sum = 0;
  for (const auto& [cause, us] : explanation.within_noise) sum += us;
  return sum;
}

const std::pair<std::string, double>* FirstWithinNoise(const Explanation& explanation) {
  const double change = explanation.DeltaUs();
  if (change == 0 || !(WithinNoiseUs(explanation) / change >= 0.5)) return nullptr;
  const auto& parts = explanation.within_noise;
  return &*std::ranges::find_if(parts, [&](const auto& part) { return part.second * change > 0; });
}

double PartOfCause(const Explanation& explanation, const std::string& cause) {
  if (const auto part = std::ranges::find(explanation.causes, cause, &CausePart::cause);
      part != explanation.causes.end())
    return part->delta_us;
  for (const auto& [name, us] : explanation.within_noise)
    if (name == cause) return us;
  return 0;
}

std::string CauseText(const CausePart* cause, double change_us) {
  return cause == nullptr ? "-" : fmt::format("{} {}", cause->cause, PartText(cause->delta_us, change_us));
}

}  // namespace culprit
