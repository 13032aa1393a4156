// SPDX-License-Identifier: Apache-2.0
// The catalogue against CUPTI's host API, which knows every chip and needs no GPU.
#include "profiler/metric_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "db/error.h"
#include "db/metric_catalogue.h"
#include "db/sampled_counters.h"
#include "profiler/cupti_call.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// Chips that CUPTI of CUDA 13.0 knows, Ampere and later. A newer toolkit's newcomers are looked at by
// NotesWhatChipsOfANewerToolkitLack.
const std::vector<std::string>& Chips() {
  static const std::vector<std::string> chips = {"GA100", "GA102", "GA103", "GA104", "GA106", "GA107", "GA10B", "AD102",
                                                 "AD103", "AD104", "AD106", "AD107", "GH100", "GB100", "GB102", "GB110",
                                                 "GB10B", "GB202", "GB203", "GB205", "GB206", "GB207", "GB20B"};
  return chips;
}

// Replay passes with CUDA 13.0: 8 for what varies of core, 13 to 17 of full, 7 or 8 for what does not. One pass per
// metric, which is what adding them one by one gives, would be five times as many; the bounds leave room for another
// toolkit's planner.
constexpr std::size_t kMostCorePasses = 12;
constexpr std::size_t kMostFullPasses = 24;
constexpr std::size_t kMostEqualPasses = 12;

std::vector<const char*> Names(const std::vector<MetricDefinition>& metrics) {
  std::vector<const char*> names;
  for (const MetricDefinition& m : metrics)
    if (!m.cupti_name.empty()) names.push_back(m.cupti_name.c_str());
  return names;
}

// Of the metrics that are counted in one way, scheduled in one call; 0 when CUPTI refuses it.
std::size_t Passes(const std::string& chip, MetricSet set, Counting counting) {
  const auto metrics = MetricsOf(MetricSource::kRange, set, chip, counting);
  MetricHost host(chip);
  if (!host.Add(Names(metrics))) return 0;
  auto image = host.ConfigImage();
  return MetricHost::PassCount(image);
}

std::set<std::string> SassNames(const std::string& chip) {
  std::set<std::string> names;
  for (const SassMetric& m : SassMetricsOn(chip)) names.insert(m.name);
  return names;
}

std::vector<std::string> SupportedChips() {
  auto p = Params<CUpti_Profiler_Host_GetSupportedChips_Params>();
  Check(cuptiProfilerHostGetSupportedChips(&p), "list the chips that CUPTI knows");
  return {p.ppChipNames, p.ppChipNames + p.numChips};
}

class MetricHostOn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto known = SupportedChips();
    if (std::find(known.begin(), known.end(), chip()) == known.end())
      GTEST_SKIP() << "this toolkit's CUPTI does not know " << chip();
  }
  const std::string& chip() { return GetParam(); }
};

TEST_P(MetricHostOn, ResolvesEveryMetricThatTheCatalogueNames) {
  for (const MetricDefinition& m : MetricsOf(MetricSource::kRange, MetricSet::kFull, chip())) {
    if (m.cupti_name.empty()) continue;
    EXPECT_TRUE(MetricExists(chip(), m.cupti_name.c_str())) << m.id << ": " << m.cupti_name;
  }
}

TEST_P(MetricHostOn, LacksEveryMetricThatTheCatalogueSaysItLacks) {
  for (const CatalogueMetric& m : MetricCatalogue()) {
    if (m.source != MetricSource::kRange || NameOn(m, chip())) continue;
    EXPECT_FALSE(MetricExists(chip(), std::string(m.name).c_str())) << m.id << ": " << m.name;
    for (const ChipSpelling& other : m.other) {
      if (other.name.empty()) continue;
      EXPECT_FALSE(MetricExists(chip(), std::string(other.name).c_str())) << other.name;
    }
  }
}

TEST_P(MetricHostOn, SchedulesEachSetTogetherInFewPasses) {
  const std::size_t varying = Passes(chip(), MetricSet::kCore, Counting::kVaries),
                    equal = Passes(chip(), MetricSet::kCore, Counting::kEqual);
  EXPECT_GT(varying, 0u) << "CUPTI refuses what varies of the core set";
  EXPECT_GT(equal, 0u) << "CUPTI refuses what is equal of the core set";
  const std::size_t full = Passes(chip(), MetricSet::kFull, Counting::kVaries);
  EXPECT_GE(full, varying) << "CUPTI refuses the full set, if this is 0";
  std::printf("%-6s %zu passes that vary, full %zu, and %zu that do not\n", chip().c_str(), varying, full, equal);
  EXPECT_LE(varying, kMostCorePasses);
  EXPECT_LE(full, kMostFullPasses);
  EXPECT_LE(equal, kMostEqualPasses);
}

