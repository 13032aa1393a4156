// SPDX-License-Identifier: Apache-2.0
// The occupancy model against the toolkit's own calculator, a header without a library.
#include "profiler/occupancy.h"

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/code/static_attributes.h"

namespace culprit {
namespace {

cudaOccResult Toolkit(const Chip& sm, int major, int minor, const BlockResources& block) {
  cudaOccDeviceProp device;
  device.computeMajor = major;
  device.computeMinor = minor;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = sm.warps * 32;
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 * 1024;
  device.sharedMemPerMultiprocessor = sm.shared_bytes;
  device.numSms = 100;
  device.sharedMemPerBlockOptin = sm.shared_bytes_per_block;
  device.reservedSharedMemPerBlock = sm.reserved_shared_bytes;
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = 1024;
  function.numRegs = block.registers;
  function.sharedSizeBytes = block.static_shared_bytes;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = sm.shared_bytes_per_block;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result;
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, block.threads,
                                                    block.dynamic_shared_bytes),
            CUDA_OCC_SUCCESS)
      << sm.arch;
  return result;
}

struct Architecture {
  const char* arch;
  int major, minor;
};
constexpr Architecture kArchitectures[] = {{"sm_75", 7, 5},   {"sm_80", 8, 0},   {"sm_86", 8, 6},   {"sm_87", 8, 7},
                                           {"sm_89", 8, 9},   {"sm_90", 9, 0},   {"sm_100", 10, 0}, {"sm_103", 10, 3},
                                           {"sm_110", 11, 0}, {"sm_120", 12, 0}, {"sm_121", 12, 1}};

TEST(Occupancy, AgreesWithTheToolkitsCalculator) {
  for (const Architecture& architecture : kArchitectures) {
    const Chip* const sm = FindChip(architecture.arch);
    ASSERT_NE(sm, nullptr) << architecture.arch;
    for (const int threads : {1, 32, 33, 64, 96, 128, 160, 256, 288, 512, 768, 1024}) {
      for (const int registers : {16, 24, 32, 33, 40, 56, 64, 72, 96, 97, 120, 128, 129, 168, 200, 255}) {
        for (const int fixed : {0, 1, 128, 8192, 9000, 16384, 49152}) {
          for (const int dynamic : {0, 20000, 65536, 90000, 180000}) {
            const BlockResources block{threads, registers, fixed, dynamic};
            const cudaOccResult want = Toolkit(*sm, architecture.major, architecture.minor, block);
            const Occupancy got = ComputeOccupancy(*sm, block);
            ASSERT_EQ(got.blocks, want.activeBlocksPerMultiprocessor)
                << architecture.arch << ": " << threads << " threads, " << registers << " registers, " << fixed << "+"
                << dynamic;
            ASSERT_EQ(got.blocks_by_registers, want.blockLimitRegs)
                << architecture.arch << ' ' << threads << ' ' << registers;
            ASSERT_EQ(got.blocks_by_warps, want.blockLimitWarps) << architecture.arch << ' ' << threads;
            ASSERT_EQ(got.blocks_by_blocks, want.blockLimitBlocks) << architecture.arch;
            ASSERT_EQ(got.blocks_by_shared, std::min(want.blockLimitSharedMem, sm->blocks))
                << architecture.arch << ' ' << fixed << "+" << dynamic;
          }
        }
      }
    }
  }
}

TEST(Occupancy, NamesRegistersAsTheLimitOfAnEightByEightTile) {
  const Occupancy o = ComputeOccupancy(*FindChip("sm_90"), {256, 128, 8192, 0});
  EXPECT_EQ(o.blocks_by_registers, 2);
  EXPECT_EQ(o.blocks, 2);
  EXPECT_EQ(o.warps, 16);
  EXPECT_DOUBLE_EQ(o.ratio, 0.25);
}

TEST(Occupancy, CountsTheKilobyteThatCudaReserves) {
  // 227 KB fit as one block; two of 113.5 KB would fit without the reserved kilobyte each.
  EXPECT_EQ(ComputeOccupancy(*FindChip("sm_90"), {128, 32, 0, 227 * 1024}).blocks, 1);
  EXPECT_EQ(ComputeOccupancy(*FindChip("sm_90"), {128, 32, 0, 113 * 1024}).blocks, 2);
  EXPECT_EQ(ComputeOccupancy(*FindChip("sm_90"), {128, 32, 0, 113 * 1024 + 512}).blocks, 1);
}

TEST(Occupancy, IsZeroForABlockThatDoesNotFit) {
  EXPECT_EQ(ComputeOccupancy(*FindChip("sm_86"), {256, 64, 8192, 96 * 1024}).blocks, 0);
  EXPECT_EQ(ComputeOccupancy(*FindChip("sm_90"), {1024, 128, 0, 0}).blocks, 0);
}

TEST(MaxThreadsByRegisters, FollowsTheRegisterFile) {
  EXPECT_EQ(MaxThreadsByRegisters(32), 1024);
  EXPECT_EQ(MaxThreadsByRegisters(64), 1024);
  EXPECT_EQ(MaxThreadsByRegisters(128), 512);
  EXPECT_EQ(MaxThreadsByRegisters(255), 256);
}

TEST(AddOccupancy, SaysUnsupportedOnAnUnknownArchitecture) {
  BuildRecord build{"x", "sm_999", "x", "", {}};
  AddAttribute(build, "registers", "cubin", 32);
  AddAttribute(build, "static_shared_bytes", "cubin", 0);
  AddOccupancy(build, 256, 0);
  EXPECT_EQ(FindAttribute(build, "block_threads"), 256.0);
  EXPECT_FALSE(FindAttribute(build, "theoretical_occupancy"));
  EXPECT_EQ(build.attributes.back().status, ReadingStatus::kUnsupported);
}

TEST(AddOccupancy, DoesNotGuessWithoutARegisterCount) {
  BuildRecord build{"x", "sm_90", "x", "", {}};
  AddAttribute(build, "static_shared_bytes", "cubin", 0);
  AddOccupancy(build, 256, 0);
  EXPECT_FALSE(FindAttribute(build, "theoretical_occupancy"));
}

TEST(AddOccupancy, StoresTheFourLimits) {
  BuildRecord build{"x", "sm_90", "x", "", {}};
  AddAttribute(build, "registers", "cubin", 56);
  AddAttribute(build, "static_shared_bytes", "cubin", 8192);
  AddOccupancy(build, 256, 65536);
  EXPECT_EQ(FindAttribute(build, "blocks_per_sm_by_registers", "model"), 4.0);
  EXPECT_EQ(FindAttribute(build, "blocks_per_sm_by_shared", "model"), 3.0);
  EXPECT_EQ(FindAttribute(build, "blocks_per_sm_by_warps", "model"), 8.0);
  EXPECT_EQ(FindAttribute(build, "blocks_per_sm_by_blocks", "model"), 32.0);
  EXPECT_EQ(FindAttribute(build, "theoretical_warps_per_sm", "model"), 24.0);
}

}  // namespace
}  // namespace culprit
