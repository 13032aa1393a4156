// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/launch_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

// Counters of other launches differ from sampled ones of the same launches by 5 % in one of 20 cases. Beyond twice that,
// and beyond three errors of the sampled value, the launches differ.
constexpr double kApart = 0.10;
constexpr double kBeyond = 3;
// A sampled total with a larger error scales nothing.
constexpr double kPrecise = 0.05;

constexpr std::string_view kL1Sectors = "l1_sectors";  // hits and misses together
constexpr std::string_view kInstructions = "inst_executed", kCycles = "smsp_cycles_elapsed";
// Samples count all four sub-partitions of an SM with a warp, replay those with a warp.
constexpr std::string_view kCountedOtherwise = "smsp_cycles_active";

// The total that counts the same thing as all metrics whose ids begin like this. The first that fits.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTotals = {{
    {"stall_", "warps_active"},
    {"warps_", "warps_active"},
    {"smsp_cycles_", kCycles},
    {"sm_cycles_", kCycles},
    {"shared_", "shared_wavefronts"},
    {"l1_", kL1Sectors},
    {"global_", kL1Sectors},
    {"local_", kL1Sectors},
    {"l2_", "l2_sectors"},
    {"dram_", "dram_read_bytes"},
}};

constexpr std::array<std::string_view, 4> kDeciding = {kInstructions, "warps_active", "shared_wavefronts", kL1Sectors};

struct Counted {
  double value = 0, variance = 0;
};

using Counts = std::map<std::string, Counted, std::less<>>;

// By metric id, of one kind of source.
Counts CountsOf(const KernelRecord& kernel, bool sampled) {
  Counts counts;
  for (const Reading& reading : kernel.readings) {
    const std::string& source = reading.metric.source;
    if (source == "launch" || !reading.value || (source == kSampledSource) != sampled) continue;
    const double error = reading.error.value_or(0);
    counts.try_emplace(reading.metric.id, Counted{*reading.value, error * error});
  }
  if (const auto hit = counts.find("l1_sectors_hit"), miss = counts.find("l1_sectors_miss");
      hit != counts.end() && miss != counts.end())
    counts[std::string(kL1Sectors)] = {hit->second.value + miss->second.value,
                                       hit->second.variance + miss->second.variance};
  return counts;
}

bool IsRatio(const MetricDefinition& metric) {
  return metric.unit == "%" || metric.unit == "ratio" || metric.unit == "thread";
}

bool Differ(const Counted& sampled, double replayed) {
  return std::abs(std::log(sampled.value / replayed)) > std::log1p(kApart) &&
         std::abs(sampled.value - replayed) > kBeyond * std::sqrt(sampled.variance);
}

bool IsPrecise(const Counted& sampled) {
  return sampled.value > 0 && std::sqrt(sampled.variance) <= kPrecise * sampled.value;
}

}  // namespace

LaunchWeights::LaunchWeights(const KernelRecord& kernel) {
  const Counts sampled = CountsOf(kernel, true);
  if (sampled.empty()) return;  // as in most recordings
  const Counts replayed = CountsOf(kernel, false);
  for (const auto& [id, count] : sampled) {
    const auto other = replayed.find(id);
    if (other == replayed.end() || !(other->second.value > 0) || !IsPrecise(count) || id == kCountedOtherwise) continue;
    totals_[id] = count.value / other->second.value;
    scaled_ |= std::ranges::find(kDeciding, id) != kDeciding.end() && Differ(count, other->second.value);
  }
  const auto all = sampled.find(kInstructions);
  const auto exact = replayed.find("sass_inst");
  if (all != sampled.end() && exact != replayed.end() && exact->second.value > 0 && IsPrecise(all->second) &&
      Differ(all->second, exact->second.value))
    of_exact_ = all->second.value / exact->second.value;
  else if (scaled_ && exact == replayed.end())
    of_exact_ = FactorOfTotal(kInstructions).value_or(1);
  scaled_ |= of_exact_ != 1;
}

std::optional<double> LaunchWeights::FactorOfTotal(std::string_view id) const {
  const auto found = totals_.find(id);
  return found == totals_.end() ? std::nullopt : std::optional(found->second);
}

double LaunchWeights::FactorOf(const MetricDefinition& metric) const {
  if (!scaled_ || metric.source == kSampledSource || metric.source == "launch" || IsRatio(metric)) return 1;
  if (metric.source == "sass") return of_exact_;
  if (const auto own = FactorOfTotal(metric.id)) return *own;
  const auto total = std::ranges::find_if(kTotals, [&](const auto& rule) { return metric.id.starts_with(rule.first); });
  if (total != kTotals.end())
    if (const auto factor = FactorOfTotal(total->second)) return *factor;
  return FactorOfTotal(kInstructions).value_or(1);
}

}  // namespace culprit
