// SPDX-License-Identifier: Apache-2.0
// Collectors where there is nothing to collect from. On a machine with a GPU it is hidden, so that the tests are the
// same everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "db/metric_catalogue.h"
#include "db/sampled_counters.h"
#include "profiler/device_info.h"
#include "profiler/range_collector.h"
#include "profiler/sampled_collector.h"
#include "profiler/sass_collector.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

// CUDA reads this once, at its first call in a process.
[[maybe_unused]] const int kHidden = setenv("CUDA_VISIBLE_DEVICES", "-1", 1);

template <class Collector>
class WithoutGpu : public ::testing::Test {
 protected:
  static Collector Make(const std::string& chip = "GH100") { return Collector(MetricSet::kFull, chip); }
  static std::vector<MetricDefinition> Wanted(const std::string& chip = "GH100") {
    constexpr bool kRanges = std::is_same_v<Collector, RangeCollector>;
    return MetricsOf(kRanges ? MetricSource::kRange : MetricSource::kSass, MetricSet::kFull, chip);
  }
  // Must never run: there is nothing to run it on.
  const Counted work_{[this] { ++calls_; }, [this] { ++calls_; }};
  int calls_ = 0;
};

void ExpectUnread(const std::vector<Reading>& readings, const std::vector<MetricDefinition>& wanted) {
  ASSERT_EQ(readings.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(readings[i].metric.id, wanted[i].id);
    EXPECT_EQ(readings[i].value, std::nullopt) << wanted[i].id;
    EXPECT_NE(readings[i].status, ReadingStatus::kOk) << wanted[i].id;
    if (!wanted[i].cupti_name.empty()) continue;
    EXPECT_EQ(readings[i].status, ReadingStatus::kUnsupported) << wanted[i].id;
  }
}

using Collectors = ::testing::Types<RangeCollector, SassCollector>;
TYPED_TEST_SUITE(WithoutGpu, Collectors);

TYPED_TEST(WithoutGpu, EveryMetricHasAReadingWithoutAValue) {
  const auto readings = this->Make().Collect({&this->work_, 1});
  ASSERT_EQ(readings.size(), 1u);
  ExpectUnread(readings.front().front(), this->Wanted());
  EXPECT_EQ(this->calls_, 0);
}

TYPED_TEST(WithoutGpu, EveryPieceOfWorkHasItsReadings) {
  const std::vector<Counted> three(3, this->work_);
  const auto readings = this->Make().Collect(three);
  ASSERT_EQ(readings.size(), 3u);
  for (const auto& r : readings) ExpectUnread(r.front(), this->Wanted());
  EXPECT_EQ(this->calls_, 0);
}

TYPED_TEST(WithoutGpu, TroubleIsASentence) {
  auto c = this->Make();
  c.Collect({&this->work_, 1});
  ASSERT_TRUE(c.Trouble());
  EXPECT_FALSE(c.Trouble()->code.empty());
  EXPECT_THAT(c.Trouble()->text, HasSubstr("not read"));
  EXPECT_EQ(c.Trouble()->text.find('\n'), std::string::npos);
}

TYPED_TEST(WithoutGpu, TheSecondTryGivesTheSame) {
  auto c = this->Make();
  const auto first = c.Collect({&this->work_, 1});
  const std::string trouble = c.Trouble().value().text;
  const auto second = c.Collect({&this->work_, 1});
  ASSERT_EQ(second.size(), 1u);
  ASSERT_EQ(second.front().front().size(), first.front().front().size());
  for (std::size_t i = 0; i < first.front().front().size(); ++i)
    EXPECT_EQ(second.front().front()[i].status, first.front().front()[i].status) << first.front().front()[i].metric.id;
  EXPECT_EQ(c.Trouble().value().text, trouble);
  EXPECT_EQ(this->calls_, 0);
}

TYPED_TEST(WithoutGpu, NoWorkIsNoTrouble) {
  auto c = this->Make();
  EXPECT_TRUE(c.Collect({}).empty());
  EXPECT_FALSE(c.Trouble());
}

