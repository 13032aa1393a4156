// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/strides.h"

#include <fmt/format.h>

#include <set>

#include "profiler/code/chip.h"

namespace culprit {

std::optional<std::int64_t> StrideOf(const LaneValue& address, int lanes) {
  if (!address.IsKnown() || lanes < 2) return std::nullopt;
  const std::int64_t stride = address.lanes[1] - address.lanes[0];
  for (int l = 1; l < lanes; ++l)
    if (address.lanes[l] - address.lanes[l - 1] != stride) return std::nullopt;
  return stride;
}

std::optional<std::int64_t> RowOf(const LaneValue& address, int lane_bytes, int lanes) {
  if (!address.IsKnown() || address.scaled) return std::nullopt;
  for (int l = 1; l < lanes; ++l) {
    const std::int64_t apart = address.lanes[l] - address.lanes[0];
    if (apart < 0) return std::nullopt;
    if (apart != std::int64_t{l} * lane_bytes && apart != 0)
      return apart > lane_bytes ? std::optional(apart) : std::nullopt;
  }
  return std::nullopt;
}

Sectors SectorsOf(const LaneValue& address, int lane_bytes, int lanes) {
  std::set<std::int64_t> sectors, words;
  const auto floor = [](std::int64_t a, std::int64_t by) { return a >= 0 ? a / by : -((-a + by - 1) / by); };
  for (int l = 0; l < lanes; ++l) {
    const std::int64_t first = address.lanes[l];
    words.insert(first);
    for (std::int64_t at = floor(first, kSectorBytes); at <= floor(first + lane_bytes - 1, kSectorBytes); ++at)
      sectors.insert(at);
  }
  const auto bytes = static_cast<std::int64_t>(words.size()) * lane_bytes;
  return {static_cast<int>(sectors.size()), static_cast<int>((bytes + kSectorBytes - 1) / kSectorBytes)};
}

std::string StrideText(const LaneValue& address, int lanes) {
  if (!address.IsKnown()) return "which addresses the lanes name, the code does not tell";
  if (address.scaled) return "neighbouring lanes are a multiple of a number apart that only the launch knows";
  if (const auto stride = StrideOf(address, lanes))
    return fmt::format("neighbouring lanes are {} bytes apart", *stride);
  return "the lanes' addresses lie in several rows";
}

}  // namespace culprit
