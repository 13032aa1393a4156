// SPDX-License-Identifier: Apache-2.0
// The constants of chips, except figures that recordings measure.
#pragma once
#include <algorithm>
#include <iterator>
#include <string_view>

namespace culprit {

// One SM. Sources:
//   limits              CUDA C++ Programming Guide 13.0, "Compute Capabilities", tables "Technical Specifications per
//                       Compute Capability" and "Shared Memory Capacity per Compute Capability"
//   shared_granularity  CUDA Occupancy Calculator
//   operations          the same guide, "Throughput of Native Arithmetic Instructions"
//   matrix products     the dense FP16 rates of the architecture whitepapers, divided by SMs and clock; on Hopper, HMMA
//                       reaches half the rate of GMMA
struct Chip {
  std::string_view arch;       // "sm_90"
  int warps, blocks;           // the most that are resident at once
  int shared_bytes;            // for all blocks together
  int shared_bytes_per_block;  // the largest cudaFuncAttributeMaxDynamicSharedMemorySize
  int reserved_shared_bytes;   // CUDA's own share of each block's memory: 1 KB from compute capability 8.0 on
  int shared_granularity;      // bytes
  // Per cycle: thread-level operations by pipe, and multiply-adds of matrix instructions of one warp (warp_matrix) and
  // of four warps (warpgroup_matrix). fp32 is 0 if none of these rates is known. warpgroup_matrix is 0 if the chip has
  // no such instructions.
  double fp32 = 0, alu = 0, fp64 = 0, xu = 0, fp16_pairs = 0, warp_matrix = 0, warpgroup_matrix = 0;
};

inline constexpr int kKiB = 1024;

inline constexpr Chip kChips[] = {
    {"sm_70", 64, 32, 96 * kKiB, 96 * kKiB, 0, 256, 64, 64, 32, 16, 64, 512},
    {"sm_75", 32, 16, 64 * kKiB, 64 * kKiB, 0, 256, 64, 64, 2, 16, 64, 512},
    {"sm_80", 64, 32, 164 * kKiB, 163 * kKiB, kKiB, 128, 64, 64, 32, 16, 128, 1024},
    {"sm_86", 48, 16, 100 * kKiB, 99 * kKiB, kKiB, 128, 128, 64, 2, 16, 128, 512},
    {"sm_87", 48, 16, 164 * kKiB, 163 * kKiB, kKiB, 128, 128, 64, 2, 16, 128, 512},
    {"sm_88", 48, 16, 100 * kKiB, 99 * kKiB, kKiB, 128},
    {"sm_89", 48, 24, 100 * kKiB, 99 * kKiB, kKiB, 128, 128, 64, 2, 16, 64, 512},
    {"sm_90", 64, 32, 228 * kKiB, 227 * kKiB, kKiB, 128, 128, 64, 64, 16, 128, 1024, 2048},
    {"sm_100", 64, 32, 228 * kKiB, 227 * kKiB, kKiB, 128},
    {"sm_103", 64, 32, 228 * kKiB, 227 * kKiB, kKiB, 128},
    {"sm_110", 48, 24, 228 * kKiB, 227 * kKiB, kKiB, 128},
    {"sm_120", 48, 24, 100 * kKiB, 99 * kKiB, kKiB, 128},
    {"sm_121", 48, 24, 100 * kKiB, 99 * kKiB, kKiB, 128},
};

// Null for an architecture that is not in the table.
constexpr const Chip* FindChip(std::string_view arch) {
  const auto* const found = std::ranges::find(kChips, arch, &Chip::arch);
  return found == std::end(kChips) ? nullptr : found;
}

// These are the same on every chip of the table.
inline constexpr int kSubPartitions = 4;  // Of an SM.
inline constexpr int kMaxBlockThreads = 1024;
inline constexpr int kSectorBytes = 32;  // Of L1, L2 and device memory.

// Multiply-adds in the largest matrix instruction of one warp (m16n8k16) and of four warps (m64n256k16), and the lowest
// rate per SM and cycle with instructions of one warp.
inline constexpr double kWarpMatrixProducts = 16 * 8 * 16, kWarpgroupMatrixProducts = 64 * 256 * 16;
inline constexpr double kLeastWarpMatrix = 512;

// Cycles until a result may be used, as `culprit machine` lists them for the H200 of db/recorded. kDramCycles is for
// device memory below half of its bandwidth, kBusyDramCycles at its full bandwidth.
namespace h200 {
inline constexpr double kSharedCycles = 23, kL1Cycles = 39, kL2Cycles = 300, kDramCycles = 700, kBusyDramCycles = 1235;
}  // namespace h200

}  // namespace culprit
