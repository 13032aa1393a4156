// SPDX-License-Identifier: Apache-2.0
// Regions of device memory that lie in L2, or that L2 is far too small for.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "db/records.h"
#include "profiler/machine/block_cycles.cuh"

namespace culprit {

// A power of two of values of 16 bytes.
struct Region {
  OnDevice<uint4> lines;
  unsigned mask;

  explicit Region(std::uint64_t bytes)
      : lines(std::bit_floor(bytes) / sizeof(uint4)), mask(static_cast<unsigned>(lines.count() - 1)) {}
};

// A quarter to half of L2. Not less: where several SMs load the same lines at once, an H200 answers them from before L2
// (a region of 1 MiB gave twice as many bytes as one of 16).
inline Region InL2(const Device& device) {
  return Region(static_cast<std::uint64_t>(std::max<std::int64_t>(device.l2_bytes / 2, 1 << 20)));
}

// 1 GiB where there is room: 20 times the largest L2.
inline Region BeyondL2(const Device& device) {
  return Region(static_cast<std::uint64_t>(std::clamp<std::int64_t>(device.memory_bytes / 16, 1 << 26, 1 << 30)));
}

}  // namespace culprit
