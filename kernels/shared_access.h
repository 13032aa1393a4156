// SPDX-License-Identifier: Apache-2.0
// Computes Stage::shared_accesses from a kernel's own index function.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "db/shared_access.h"

namespace culprit {

// A shared-memory array as a kernel declares it. row_elements includes any padding.
struct SharedArray {
  std::string name;      // "A"
  int row_elements = 0;  // 0: the array has no rows
  int element_bytes = 4;
};

// The access of the block's first warp if each thread accesses `lane_elements` neighbouring elements. element(thread)
// is the row-major index in `array` of the thread's first element, or kInactiveLane. Pass the function that the kernel
// calls.
template <class ElementOfThread>
SharedAccess WarpAccess(std::string name, const SharedArray& array, SharedOp op, int lane_elements,
                        ElementOfThread element) {
  SharedAccess access{.name = std::move(name),
                      .array = array.name,
                      .row_bytes = array.row_elements * array.element_bytes,
                      .op = op,
                      .lane_bytes = lane_elements * array.element_bytes};
  for (int thread = 0; thread < kWarpLanes; ++thread) {
    const std::int64_t at = element(thread);
    access.address[thread] = at == kInactiveLane ? kInactiveLane : at * array.element_bytes;
  }
  return access;
}

}  // namespace culprit
