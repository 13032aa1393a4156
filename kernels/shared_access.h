// SPDX-License-Identifier: Apache-2.0
// From a kernel's own index function to what Stage::shared_accesses says of it.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "db/shared_access.h"

namespace culprit {

// An array in shared memory as a kernel declares it. Rows may be padded; row_elements counts the padding.
struct SharedArray {
  std::string name;      // "A"
  int row_elements = 0;  // 0: the array has no rows
  int element_bytes = 4;
};

// What the block's first warp touches when each thread names `lane_elements` neighbouring elements, the first of which
// is element(thread): an index into `array`, rows after one another, or kInactiveLane. `element` is to be the function
// that the kernel itself calls.
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
