// SPDX-License-Identifier: Apache-2.0
// How one warp touches shared memory in one instruction: the vocabulary of stages, which say it of themselves, of the
// database, which keeps it, and of the bank model, which judges it.
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
  kLoadMatrix,   // ldmatrix (LDSM): each addressing lane names a row of 16 bytes
  kStoreMatrix,  // stmatrix (STSM), likewise
};

struct SharedAccess {
  std::string name;   // "store A": unique within a stage
  std::string array;  // "A": accesses of one array share its layout, so a padding or swizzle must suit all of them
  int row_bytes = 0;  // from one row of the array to the next, with padding; 0: the array has no rows
  SharedOp op = SharedOp::kLoad;
  // Bytes that each lane names: 4, 8 or 16 for loads and stores, 16 for the matrix forms.
  int lane_bytes = 4;
  // Byte address of each lane of the block's first warp, from the start of the array, which lies on a multiple of 128
  // bytes (bank 0); kInactiveLane for a lane that takes no part. For the matrix forms only lanes 0..7 (.x1), 0..15
  // (.x2) or all (.x4) name rows; the others are inactive.
  std::array<std::int64_t, kWarpLanes> address = {};
  bool operator==(const SharedAccess&) const = default;
};

}  // namespace culprit
