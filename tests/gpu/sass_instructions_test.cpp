// SPDX-License-Identifier: Apache-2.0
// One TEST: CUPTI counts the first kernel of a process and no other.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <vector>

#include "profiler/device_info.h"
#include "profiler/sass_collector.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

double CountOf(const InstructionRecord& i, const char* metric) {
  const auto found = i.counts.find(metric);
  return found == i.counts.end() ? 0 : found->second;
}

void Print(const InstructionRecord& i) {
  std::printf("%s+%#llx %s:%d", i.function.c_str(), static_cast<unsigned long long>(i.pc_offset), i.source_file.c_str(),
              i.source_line);
  for (const auto& [metric, value] : i.counts) std::printf(" %s=%.0f", metric.c_str(), value);
  std::printf("\n");
}

TEST(SassInstructionsOnGpu, FindTheConflictsAtTheStridedStoreAloneAndNameItsLine) {
  const auto device = CurrentDevice();
  ASSERT_TRUE(device) << "this test needs a GPU";
  constexpr int kBlocks = 264;  // warps
  constexpr double kStores = kBlocks * kWarpSquare;
  const DeviceArray in(std::vector<float>(kBlocks * kWarpSquare * kWarpSquare, 0.5f)), out(in.Download());
  const Counted work{{}, [&] { LaunchStrided(kBlocks, in.data(), out.data(), nullptr); }};

  SassCollector sass(MetricSet::kFull, device->chip);
  const auto readings = sass.Collect({&work, 1}).front().front();
  ASSERT_FALSE(sass.Trouble()) << sass.Trouble()->text;
  const auto& instructions = sass.Instructions();
  for (const InstructionRecord& i : instructions)
    if (i.counts.size() > 2) Print(i);

  std::map<std::string, double> sums;
  int stores = 0, loads = 0;
  for (const InstructionRecord& i : instructions) {
    EXPECT_EQ(i.function, "culprit_test_strided");
    for (const auto& [metric, value] : i.counts) sums[metric] += value;
    const double excess = CountOf(i, "sass_shared_wavefronts") - CountOf(i, "sass_shared_wavefronts_ideal");
    if (CountOf(i, "sass_shared_store_inst") > 0) {
      ++stores;
      EXPECT_EQ(i.opcode, "STS");
      EXPECT_EQ(CountOf(i, "sass_inst"), kStores);
      EXPECT_EQ(CountOf(i, "sass_shared_store_inst"), kStores);
      EXPECT_EQ(CountOf(i, "sass_memory_32b_inst"), kStores);
      EXPECT_EQ(CountOf(i, "sass_shared_wavefronts"), 32 * kStores) << "every lane in one bank";
      EXPECT_EQ(CountOf(i, "sass_shared_wavefronts_ideal"), kStores);
      EXPECT_EQ(i.source_file, "tests/gpu/small_kernels.cu");
      EXPECT_EQ(i.source_line, StridedStoreLine());
    } else {
      EXPECT_EQ(excess, 0) << "at " << i.pc_offset;
    }
    if (CountOf(i, "sass_shared_load_inst") > 0) {
      ++loads;
      EXPECT_EQ(i.opcode, "LDS");
      EXPECT_EQ(CountOf(i, "sass_shared_wavefronts"), CountOf(i, "sass_shared_load_inst"));
      EXPECT_NE(i.source_line, StridedStoreLine());
    }
    EXPECT_EQ(CountOf(i, "sass_global_sectors"), CountOf(i, "sass_global_sectors_ideal")) << "at " << i.pc_offset;
  }
  EXPECT_EQ(stores, 1);
  EXPECT_EQ(loads, 1);
  for (const Reading& r : readings) EXPECT_EQ(sums[r.metric.id], r.value.value_or(0)) << r.metric.id;
}

}  // namespace
}  // namespace culprit
