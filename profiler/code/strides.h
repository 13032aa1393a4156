// SPDX-License-Identifier: Apache-2.0
// The pattern of the lanes' addresses in one access.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "profiler/code/lane_value.h"

namespace culprit {

// The distance in bytes from each lane to the next, if it is the same for all of the first `lanes` lanes.
std::optional<std::int64_t> StrideOf(const LaneValue& address, int lanes);

// Bytes from one row of a two-dimensional array to the next, if lanes access different rows: the stride, or the
// distance between groups of neighbouring lanes.
std::optional<std::int64_t> RowOf(const LaneValue& address, int lane_bytes, int lanes);

// The number of 32-byte sectors that the access touches if its first address is a multiple of 32, and the number that
// its bytes need.
struct Sectors {
  int met = 0, needed = 0;
};
Sectors SectorsOf(const LaneValue& address, int lane_bytes, int lanes);

// "neighbouring lanes are 64 bytes apart", "... a multiple of a number apart that only the launch knows", or a text
// which says that the address could not be computed.
std::string StrideText(const LaneValue& address, int lanes);

}  // namespace culprit
