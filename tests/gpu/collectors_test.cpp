// SPDX-License-Identifier: Apache-2.0
// The range collector on kernels of which it is known what they do.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/metric_catalogue.h"
#include "profiler/device_info.h"
#include "profiler/range_collector.h"
#include "profiler/timer.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

using Values = std::map<std::string, double>;

constexpr int kMostBlocks = 4096;

// One collector for all tests: CUPTI takes half a second to start.
class RangeCollectorOnGpu : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    device_ = CurrentDevice();
    if (!device_) return;
    collector_ = std::make_unique<RangeCollector>(MetricSet::kCore, device_->chip);
    in_ = std::make_unique<DeviceArray>(std::vector<float>(std::max(kMostBlocks * kKnownThreads, kBusyWindow), 0.5f));
    out_ = std::make_unique<DeviceArray>(std::vector<float>(kMostBlocks * kBusyThreads));
  }
  static void TearDownTestSuite() {
    collector_.reset();
    in_.reset();
    out_.reset();
  }
  void SetUp() override {
    ASSERT_TRUE(device_) << "this test needs a GPU";
    const Counted known = Known(1);
    const auto first = collector_->Collect({&known, 1});
    if (collector_->Trouble() && first.front().front().front().status != ReadingStatus::kFailed)
      GTEST_SKIP() << collector_->Trouble()->text;  // no permission here: nothing to hold against
  }

  static Counted Known(int blocks) {
    return {{}, [blocks] { LaunchKnown(blocks, in_->data(), out_->data(), nullptr); }};
  }
  // Fills every SM evenly and takes longer than 400 us on any GPU of today.
  static Counted Busy() {
    return {{}, [] { LaunchBusy(8 * device_->sm_count, 6000, in_->data(), out_->data(), nullptr); }};
  }
  static std::vector<Values> Collect(const std::vector<Counted>& work) {
    std::vector<Values> all;
    for (const auto& repetitions : collector_->Collect(work)) all.push_back(ValuesOf(repetitions.front()));
    return all;
  }
  static Values ValuesOf(const std::vector<Reading>& readings) {
    Values values;
    for (const Reading& r : readings)
      if (r.value) values[r.metric.id] = *r.value;
    return values;
  }
  static Values Collect(const Counted& work) { return Collect(std::vector<Counted>{work}).front(); }

  static std::optional<Device> device_;
  static std::unique_ptr<RangeCollector> collector_;
  static std::unique_ptr<DeviceArray> in_, out_;
};

std::optional<Device> RangeCollectorOnGpu::device_;
std::unique_ptr<RangeCollector> RangeCollectorOnGpu::collector_;
std::unique_ptr<DeviceArray> RangeCollectorOnGpu::in_, RangeCollectorOnGpu::out_;

TEST_F(RangeCollectorOnGpu, ReadsEveryCoreMetricThatTheChipHas) {
  const Counted work = Known(256);
  const auto readings = collector_->Collect({&work, 1}).front().front();
  const auto wanted = MetricsOf(MetricSource::kRange, MetricSet::kCore, device_->chip);
  ASSERT_EQ(readings.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(readings[i].metric.id, wanted[i].id);
    const auto status = wanted[i].cupti_name.empty() ? ReadingStatus::kUnsupported : ReadingStatus::kOk;
    EXPECT_EQ(readings[i].status, status) << wanted[i].id;
    EXPECT_EQ(readings[i].value.has_value(), status == ReadingStatus::kOk) << wanted[i].id;
  }
  EXPECT_FALSE(collector_->Trouble());
}

TEST_F(RangeCollectorOnGpu, CountsTheInstructionsOfAKnownKernelExactly) {
  constexpr int kBlocks = 1024;
  constexpr double kWarps = kBlocks * kKnownThreads / 32.0;
  Values v = Collect(Known(kBlocks));
  EXPECT_EQ(v["global_load_inst"], kWarps);
  EXPECT_EQ(v["global_store_inst"], kWarps);
  EXPECT_EQ(v["shared_load_inst"], kWarps);
  EXPECT_EQ(v["shared_store_inst"], kWarps);
  EXPECT_EQ(v["local_load_inst"], 0);
  EXPECT_EQ(v["local_store_inst"], 0);
  EXPECT_EQ(v["ffma_thread_inst"], 32 * kWarps * kKnownFfma);
  EXPECT_EQ(v["pipe_fp64_inst"], 0);
  EXPECT_EQ(v["pipe_tensor_inst"], 0);
  EXPECT_EQ(v["global_load_requests"], kWarps);
  EXPECT_EQ(v["global_load_sectors"], 4 * kWarps) << "32 lanes x 4 bytes are 4 sectors of 32 bytes";
  EXPECT_EQ(v["global_store_sectors"], 4 * kWarps);
  EXPECT_EQ(v["shared_load_wavefronts"], kWarps) << "no bank conflicts";
  EXPECT_EQ(v["threads_per_inst"], 32);
  EXPECT_EQ(v["thread_inst_executed"], 32 * v["inst_executed"]);
}

