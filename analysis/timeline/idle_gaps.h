// SPDX-License-Identifier: Apache-2.0
// Times in which nothing ran on a GPU.
#pragma once
#include <cstdint>
#include <vector>

#include "db/timeline.h"

namespace culprit {

struct IdleGap {
  std::int64_t start_ns = 0, end_ns = 0;
  // What ran before and after: indices of TimelineRecord::launches; -1: a copy, or nothing.
  std::int64_t before = -1, after = -1;
};

// Within the windows, in which all launches and copies are known. By start.
std::vector<IdleGap> IdleGaps(const TimelineRecord& timeline, int gpu);

}  // namespace culprit
