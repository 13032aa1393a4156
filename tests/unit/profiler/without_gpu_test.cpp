// SPDX-License-Identifier: Apache-2.0
// Collectors where there is nothing to collect from. On a machine with a GPU it is hidden, so that the tests are the
// same everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "db/metric_catalogue.h"
#include "profiler/device_info.h"
#include "profiler/range_collector.h"
#include "profiler/sass_collector.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

// CUDA reads this once, at its first call in a process.
[[maybe_unused]] const int kHidden = setenv("CUDA_VISIBLE_DEVICES", "-1", 1);

struct Case {
  const char* name;
  MetricSource source;
  std::unique_ptr<Collector> (*make)(const std::string& chip);
};

template <class T>
std::unique_ptr<Collector> Make(const std::string& chip) {
  return std::make_unique<T>(MetricSet::kFull, chip);
}

class WithoutGpu : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Collector> collector(const std::string& chip = "GH100") { return GetParam().make(chip); }
  std::vector<MetricDefinition> wanted(const std::string& chip = "GH100") {
    return MetricsOf(GetParam().source, MetricSet::kFull, chip);
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

TEST_P(WithoutGpu, EveryMetricHasAReadingWithoutAValue) {
  const auto readings = collector()->Collect({&work_, 1});
  ASSERT_EQ(readings.size(), 1u);
  ExpectUnread(readings.front().front(), wanted());
  EXPECT_EQ(calls_, 0);
}

TEST_P(WithoutGpu, EveryPieceOfWorkHasItsReadings) {
  const std::vector<Counted> three(3, work_);
  const auto readings = collector()->Collect(three);
  ASSERT_EQ(readings.size(), 3u);
  for (const auto& r : readings) ExpectUnread(r.front(), wanted());
  EXPECT_EQ(calls_, 0);
}

TEST_P(WithoutGpu, TroubleIsASentence) {
  const auto c = collector();
  c->Collect({&work_, 1});
  ASSERT_TRUE(c->Trouble());
  EXPECT_FALSE(c->Trouble()->code.empty());
  EXPECT_THAT(c->Trouble()->text, HasSubstr("not read"));
  EXPECT_EQ(c->Trouble()->text.find('\n'), std::string::npos);
}

TEST_P(WithoutGpu, TheSecondTryGivesTheSame) {
  const auto c = collector();
  const auto first = c->Collect({&work_, 1});
  const std::string trouble = c->Trouble().value().text;
  const auto second = c->Collect({&work_, 1});
  ASSERT_EQ(second.size(), 1u);
  ASSERT_EQ(second.front().front().size(), first.front().front().size());
  for (std::size_t i = 0; i < first.front().front().size(); ++i)
    EXPECT_EQ(second.front().front()[i].status, first.front().front()[i].status) << first.front().front()[i].metric.id;
  EXPECT_EQ(c->Trouble().value().text, trouble);
  EXPECT_EQ(calls_, 0);
}

TEST_P(WithoutGpu, NoWorkIsNoTrouble) {
  const auto c = collector();
  EXPECT_TRUE(c->Collect({}).empty());
  EXPECT_FALSE(c->Trouble());
}

TEST_P(WithoutGpu, AnUnknownChipIsNoCrash) {
  for (const char* chip : {"", "XX100"}) {
    const auto c = collector(chip);
    const auto readings = c->Collect({&work_, 1});
    ASSERT_EQ(readings.size(), 1u);
    ExpectUnread(readings.front().front(), wanted(chip));
    EXPECT_TRUE(c->Trouble()) << "'" << chip << "'";
  }
  EXPECT_EQ(calls_, 0);
}

TEST_P(WithoutGpu, ACollectorThatIsNeverAskedTouchesNothing) { EXPECT_FALSE(collector()->Trouble()); }

INSTANTIATE_TEST_SUITE_P(Both, WithoutGpu,
                         ::testing::Values(Case{"Range", MetricSource::kRange, Make<RangeCollector>},
                                           Case{"Sass", MetricSource::kSass, Make<SassCollector>}),
                         [](const auto& p) { return p.param.name; });

TEST(CollectorCost, IsNothingWhenNothingWasCollected) {
  RangeCollector collector(MetricSet::kCore, "GH100");
  const Counted work{{}, [] {}};
  collector.Collect({&work, 1});
  EXPECT_EQ(collector.Cost().launches, 0);
  EXPECT_EQ(collector.Cost().launch_s, 0);
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

TEST(DeviceInfo, SpellsTheArchitectureAsCompilersDo) {
  Device device;
  device.cc_major = 9;
  EXPECT_EQ(ArchOf(device), "sm_90");
  device.cc_major = 12, device.cc_minor = 1;
  EXPECT_EQ(ArchOf(device), "sm_121");
}

TEST(DeviceInfo, KnowsItsCompilersAndLibrariesWithoutAGpu) {
  const Toolchain t = CurrentToolchain();
  EXPECT_THAT(t.cuda_runtime, ::testing::MatchesRegex("[0-9]+\\.[0-9]+"));
  EXPECT_THAT(t.nvcc, ::testing::MatchesRegex("[0-9]+\\.[0-9]+.*"));
  EXPECT_FALSE(t.host_compiler.empty());
  EXPECT_GT(std::stoi(t.cupti), 0);
}

}  // namespace
}  // namespace culprit
