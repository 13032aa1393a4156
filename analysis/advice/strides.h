// SPDX-License-Identifier: Apache-2.0
// What the lanes' addresses of one access look like.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/advice/lane_value.h"

namespace culprit {

// Bytes from each lane to the next, where they are the same for all of the first `lanes`.
std::optional<std::int64_t> StrideOf(const LaneValue& address, int lanes);

// Bytes from one row of a two-dimensional array to the next, where lanes lie in different rows of one: the stride, or
// the distance where neighbouring lanes are neighbours for a while and then go on elsewhere.
std::optional<std::int64_t> RowOf(const LaneValue& address, int lane_bytes, int lanes);

// Sectors of 32 bytes that the access meets when its first address is a multiple of 32, and those that would hold what
// it asks for.
struct Sectors {
  int met = 0, needed = 0;
};
Sectors SectorsOf(const LaneValue& address, int lane_bytes, int lanes);

// "neighbouring lanes are 64 bytes apart", "... a multiple of a number apart that only the launch knows", or that it
// could not be followed.
std::string StrideText(const LaneValue& address, int lanes);

}  // namespace culprit
