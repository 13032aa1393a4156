// SPDX-License-Identifier: Apache-2.0
// Sampled counters of workloads against replayed ones. A program of its own: CUPTI takes one kind of profiler at a time.
#include "profiler/sampled_collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/error.h"
#include "db/metric_catalogue.h"
#include "db/sampled_counters.h"
#include "profiler/device_info.h"
#include "profiler/range_collector.h"
#include "profiler/timer.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

constexpr int kMostBlocks = 4096;
constexpr double kClose = 0.02, kPrecise = 0.01;

struct Value {
  double value = 0, error = 0;
};
using Values = std::map<std::string, Value>;

Values ValuesOf(const std::vector<Reading>& readings) {
  Values values;
  for (const Reading& r : readings)
    if (r.value) values[r.metric.id] = {*r.value, r.error.value_or(0)};
  return values;
}

// Everything is counted once in either way, sampled first.
class SampledCollectorOnGpu : public ::testing::Test {
 protected:
  enum Work { kShort, kLong, kTwoKernels, kThrows, kAll };

  static void SetUpTestSuite() {
    device_ = CurrentDevice();
    if (!device_) return;
    in_ = std::make_unique<DeviceArray>(std::vector<float>(std::max(kMostBlocks * kKnownThreads, kBusyWindow), 0.5f));
    out_ = std::make_unique<DeviceArray>(std::vector<float>(kMostBlocks * kBusyThreads));
    const auto known = [](int blocks) { LaunchKnown(blocks, in_->data(), out_->data(), nullptr); };
    const std::vector<Counted> work = {
        {{}, [=] { known(kMostBlocks); }},
        {{}, [] { LaunchBusy(8 * device_->sm_count, 6000, in_->data(), out_->data(), nullptr); }},
        {[=] { known(900); }, [=] { known(300), known(700); }, 0},
        {{}, [] { throw Error("no such work"); }},
    };
    {
      SampledCollector collector(device_->chip);
      for (const SampledLaunch& launch : collector.Collect(work)) {
        sampled_.push_back(ValuesOf(launch.readings));
        unread_.push_back(launch.readings.size() - sampled_.back().size());
        clock_mhz_.push_back(launch.clock_mhz.value_or(0));
      }
      warnings_ = collector.Warnings();
    }
    RangeCollector replay(MetricSet::kCore, device_->chip);
    for (const Repetitions& r : replay.Collect({work.data(), kThrows})) replayed_.push_back(ValuesOf(r.front()));
    Timer timer(CacheState::kHot);
    for (int i = 0; i < 20; ++i) timer.Measure(work[kLong].launch);
    timed_mhz_ = timer.TakeSamples().back().clock_mhz.value_or(0);
  }
  static void TearDownTestSuite() {
    in_.reset();
    out_.reset();
  }
  void SetUp() override {
    ASSERT_TRUE(device_) << "this test needs a GPU";
    for (const Warning& warning : warnings_)
      if (warning.code == "counters_denied" || warning.code == "second_profiler" ||
          CounterTurnsOn(device_->chip).empty())
        GTEST_SKIP() << warning.text;  // no permission here: nothing to hold against
    ASSERT_EQ(sampled_.size(), static_cast<std::size_t>(kAll));
  }

  static void ExpectClose(Work work, const std::string& id) {
    ASSERT_TRUE(sampled_[work].contains(id)) << id << " of work " << work << " was not sampled";
    ASSERT_TRUE(replayed_[work].contains(id)) << id << " of work " << work << " was not replayed";
    const Value sampled = sampled_[work][id];
    const double replayed = replayed_[work][id].value;
    EXPECT_NEAR(sampled.value / replayed, 1.0, kClose) << id << " of work " << work;
    EXPECT_LT(sampled.error, kPrecise * replayed) << id << " of work " << work;
  }

  static std::optional<Device> device_;
  static std::unique_ptr<DeviceArray> in_, out_;
  static std::vector<Values> sampled_, replayed_;  // by work
  static std::vector<std::size_t> unread_;
  static std::vector<double> clock_mhz_;
  static std::vector<Warning> warnings_;
  static double timed_mhz_;
};

std::optional<Device> SampledCollectorOnGpu::device_;
std::unique_ptr<DeviceArray> SampledCollectorOnGpu::in_, SampledCollectorOnGpu::out_;
std::vector<Values> SampledCollectorOnGpu::sampled_, SampledCollectorOnGpu::replayed_;
std::vector<std::size_t> SampledCollectorOnGpu::unread_;
std::vector<double> SampledCollectorOnGpu::clock_mhz_;
std::vector<Warning> SampledCollectorOnGpu::warnings_;
double SampledCollectorOnGpu::timed_mhz_ = 0;

TEST_F(SampledCollectorOnGpu, CountsTheInstructionsThatReplayCounts) {
  for (const Work work : {kShort, kLong, kTwoKernels}) ExpectClose(work, "inst_executed");
}

TEST_F(SampledCollectorOnGpu, CountsWhatSeveralListsCount) {
  for (const char* id : {"pipe_alu_inst", "shared_wavefronts", "shared_load_wavefronts"}) {
    if (!sampled_[kLong].contains(id)) continue;  // other chips have other lists
    ExpectClose(kLong, id);
  }
  // Absolute, because the kernel has none of these.
  EXPECT_EQ(sampled_.at(kLong).at("local_load_sectors").value, 0);
}

TEST_F(SampledCollectorOnGpu, ReadsEveryCounterOfTheLists) {
  for (const Work work : {kShort, kLong, kTwoKernels}) EXPECT_EQ(unread_[work], 0u) << "of work " << work;
}

TEST_F(SampledCollectorOnGpu, KnowsTheClock) {
  ASSERT_GT(timed_mhz_, 0);
  EXPECT_NEAR(clock_mhz_[kLong] / timed_mhz_, 1.0, 0.05);
}

TEST_F(SampledCollectorOnGpu, LosesTheCountersOfWorkThatThrowsAndOfNoOther) {
  EXPECT_TRUE(sampled_[kThrows].empty());
  EXPECT_EQ(clock_mhz_[kThrows], 0);
  EXPECT_TRUE(std::ranges::any_of(warnings_, [](const Warning& w) { return w.text.starts_with("no such work: "); }));
}

}  // namespace
}  // namespace culprit
