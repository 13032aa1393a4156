// SPDX-License-Identifier: Apache-2.0
// Ways in which a warp touches shared memory, chosen to tell rules of bank conflicts apart: measured on GPUs by
// tests/gpu/bank_patterns.cpp. No CUDA here.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "db/shared_access.h"

namespace culprit::testing {

using Lanes = std::array<std::int64_t, kWarpLanes>;  // SharedAccess::address
using NamedLanes = std::vector<std::pair<std::string, Lanes>>;

struct BankPattern {
  SharedAccess access;      // its name is unique
  bool transposed = false;  // ldmatrix.trans, stmatrix.trans
};

// Every address lies below this, so that a pattern fits the shared memory that any kernel may have.
inline constexpr std::int64_t kPatternBytes = 48 * 1024;

// All of them, those of one instruction side by side.
std::vector<BankPattern> BankPatterns();

// The parts of BankPatterns(). `bytes` is the width of a lane.
NamedLanes RegularPatterns(int bytes);     // strides, tiles, permutations
NamedLanes MergingPatterns(int bytes);     // lanes that share addresses, lanes that take no part
NamedLanes BrokenPairPatterns(int bytes);  // pairs that would merge, with lanes missing: for loads of 8 and 16 bytes
NamedLanes RandomPatterns(int bytes);
NamedLanes RowPatterns(int rows);  // addresses of 8, 16 or 32 rows of 16 bytes, for ldmatrix and stmatrix

// address(lane) of every lane.
template <class Function>
Lanes EachLane(Function address) {
  Lanes lanes;
  for (int lane = 0; lane < kWarpLanes; ++lane) lanes[lane] = address(lane);
  return lanes;
}

}  // namespace culprit::testing
