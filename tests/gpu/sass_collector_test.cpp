// SPDX-License-Identifier: Apache-2.0
// A program of its own with one test: CUPTI 13.0 collects SASS metrics once per process.
#include "profiler/sass_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "profiler/device_info.h"
#include "profiler/range_collector.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

std::map<std::string, double> ValuesOf(const std::vector<Reading>& readings) {
  std::map<std::string, double> values;
  for (const Reading& r : readings)
    if (r.value) values[r.metric.id] = *r.value;
  return values;
}

// The counts of instructions are the parts of the kernel's.
void ExpectInstructionsToAddUp(const std::vector<InstructionRecord>& instructions,
                               const std::vector<Reading>& readings) {
  EXPECT_FALSE(instructions.empty());
  for (const Reading& r : readings) {
    double sum = 0;
    for (const InstructionRecord& i : instructions)
      if (const auto count = i.counts.find(r.metric.id); count != i.counts.end()) sum += count->second;
    EXPECT_EQ(sum, r.value.value_or(0)) << r.metric.id;
  }
}

TEST(SassCollectorOnGpu, CountsTheFirstLaunchExactlyAndRefusesTheSecondWithASentence) {
  const auto device = CurrentDevice();
  ASSERT_TRUE(device) << "this test needs a GPU";
  constexpr int kBlocks = 1024;
  constexpr double kWarps = kBlocks * kKnownThreads / 32.0;
  const DeviceArray in(std::vector<float>(kBlocks * kKnownThreads, 0.5f)), out(in.Download());
  const Counted work{{}, [&] { LaunchKnown(kBlocks, in.data(), out.data(), nullptr); }};

  SassCollector sass(MetricSet::kFull, device->chip);
  const auto first = sass.Collect({&work, 1}).front().front();
  ASSERT_FALSE(sass.Trouble()) << sass.Trouble()->text;
  EXPECT_EQ(sass.Function(), "culprit_test_known");
  for (const Reading& r : first)
    EXPECT_EQ(r.status, r.metric.cupti_name.empty() ? ReadingStatus::kUnsupported : ReadingStatus::kOk) << r.metric.id;
  ExpectInstructionsToAddUp(sass.Instructions(), first);
  auto exact = ValuesOf(first);
  EXPECT_EQ(exact["sass_shared_load_inst"], kWarps);
  EXPECT_EQ(exact["sass_shared_store_inst"], kWarps);
  EXPECT_EQ(exact["sass_shared_wavefronts"], 2 * kWarps);
  EXPECT_EQ(exact["sass_shared_wavefronts_ideal"], 2 * kWarps) << "no bank conflicts";
  EXPECT_EQ(exact["sass_memory_32b_inst"], 4 * kWarps);
  EXPECT_EQ(exact["sass_memory_128b_inst"], 0);
  EXPECT_EQ(exact["sass_global_sectors"], 8 * kWarps);
  EXPECT_EQ(exact["sass_global_sectors_ideal"], 8 * kWarps);
  EXPECT_EQ(exact["sass_local_inst"], 0);
  EXPECT_EQ(exact["sass_thread_inst"], 32 * exact["sass_inst"]);
  EXPECT_GT(exact["sass_thread_inst_on"], 0);
  EXPECT_LE(exact["sass_thread_inst_on"], exact["sass_thread_inst"]);
  EXPECT_EQ(exact["sass_branches_apart"], 0);

  const auto second = sass.Collect({&work, 1}).front().front();
  ASSERT_EQ(second.size(), first.size());
  for (const Reading& r : second) {
    EXPECT_EQ(r.status, ReadingStatus::kFailed) << r.metric.id;
    EXPECT_EQ(r.value, std::nullopt) << r.metric.id;
  }
  ASSERT_TRUE(sass.Trouble());
  EXPECT_THAT(sass.Trouble()->text, ::testing::HasSubstr("exact counts were not read"));
  EXPECT_EQ(sass.Function(), "");
  EXPECT_TRUE(sass.Instructions().empty());

  RangeCollector range(MetricSet::kCore, device->chip);
  const auto counted = range.Collect({&work, 1}).front().front();
  if (range.Trouble()) GTEST_SKIP() << range.Trouble()->text;
  EXPECT_EQ(exact["sass_inst"], ValuesOf(counted).at("inst_executed"));
}

}  // namespace
}  // namespace culprit
