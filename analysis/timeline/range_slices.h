// SPDX-License-Identifier: Apache-2.0
// NVTX ranges as the GPU saw them: from the first to the last of consecutive launches of a stream that were made within
// a range. (The trace has no times of the ranges on the host. Nsight Systems calls these "projected".)
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/timeline.h"

namespace culprit {

struct RangeSlice {
  std::string name;  // the last part of the path
  std::string path;  // "step 17/forward"
  int depth = 0;     // 0: outermost
  std::int64_t start_ns = 0, end_ns = 0;
};

// `launches`: of one stream, by start. Slices by start, outer ones first; each lies within the one above it. Two
// neighbouring ranges of one name, without a launch outside between them, are one slice.
std::vector<RangeSlice> SlicesOf(std::span<const TimelineLaunch* const> launches);

}  // namespace culprit