TEST_F(RangeCollectorOnGpu, CountsTwiceTheInstructionsInTwiceTheBlocks) {
  const Values one = Collect(Known(500)), two = Collect(Known(1000));
  EXPECT_GT(one.at("inst_executed"), 500 * kKnownThreads / 32.0 * kKnownFfma);
  EXPECT_EQ(two.at("inst_executed"), 2 * one.at("inst_executed"));
}

TEST_F(RangeCollectorOnGpu, StallsAddUpToTheActiveWarps) {
  const Values v = Collect(Busy());
  double stalls = 0;
  for (const auto& [metric, value] : v)
    if (metric.starts_with("stall_")) stalls += value;
  EXPECT_NEAR(stalls / v.at("warps_active"), 1.0, 0.01);
}

TEST_F(RangeCollectorOnGpu, ALaunchOfTwoKernelsIsTheSumOfBoth) {
  const double first = Collect(Known(300)).at("inst_executed"), second = Collect(Known(700)).at("inst_executed");
  const Counted both{{},
                     [] {
                       LaunchKnown(300, in_->data(), out_->data(), nullptr);
                       LaunchKnown(700, in_->data(), out_->data(), nullptr);
                     },
                     2};
  const Values together = Collect(both);
  EXPECT_EQ(together.at("inst_executed"), first + second);
  EXPECT_EQ(together.at("threads_per_inst"), 32) << "a ratio does not add up";
}

TEST_F(RangeCollectorOnGpu, ALaunchWhoseKernelsAreNotKnownIsCountedInARangeOfTheHosts) {
  const double one = Collect(Known(300)).at("inst_executed");
  for (const std::size_t said : {0, 1}) {  // not known, and wrong
    const Counted both{{},
                       [] {
                         LaunchKnown(300, in_->data(), out_->data(), nullptr);
                         LaunchKnown(300, in_->data(), out_->data(), nullptr);
                       },
                       said};
    EXPECT_EQ(Collect(both).at("inst_executed"), 2 * one) << said;
  }
  EXPECT_EQ(Collect(Known(300)).at("inst_executed"), one) << "automatic ranges still work after the host's";
}

TEST_F(RangeCollectorOnGpu, OneWrongNumberOfKernelsSpoilsNoNeighbour) {
  const double one = Collect(Known(300)).at("inst_executed");
  Counted two_said_to_be_one = Known(300);
  two_said_to_be_one.launch = [launch = two_said_to_be_one.launch] { launch(), launch(); };
  const auto all = Collect(std::vector<Counted>{Known(300), two_said_to_be_one, Known(300)});
  EXPECT_EQ(all[0].at("inst_executed"), one);
  EXPECT_EQ(all[1].at("inst_executed"), 2 * one);
  EXPECT_EQ(all[2].at("inst_executed"), one);
}

TEST_F(RangeCollectorOnGpu, TenLaunchesTogetherGiveWhatTenAloneGive) {
  std::vector<Counted> work;
  std::vector<double> alone, together;
  for (int i = 1; i <= 10; ++i) {
    work.push_back(Known(100 * i));
    alone.push_back(Collect(work.back()).at("inst_executed"));
  }
  for (const Values& v : Collect(work)) together.push_back(v.at("inst_executed"));
  EXPECT_EQ(together, alone);
}

TEST_F(RangeCollectorOnGpu, PreparesOutsideTheMeasuredRange) {
  // With a range of the host: an automatic one would take the preparing kernel for a launch of its own.
  Counted work = Known(100);
  work.kernels = 0;
  const double plain = Collect(work).at("inst_executed");
  work.prepare = [] { LaunchKnown(900, in_->data(), out_->data(), nullptr); };
  EXPECT_EQ(Collect(work).at("inst_executed"), plain);
}

// Cycles by the counter against cycles by the clock on the wall: what makes times of timing runs and counters of
// counting runs comparable.
TEST_F(RangeCollectorOnGpu, ElapsedCyclesAreTheTimeOfTheEventsTimesTheClock) {
  const Counted busy = Busy();
  Timer timer(CacheState::kHot);
  for (int i = 0; i < 20; ++i) timer.Measure(busy.launch);
  const TimedSample sample = timer.TakeSamples().back();
  ASSERT_GT(sample.time_us, 400) << "too short for the 3 % of this test: raise the rounds";
  ASSERT_TRUE(sample.clock_mhz);
  const double by_time = sample.time_us * *sample.clock_mhz;
  EXPECT_NEAR(Collect(busy).at("sm_cycles_elapsed_max") / by_time, 1.0, 0.03);
}

TEST_F(RangeCollectorOnGpu, ElapsedCyclesOfASpinAreTheCyclesThatItSpun) {
  constexpr long long kCycles = 1'000'000;
  const Counted spin{{}, [] { LaunchSpin(device_->sm_count, kCycles, nullptr); }};
  EXPECT_NEAR(Collect(spin).at("sm_cycles_elapsed_max") / kCycles, 1.0, 0.03);
}