TEST_P(MetricHostOn, HasNoStallReasonThatTheCatalogueForgets) {
  constexpr std::string_view kPrefix = "smsp__warps_issue_stalled_";
  const auto catalogued = [&](std::string_view suffix) {
    return std::ranges::any_of(MetricCatalogue(), [&](const CatalogueMetric& m) {
      if (!m.id.starts_with("stall_")) return false;
      const std::string_view reason = std::string_view(m.id).substr(6);
      // "mio_throttle_pipe_mio" is a part of mio_throttle: counting both would count it twice.
      return suffix == reason || suffix.starts_with(std::string(reason) + "_pipe_") ||
             suffix == std::string(reason) + "_not_issued";
    });
  };
  int seen = 0;
  for (const std::string& counter : MetricHost(chip()).BaseCounters()) {
    if (!counter.starts_with(kPrefix) || counter.find("TriageCompute") != counter.npos) continue;
    EXPECT_TRUE(catalogued(std::string_view(counter).substr(kPrefix.size()))) << counter;
    ++seen;
  }
  EXPECT_GE(seen, 17) << "every chip so far has at least these many: is the prefix still right?";
}

// One configuration is one pass: kernels are not replayed.
TEST_P(MetricHostOn, SchedulesEachTurnOfSampledCountersInOnePass) {
  std::set<std::string_view> ids;
  for (const CounterTurn& turn : CounterTurnsOn(chip())) {
    EXPECT_FALSE(turn.what.empty());
    std::vector<const char*> names;
    for (const TurnCounter& counter : turn.counters) names.push_back(counter.name.data());
    MetricHost host(chip(), {}, MetricHost::For::kSampling);
    ASSERT_TRUE(host.Add(names)) << turn.what;
    std::vector<std::uint8_t> config = host.ConfigImage();
    EXPECT_EQ(MetricHost::PassCount(config), 1u) << turn.what;
    EXPECT_EQ(turn.counters.front().id, kClockCounter);
    for (const TurnCounter& counter : turn.counters) {
      EXPECT_EQ(SampledMetric(counter.id, counter.name).source, kSampledSource);
      EXPECT_TRUE(counter.id == kClockCounter || ids.insert(counter.id).second) << counter.id << " is in two turns";
    }
  }
  const bool is_integrated = chip() == "GA10B" || chip() == "GB10B" || chip() == "GB20B";
  EXPECT_EQ(ids.empty(), is_integrated);
  EXPECT_EQ(WereSampledCountersCompared(chip()), chip() == "GH100");
}

TEST_P(MetricHostOn, ListsEverySassMetricOfTheCatalogue) {
  const auto names = SassNames(chip());
  for (const MetricDefinition& m : MetricsOf(MetricSource::kSass, MetricSet::kFull, chip())) {
    if (m.cupti_name.empty()) continue;
    EXPECT_THAT(names, Contains(m.cupti_name)) << m.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Chip, MetricHostOn, ::testing::ValuesIn(Chips()), [](const auto& p) { return p.param; });

TEST(MetricHost, KnowsAtLeastOneChipOfEachGenerationFromAmpereOn) {
  EXPECT_THAT(SupportedChips(), AllOf(Contains("GA100"), Contains("GA102"), Contains("AD102"), Contains("GH100")));
}

// Information, for whoever moves to the next toolkit: nothing of this is a mistake of ours yet.
TEST(MetricHost, NotesWhatChipsOfANewerToolkitLack) {
  int newer = 0;
  for (const std::string& chip : SupportedChips()) {
    if (chip.starts_with("GV") || chip.starts_with("TU")) continue;
    if (std::find(Chips().begin(), Chips().end(), chip) != Chips().end()) continue;
    ++newer;
    std::printf("%s is not in our list\n", chip.c_str());
    for (const MetricDefinition& m : MetricsOf(MetricSource::kRange, MetricSet::kFull, chip))
      if (!m.cupti_name.empty() && !MetricExists(chip, m.cupti_name.c_str()))
        std::printf("  lacks %s (%s)\n", m.id.c_str(), m.cupti_name.c_str());
  }
  RecordProperty("chips_not_in_our_list", newer);
}

TEST(MetricHost, RefusesAnUnknownChipWithASentence) {
  try {
    MetricHost host("XX100");
    FAIL() << "CUPTI knows XX100?";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot load the metrics of XX100"));
  }
}

TEST(MetricHost, RefusesANameThatNoChipHas) { EXPECT_FALSE(MetricExists("GH100", "smsp__unicorns.sum")); }

TEST(MetricHost, RefusesAllOfACallThatHasOneWrongName) {
  MetricHost host("GH100");
  EXPECT_FALSE(host.Add({"smsp__inst_executed.sum", "smsp__unicorns.sum"}));
}

TEST(MetricHost, ListsCountersByTheirBaseName) {
  EXPECT_THAT(MetricHost("GH100").BaseCounters(),
              AllOf(Contains("smsp__warps_active"), Contains("smsp__inst_executed")));
}

// Each of these tests is a process of its own under ctest: here nothing has called CUPTI's profiler before.
TEST(SassMetrics, AreListedInAProcessThatUsedNoProfilerBefore) {
  EXPECT_THAT(SassNames("GH100"), Contains("smsp__sass_inst_executed"));
}

TEST(SassMetrics, OfAnUnknownChipAreRefusedWithASentence) {
  try {
    SassMetricsOn("XX100");
    FAIL() << "CUPTI knows XX100?";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("XX100"));
  }
}

}  // namespace
}  // namespace culprit
