// SPDX-License-Identifier: Apache-2.0
// The access of one warp to shared memory in one instruction. Stages state it, the database stores it, and the bank
// model judges it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace culprit {

inline constexpr int kWarpLanes = 32;
inline constexpr std::int64_t kInactiveLane = -1;

enum class SharedOp {
  kLoad,         // LDS
  kStore,        // STS
  kLoadMatrix,   // ldmatrix (LDSM): each active lane gives the address of a 16-byte row
  kStoreMatrix,  // stmatrix (STSM), likewise
};

struct SharedAccess {
  std::string name;   // "store A": unique within a stage
  std::string array;  // "A": accesses to one array share its layout, so a padding or swizzle must suit all of them
  int row_bytes = 0;  // distance between rows of the array, with padding; 0: the array has no rows
  SharedOp op = SharedOp::kLoad;
  // Bytes per lane: 4, 8 or 16 for loads and stores, 16 for the matrix forms.
  int lane_bytes = 4;
  // Byte address of each lane of the block's first warp, relative to the array, which starts at a multiple of 128 bytes
  // (bank 0); kInactiveLane: the lane is inactive. In the matrix forms only lanes 0..7 (.x1), 0..15 (.x2) or all (.x4)
  // are active.
  std::array<std::int64_t, kWarpLanes> address = {};
  bool operator==(const SharedAccess&) const = default;
};

}  // namespace culprit
