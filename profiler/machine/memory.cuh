// SPDX-License-Identifier: Apache-2.0
// Regions of device memory that fit in L2 or are much larger than L2.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "db/records.h"
#include "profiler/machine/block_cycles.cuh"

namespace culprit {

// A power of two of 16-byte values.
struct Region {
  OnDevice<uint4> lines;
  unsigned mask;

  explicit Region(std::uint64_t bytes)
      : lines(std::bit_floor(bytes) / sizeof(uint4)), mask(static_cast<unsigned>(lines.count() - 1)) {}
};

// A quarter to half of L2. A smaller region would measure too much: when several SMs load the same lines at once, an
// H200 serves them before L2. (A region of 1 MiB gave twice the bytes per cycle of one of 16 MiB.)
inline Region InL2(const Device& device) {
  return Region(static_cast<std::uint64_t>(std::max<std::int64_t>(device.l2_bytes / 2, 1 << 20)));
}

// 1 GiB if there is room, which is 20 times the largest L2.
inline Region BeyondL2(const Device& device) {
  return Region(static_cast<std::uint64_t>(std::clamp<std::int64_t>(device.memory_bytes / 16, 1 << 26, 1 << 30)));
}

}  // namespace culprit
