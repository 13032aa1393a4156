// SPDX-License-Identifier: Apache-2.0
// The table by itself; what CUPTI says about its names is in metric_host_test.cpp.
#include "db/metric_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace culprit {
namespace {

using ::testing::Contains;
using ::testing::Each;

std::vector<std::string> IdsOf(const std::vector<MetricDefinition>& metrics) {
  std::vector<std::string> ids;
  for (const MetricDefinition& m : metrics) ids.push_back(m.id);
  return ids;
}

const CatalogueMetric& Find(std::string_view id) {
  const auto table = MetricCatalogue();
  return *std::find_if(table.begin(), table.end(), [&](const CatalogueMetric& m) { return m.id == id; });
}

TEST(MetricCatalogue, NamesEveryMetricOnce) {
  std::set<std::string_view> ids;
  for (const CatalogueMetric& m : MetricCatalogue()) EXPECT_TRUE(ids.insert(m.id).second) << m.id;
}

TEST(MetricCatalogue, AsksCuptiForNothingTwice) {
  for (const char* chip : {"GH100", "GB202"}) {
    std::set<std::string> names;
    for (const MetricSource source : {MetricSource::kRange, MetricSource::kSass})
      for (const MetricDefinition& m : MetricsOf(source, MetricSet::kFull, chip)) {
        if (m.cupti_name.empty()) continue;
        EXPECT_TRUE(names.insert(m.cupti_name).second) << m.id << " on " << chip;
      }
  }
}

TEST(MetricCatalogue, WritesIdsInSnakeCase) {
  const std::regex snake_case("[a-z][a-z0-9]*(_[a-z0-9]+)*");
  for (const CatalogueMetric& m : MetricCatalogue())
    EXPECT_TRUE(std::regex_match(std::string(m.id), snake_case)) << m.id;
}

TEST(MetricCatalogue, SaysTheUnitAndTheMeaningOfEveryMetric) {
  for (const CatalogueMetric& m : MetricCatalogue()) {
    EXPECT_FALSE(m.unit.empty()) << m.id;
    EXPECT_FALSE(m.meaning.empty()) << m.id;
    EXPECT_EQ(m.meaning.find('\n'), m.meaning.npos) << m.id;
  }
}

TEST(MetricCatalogue, MarksPercentagesByTheirId) {
  for (const CatalogueMetric& m : MetricCatalogue()) EXPECT_EQ(m.id.ends_with("_pct"), m.unit == "%") << m.id;
}

TEST(MetricCatalogue, CallsAStallBySuffixOfItsCounter) {
  for (const CatalogueMetric& m : MetricCatalogue()) {
    if (!m.id.starts_with("stall_")) continue;
    EXPECT_EQ(m.name, "smsp__warps_issue_stalled_" + std::string(m.id.substr(6)) + ".sum");
    EXPECT_EQ(m.unit, "warp-cycle") << m.id;
    EXPECT_EQ(m.set, MetricSet::kCore) << m.id << ": the stall stack must add up without --profile=full";
  }
}

TEST(MetricCatalogue, SpellsAMetricAsItsChipDoes) {
  const CatalogueMetric& read = Find("dram_read_bytes");
  EXPECT_EQ(NameOn(read, "GH100"), "dram__bytes_read.sum");
  EXPECT_EQ(NameOn(read, "GB100"), "dram__bytes_read.sum");
  EXPECT_EQ(NameOn(read, "GB202"), "dram__bytes_op_read.sum");
  EXPECT_EQ(NameOn(read, "GB20B"), std::nullopt) << "the more special entry stands first";
}

TEST(MetricCatalogue, KnowsWhatAChipLacks) {
  EXPECT_EQ(NameOn(Find("stall_gmma"), "GA100"), std::nullopt);
  EXPECT_NE(NameOn(Find("stall_gmma"), "GH100"), std::nullopt);
  EXPECT_NE(NameOn(Find("stall_imc_miss"), "GH100"), std::nullopt);
  EXPECT_EQ(NameOn(Find("stall_imc_miss"), "GB100"), std::nullopt);
}

TEST(MetricCatalogue, ComparesChipsByPrefix) {
  const CatalogueMetric metric{"m",
                               MetricSource::kRange,
                               MetricSet::kCore,
                               Counting::kEqual,
                               "usual",
                               "inst",
                               "one",
                               {{"GA10 GB20", "other"}, {"GA", ""}}};
  EXPECT_EQ(NameOn(metric, "GA102"), "other");
  EXPECT_EQ(NameOn(metric, "GB202"), "other");
  EXPECT_EQ(NameOn(metric, "GA200"), std::nullopt);
  EXPECT_EQ(NameOn(metric, "GB100"), "usual");
  EXPECT_EQ(NameOn(metric, "GA1"), std::nullopt) << "a prefix longer than the chip's name does not cover it";
  EXPECT_EQ(NameOn(metric, ""), "usual");
}

TEST(MetricCatalogue, KeepsCoreAPartOfFullInTheSameOrder) {
  for (const MetricSource source : {MetricSource::kRange, MetricSource::kSass}) {
    const auto core = IdsOf(MetricsOf(source, MetricSet::kCore, "GH100"));
    auto full = IdsOf(MetricsOf(source, MetricSet::kFull, "GH100"));
    const std::set<std::string> in_core(core.begin(), core.end());
    EXPECT_GT(full.size(), core.size());
    std::erase_if(full, [&](const std::string& id) { return !in_core.contains(id); });
    EXPECT_EQ(full, core);
  }
}

TEST(MetricCatalogue, ListsMetricsInTheTablesOrder) {
  std::vector<std::string> range, sass;
  for (const CatalogueMetric& m : MetricCatalogue())
    (m.source == MetricSource::kRange ? range : sass).emplace_back(m.id);
  EXPECT_EQ(IdsOf(MetricsOf(MetricSource::kRange, MetricSet::kFull, "GA100")), range);
  EXPECT_EQ(IdsOf(MetricsOf(MetricSource::kSass, MetricSet::kFull, "GA100")), sass);
}

TEST(MetricCatalogue, KeepsAMetricThatTheChipLacksWithoutAName) {
  const auto metrics = MetricsOf(MetricSource::kRange, MetricSet::kCore, "GA100");
  const auto gmma = std::find_if(metrics.begin(), metrics.end(), [](const auto& m) { return m.id == "stall_gmma"; });
  ASSERT_NE(gmma, metrics.end());
  EXPECT_EQ(gmma->cupti_name, "");
}

TEST(MetricCatalogue, PatchesNoCodeForCoreMetrics) {
  EXPECT_TRUE(MetricsOf(MetricSource::kSass, MetricSet::kCore, "GH100").empty());
}

TEST(MetricCatalogue, TellsTheSourcesApart) {
  std::vector<std::string> sources;
  for (const auto& m : MetricsOf(MetricSource::kRange, MetricSet::kFull, "GH100")) sources.push_back(m.source);
  EXPECT_THAT(sources, Each("range"));
  sources.clear();
  for (const auto& m : MetricsOf(MetricSource::kSass, MetricSet::kFull, "GH100")) sources.push_back(m.source);
  EXPECT_THAT(sources, Each("sass"));
}

}  // namespace
}  // namespace culprit
