// SPDX-License-Identifier: Apache-2.0
#include "profiler/timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "db/error.h"
#include "profiler/device_info.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

class TimerOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = CurrentDevice();
    ASSERT_TRUE(device_) << "this test needs a GPU";
  }
  std::optional<Device> device_;
};

double MedianTimeOf(Timer& timer, const std::function<void()>& launch) {
  for (int i = 0; i < 5; ++i) timer.Measure(launch);
  timer.TakeSamples();
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) times.push_back(timer.Measure(launch));
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  timer.TakeSamples();
  return times[5];
}

TEST_F(TimerOnGpu, MeasuresASpinOfKnownCycles) {
  constexpr long long kCycles = 4'000'000;  // 2 ms: launch and tail, some microseconds, are far below the 2 %
  Timer timer(CacheState::kHot);
  for (int i = 0; i < 10; ++i) timer.Measure([&] { LaunchSpin(device_->sm_count, kCycles, nullptr); });
  const auto samples = timer.TakeSamples();
  ASSERT_EQ(samples.size(), 10u);
  for (const TimedSample& s : samples) {
    ASSERT_TRUE(s.clock_mhz);
    EXPECT_NEAR(s.time_us * *s.clock_mhz / kCycles, 1.0, 0.02) << s.time_us << " us at " << *s.clock_mhz << " MHz";
  }
}

TEST_F(TimerOnGpu, EstimatesNoClockAboveTheMaximum) {
  Timer timer(CacheState::kHot);
  for (int i = 0; i < 10; ++i) timer.Measure([&] { LaunchSpin(device_->sm_count, 1'000'000, nullptr); });
  for (const TimedSample& s : timer.TakeSamples()) {
    ASSERT_TRUE(s.clock_mhz);
    EXPECT_LT(*s.clock_mhz, 1.02 * device_->sm_clock_mhz);
    EXPECT_GT(*s.clock_mhz, 0.1 * device_->sm_clock_mhz);
  }
}

TEST_F(TimerOnGpu, MarksASampleWhoseGateGaveUp) {
  Timer timer(CacheState::kHot);
  timer.Measure([] { LaunchSpin(1, 10'000, nullptr); });
  timer.Measure([] {
    LaunchSpin(1, 10'000, nullptr);
    std::this_thread::sleep_for(2 * kGateTimeout);  // the host is late
  });
  timer.Measure([] { LaunchSpin(1, 10'000, nullptr); });
  const auto samples = timer.TakeSamples();
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_FALSE(samples[0].gate_open);
  EXPECT_TRUE(samples[1].gate_open);
  EXPECT_FALSE(samples[2].gate_open);
}

TEST_F(TimerOnGpu, ReturnsTheTimesThatItKeeps) {
  Timer timer(CacheState::kHot);
  std::vector<double> returned, kept;
  for (int i = 0; i < 5; ++i) returned.push_back(timer.Measure([&] { LaunchSpin(1, 10'000 * (i + 1), nullptr); }));
  for (const TimedSample& s : timer.TakeSamples()) kept.push_back(s.time_us);
  EXPECT_EQ(kept, returned);
  EXPECT_TRUE(timer.TakeSamples().empty()) << "taken is taken";
}

TEST_F(TimerOnGpu, KeepsMoreSamplesThanItHadRoomFor) {
  Timer timer(CacheState::kHot);
  constexpr std::size_t kMany = 5000;  // beyond the first 4096
  for (std::size_t i = 0; i < kMany; ++i) timer.Measure([] { LaunchSpin(1, 20'000, nullptr); });
  const auto samples = timer.TakeSamples();
  ASSERT_EQ(samples.size(), kMany);
  for (const TimedSample& s : samples) ASSERT_TRUE(s.clock_mhz);
}

TEST_F(TimerOnGpu, AFlushMakesARereadSlower) {
  const int count = static_cast<int>(device_->l2_bytes / 4 / 4);  // a quarter of L2
  const DeviceArray data(std::vector<float>(count, 0.0f)), out(std::vector<float>(1, 0.0f));
  const auto read = [&] { LaunchRead(data.data(), count, out.data(), nullptr); };
  Timer hot(CacheState::kHot), flush(CacheState::kFlush);
  EXPECT_GT(MedianTimeOf(flush, read), 1.2 * MedianTimeOf(hot, read));
}

TEST_F(TimerOnGpu, SurvivesALaunchThatIsRefused) {
  Timer timer(CacheState::kHot);
  EXPECT_THROW(timer.Measure([] { LaunchShaped({1, 1, 1}, {2048, 1, 1}, 0, nullptr); }), Error);
  const double us = timer.Measure([] { LaunchSpin(1, 100'000, nullptr); });
  EXPECT_GT(us, 10);
  EXPECT_EQ(timer.TakeSamples().size(), 1u);
}

TEST_F(TimerOnGpu, DoesNotWaitForEverForALaunchThatWaits) {
  Timer timer(CacheState::kHot);
  EXPECT_GT(timer.Measure([] {
    LaunchSpin(1, 100'000, nullptr);
    cudaDeviceSynchronize();
  }),
            10);
}

}  // namespace
}  // namespace culprit
