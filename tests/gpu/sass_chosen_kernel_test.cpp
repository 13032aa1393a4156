// SPDX-License-Identifier: Apache-2.0
// One TEST: CUPTI counts one kernel of a process and no other, and here it is the second of a launch.
#include <gtest/gtest.h>

#include "profiler/device_info.h"
#include "profiler/sass_collector.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

TEST(SassChosenKernelOnGpu, CountsTheKernelThatTheWorkNamesAndNotTheOneBefore) {
  const auto device = CurrentDevice();
  ASSERT_TRUE(device) << "this test needs a GPU";
  constexpr int kBlocks = 264;
  constexpr double kWarps = kBlocks * kKnownThreads / 32.0;
  const DeviceArray in(std::vector<float>(kBlocks * kWarpSquare * kWarpSquare, 0.5f)), out(in.Download());
  Counted work{{}, [&] {
                 LaunchStrided(kBlocks, in.data(), out.data(), nullptr);
                 LaunchKnown(kBlocks, in.data(), out.data(), nullptr);
                 LaunchStrided(kBlocks, in.data(), out.data(), nullptr);
               }};
  work.kernels = 3;
  work.kernel = "culprit_test_known";

  SassCollector sass(MetricSet::kFull, device->chip);
  const auto readings = sass.Collect({&work, 1}).front().front();
  ASSERT_FALSE(sass.Trouble()) << sass.Trouble()->text;
  EXPECT_EQ(sass.Function(), "culprit_test_known");
  ASSERT_FALSE(sass.Instructions().empty());
  for (const InstructionRecord& i : sass.Instructions()) EXPECT_EQ(i.function, "culprit_test_known");
  for (const Reading& r : readings) {
    if (r.metric.id == "sass_shared_store_inst") {
      EXPECT_EQ(r.value, kWarps);
    } else if (r.metric.id == "sass_shared_wavefronts") {
      EXPECT_EQ(r.value, 2 * kWarps) << "the strided store has conflicts";
    }
  }
}

}  // namespace
}  // namespace culprit
