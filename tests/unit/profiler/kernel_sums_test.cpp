// SPDX-License-Identifier: Apache-2.0
#include "profiler/kernel_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "db/metric_catalogue.h"

namespace culprit {
namespace {

const double kMissing = std::nan("");

std::optional<double> Sum(std::vector<double> values) { return SumOverKernels(values); }
std::optional<double> Weighted(std::vector<double> values, std::vector<double> weights) {
  return MeanOverKernels(values, weights);
}

TEST(KernelSums, AddUpCountsAndCycles) {
  EXPECT_EQ(WeightOf("smsp__inst_executed.sum"), "");
  EXPECT_EQ(WeightOf("sm__cycles_elapsed.max"), "");
  EXPECT_EQ(Sum({300, 700}), 1000);
}

TEST(KernelSums, WeightPercentagesByTheCyclesThatTheyAreAShareOf) {
  EXPECT_EQ(WeightOf("sm__throughput.avg.pct_of_peak_sustained_elapsed"), kElapsedCycles);
  EXPECT_EQ(WeightOf("smsp__issue_active.avg.pct_of_peak_sustained_active"), kActiveCycles);
  EXPECT_EQ(Weighted({80, 20}, {900, 100}), 74);  // (72,000 + 2,000) / 1,000
}

TEST(KernelSums, WeightRatiosByInstructions) {
  EXPECT_EQ(WeightOf("smsp__thread_inst_executed_per_inst_executed.ratio"), kInstructions);
  EXPECT_EQ(Weighted({32, 8}, {10, 30}), 14);  // (320 + 240) / 40
}

TEST(KernelSums, OfOneKernelAreItsValueWhateverTheWeight) {
  EXPECT_EQ(Weighted({42}, {}), 42);
  EXPECT_EQ(Sum({0}), 0);
}

TEST(KernelSums, AreMissingWhereAnyKernelsValueOrWeightIs) {
  EXPECT_EQ(Sum({1, kMissing}), std::nullopt);
  EXPECT_EQ(Sum({kMissing}), std::nullopt);
  EXPECT_EQ(Weighted({1, 2}, {1, kMissing}), std::nullopt);
  EXPECT_EQ(Weighted({1, 2}, {}), std::nullopt);
  EXPECT_EQ(Weighted({1, 2}, {0, 0}), std::nullopt);
}

// A weight that is counted in another session would be missing.
TEST(KernelSums, HaveTheirWeightsAmongTheMetricsThatAreCountedInTheSameWay) {
  for (const CatalogueMetric& m : MetricCatalogue()) {
    const std::string_view weight = m.source == MetricSource::kRange ? WeightOf(m.name) : "";
    if (weight.empty()) continue;
    bool found = false;
    for (const CatalogueMetric& other : MetricCatalogue())
      found |= other.name == weight && other.counting == m.counting && other.set == MetricSet::kCore;
    EXPECT_TRUE(found) << m.name;
  }
}

// A new rollup would be added up without a thought.
TEST(KernelSums, KnowEveryRollupOfTheCatalogue) {
  for (const CatalogueMetric& m : MetricCatalogue()) {
    if (m.source != MetricSource::kRange) continue;
    const bool adds = m.name.ends_with(".sum") || m.name.ends_with(".max") || m.name.ends_with(".min") ||
                      m.name.ends_with("requests.avg");
    EXPECT_EQ(WeightOf(m.name).empty(), adds) << m.name;
  }
}

}  // namespace
}  // namespace culprit