TEST_F(RangeCollectorOnGpu, ReportsWhatItCost) {
  const auto before = collector_->Cost();
  Collect(std::vector<Counted>{Known(10), Known(10)});
  const auto after = collector_->Cost();
  EXPECT_EQ(after.launches, before.launches + 2);
  EXPECT_GT(after.launch_s, before.launch_s);
  EXPECT_EQ(after.set_up_s, before.set_up_s) << "set-up is paid once";
  EXPECT_GT(after.passes, 1u);
}

// Collectors of their own, after the other tests': CUPTI takes one at a time.
std::vector<std::vector<Reading>> CollectedWith(RangePlan plan, const Counted& work) {
  const auto device = CurrentDevice();
  RangeCollector collector(MetricSet::kCore, device->chip, plan);
  return collector.Collect({&work, 1}).front();
}

double ValueOf(const std::vector<Reading>& readings, const std::string& id) {
  for (const Reading& r : readings)
    if (r.metric.id == id && r.value) return *r.value;
  ADD_FAILURE() << id << " was not read";
  return std::nan("");
}

// The state of the caches that is counted is the one that the plan names.
class RangePlanOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = CurrentDevice();
    ASSERT_TRUE(device_) << "this test needs a GPU";
    count_ = static_cast<int>(device_->l2_bytes / 4 / 4);  // a quarter of L2
    data_ = std::make_unique<DeviceArray>(std::vector<float>(count_, 0.0f));
    out_ = std::make_unique<DeviceArray>(std::vector<float>(1, 0.0f));
  }
  Counted Read(Timer& timer) {
    return {[&] { timer.PrepareCaches(); }, [this] { LaunchRead(data_->data(), count_, out_->data(), nullptr); }};
  }
  std::optional<Device> device_;
  int count_ = 0;
  std::unique_ptr<DeviceArray> data_, out_;
};

TEST_F(RangePlanOnGpu, EveryRepetitionAfterItselfFindsItsDataInL2) {
  Timer hot(CacheState::kHot), flush(CacheState::kFlush);
  const auto repetitions = CollectedWith({3, true, 1}, {[&] { flush.PrepareCaches(); }, Read(hot).launch});
  ASSERT_EQ(repetitions.size(), 3u);
  for (const auto& readings : repetitions) EXPECT_LT(ValueOf(readings, "dram_read_bytes"), 0.25 * 4.0 * count_);
}

TEST_F(RangePlanOnGpu, EveryRepetitionAfterAFlushBringsItsDataFromDeviceMemory) {
  Timer flush(CacheState::kFlush);
  const auto repetitions = CollectedWith({3, false, 1}, Read(flush));
  ASSERT_EQ(repetitions.size(), 3u);
  for (const auto& readings : repetitions) EXPECT_GT(ValueOf(readings, "dram_read_bytes"), 0.9 * 4.0 * count_);
}

TEST_F(RangePlanOnGpu, TheTwoWaysOfCountingShareTheSetOut) {
  Timer hot(CacheState::kHot);
  std::size_t read = 0;
  for (const Counting counting : {Counting::kVaries, Counting::kEqual}) {
    const auto readings = CollectedWith({1, true, 1, counting}, Read(hot)).front();
    for (const Reading& r : readings) read += r.value.has_value();
  }
  std::size_t wanted = 0;
  for (const MetricDefinition& m : MetricsOf(MetricSource::kRange, MetricSet::kCore, device_->chip))
    wanted += !m.cupti_name.empty();
  EXPECT_EQ(read, wanted);
}

// A collector of its own, after the others': CUPTI takes one at a time, and this one may be refused for good.
// An automatic range opens at every kernel: one that prepares would shift all that follow, so nothing may be read then.
TEST(RangeCollectorMisused, NeverTakesAKernelOfThePreparationForTheLaunch) {
  const auto device = CurrentDevice();
  ASSERT_TRUE(device) << "this test needs a GPU";
  constexpr int kBlocks = 100;
  const DeviceArray in(std::vector<float>(10 * kBlocks * kKnownThreads, 0.5f)), out(in.Download());
  RangeCollector collector(MetricSet::kCore, device->chip);
  const auto collect = [&](const Counted& work) {
    std::optional<double> executed;
    const auto readings = collector.Collect({&work, 1});
    for (const Reading& r : readings.front().front())
      if (r.metric.id == "inst_executed") executed = r.value;
    return executed;
  };
  const auto launch = [&] { LaunchKnown(kBlocks, in.data(), out.data(), nullptr); };
  const auto plain = collect({{}, launch});
  if (!plain) GTEST_SKIP() << collector.Trouble()->text;
  const auto prepared = collect({[&] { LaunchKnown(9 * kBlocks, in.data(), out.data(), nullptr); }, launch});
  if (prepared) {
    EXPECT_EQ(prepared, plain);
  } else {
    EXPECT_TRUE(collector.Trouble()) << "nothing was read, and nobody says why";
  }
}

}  // namespace
}  // namespace culprit