TYPED_TEST(WithoutGpu, AnUnknownChipIsNoCrash) {
  for (const char* chip : {"", "XX100"}) {
    auto c = this->Make(chip);
    const auto readings = c.Collect({&this->work_, 1});
    ASSERT_EQ(readings.size(), 1u);
    ExpectUnread(readings.front().front(), this->Wanted(chip));
    EXPECT_TRUE(c.Trouble()) << "'" << chip << "'";
  }
  EXPECT_EQ(this->calls_, 0);
}

TYPED_TEST(WithoutGpu, ACollectorThatIsNeverAskedTouchesNothing) { EXPECT_FALSE(this->Make().Trouble()); }

TEST(CollectorCost, IsNothingWhenNothingWasCollected) {
  RangeCollector collector(MetricSet::kCore, "GH100");
  const Counted work{{}, [] {}};
  collector.Collect({&work, 1});
  EXPECT_EQ(collector.Cost().launches, 0);
  EXPECT_EQ(collector.Cost().launch_s, 0);
}

TEST(SampledCollector, ReadsNothingAndRunsNothing) {
  int calls = 0;
  const std::vector<Counted> two(2, {[&] { ++calls; }, [&] { ++calls; }});
  SampledCollector collector("GH100");
  EXPECT_TRUE(collector.Warnings().empty());
  for (int again = 0; again < 2; ++again) {
    const std::vector<SampledLaunch> launches = collector.Collect(two);
    ASSERT_EQ(launches.size(), 2u);
    for (const SampledLaunch& launch : launches) {
      EXPECT_EQ(launch.clock_mhz, std::nullopt);
      std::size_t read = 0;
      for (const CounterTurn& list : CounterTurnsOn("GH100"))
        for (const TurnCounter& counter : list.counters) {
          if (counter.id == kClockCounter) continue;
          ASSERT_LT(read, launch.readings.size());
          const Reading& reading = launch.readings[read++];
          EXPECT_EQ(reading.metric.id, counter.id);
          EXPECT_EQ(reading.metric.source, kSampledSource);
          EXPECT_EQ(reading.value, std::nullopt) << counter.id;
          EXPECT_EQ(reading.status, ReadingStatus::kFailed) << counter.id;
        }
      EXPECT_EQ(read, launch.readings.size());
    }
    ASSERT_EQ(collector.Warnings().size(), 1u) << "one refusal is one sentence";
    EXPECT_THAT(collector.Warnings().front().text, HasSubstr("not read"));
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(collector.Cost().launches, 0);
}

TEST(SampledCollector, SaysThatAChipCannotSample) {
  const Counted work{{}, [] { FAIL() << "there is nothing to run it on"; }};
  SampledCollector collector("XX100");
  EXPECT_TRUE(collector.Collect({&work, 1}).front().readings.empty());
  ASSERT_EQ(collector.Warnings().size(), 1u);
  EXPECT_THAT(collector.Warnings().front().text, HasSubstr("(XX100) cannot sample"));
}

TEST(SassCollector, NamesNoFunctionWhenNothingWasCounted) {
  SassCollector collector(MetricSet::kFull, "GH100");
  const Counted work{{}, [] {}};
  collector.Collect({&work, 1});
  EXPECT_EQ(collector.Function(), "");
  EXPECT_EQ(collector.Cost().launches, 0);
}

TEST(DeviceInfo, IsNothingWithASentenceWhereThereIsNoGpu) {
  std::string why;
  EXPECT_EQ(CurrentDevice(&why).has_value(), false);
  EXPECT_THAT(why, HasSubstr("no CUDA device here: "));
  EXPECT_EQ(CurrentDevice().has_value(), false) << "nobody need ask why";
}

TEST(DeviceInfo, NamesNoChipWhereThereIsNoGpu) { EXPECT_EQ(ChipName(), ""); }

TEST(DeviceInfo, KnowsItsCompilersAndLibrariesWithoutAGpu) {
  const Toolchain t = CurrentToolchain();
  EXPECT_THAT(t.cuda_runtime, ::testing::MatchesRegex("[0-9]+\\.[0-9]+"));
  EXPECT_THAT(t.nvcc, ::testing::MatchesRegex("[0-9]+\\.[0-9]+.*"));
  EXPECT_FALSE(t.host_compiler.empty());
  EXPECT_GT(std::stoi(t.cupti), 0);
}

}  // namespace
}  // namespace culprit
