// SPDX-License-Identifier: Apache-2.0
// The noise kernels are a ruler: what they are said to do, they have to do.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/device_info.h"
#include "profiler/timer.h"
#include "tests/noise/kernels/noise.h"

namespace culprit {
namespace {

class NoiseKernelOnGpu : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { ASSERT_TRUE(CurrentDevice()) << "this test needs a GPU"; }
  const NoiseKernel& kernel() const { return NoiseKernels()[GetParam()]; }
};

TEST_P(NoiseKernelOnGpu, DoesAllOfItsWork) {
  const NoiseRun run = kernel().make();
  for (const int work : {kernel().work, SlowerWork(kernel().work), kernel().work}) {
    const PlantedCheck check = run.check(work);
    EXPECT_LE(check.error_over_bound, 1) << work << ' ' << kernel().work_unit << ": " << check.message;
  }
}

// Cycles, not times: the clock may move between two samples. Taken alternately, so that drift meets both.
TEST_P(NoiseKernelOnGpu, TakesTwoPercentMoreCyclesForTwoPercentMoreWork) {
  const NoiseRun run = kernel().make();
  const int slower_work = SlowerWork(kernel().work);
  ASSERT_EQ(slower_work * 50, kernel().work * 51);
  constexpr int kPairs = 101, kWarmUps = 5;
  Timer timer(CacheState::kHot);
  for (int i = 0; i < kWarmUps + kPairs; ++i) {
    if (i == kWarmUps) timer.TakeSamples();
    timer.Measure([&] { run.launch(kernel().work, nullptr); });
    timer.Measure([&] { run.launch(slower_work, nullptr); });
  }
  const std::vector<TimedSample> samples = timer.TakeSamples();
  ASSERT_EQ(samples.size(), 2u * kPairs);
  std::vector<double> ratios, times_us;
  for (std::size_t i = 0; i < samples.size(); i += 2) {
    ASSERT_TRUE(samples[i].clock_mhz && samples[i + 1].clock_mhz);
    ratios.push_back(samples[i + 1].time_us * *samples[i + 1].clock_mhz / (samples[i].time_us * *samples[i].clock_mhz));
    times_us.push_back(samples[i].time_us);
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(times_us.begin(), times_us.end());
  EXPECT_NEAR(ratios[kPairs / 2], 1.02, 0.002);
  // Shorter than this the launch, longer than that the recording of many processes would weigh too much.
  EXPECT_GT(times_us[kPairs / 2], 40);
  EXPECT_LT(times_us[kPairs / 2], 300);
}

INSTANTIATE_TEST_SUITE_P(All, NoiseKernelOnGpu, ::testing::Range<std::size_t>(0, NoiseKernels().size()),
                         [](const auto& index) { return NoiseKernels()[index.param].id; });

}  // namespace
}  // namespace culprit
