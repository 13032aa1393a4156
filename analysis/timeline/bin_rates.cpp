// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/bin_rates.h"

#include <algorithm>
#include <numeric>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

UnitCounts CountsOf(const TimelineTurn& turn, std::size_t first, std::size_t end) {
  UnitCounts counts;
  for (std::size_t b = first; b < end; ++b) counts.time_ns += turn.covered_ns[b];
  for (const TimelineCounter& counter : turn.counters) {
    std::optional<double> sum;
    for (std::size_t b = first; b < end; ++b)
      if (counter.sums[b]) sum = sum.value_or(0) + *counter.sums[b];
    if (!sum) continue;
    if (counter.metric.id == kClockCounter) counts.cycles = sum;
    counts.counts[counter.metric.id] = *sum;
  }
  return counts;
}

bool Counts(const TimelineTurn& turn, const UnitRate& rate) {
  const auto has = [&](std::string_view id) {
    return std::ranges::any_of(turn.counters, [&](const TimelineCounter& c) { return c.metric.id == id; });
  };
  if (rate.unit == Unit::kMhz) return has(kClockCounter);
  return std::ranges::all_of(rate.metrics, [&](std::string_view id) { return id.empty() || has(id); });
}

double CoveredNs(const TimelineTurn& turn) {
  return std::accumulate(turn.covered_ns.begin(), turn.covered_ns.end(), 0.0);
}

}  // namespace

std::set<int> GpusOf(const TimelineRecord& timeline) {
  std::set<int> gpus;
  for (const TimelineLaunch& launch : timeline.launches) gpus.insert(launch.gpu);
  for (const TimelineCopy& copy : timeline.copies) gpus.insert(copy.gpu);
  for (const TimelineTurn& turn : timeline.turns) gpus.insert(turn.gpu);
  return gpus;
}

std::optional<double> RateOver(const RateSeries& series, std::size_t first, std::size_t end, const Device& device) {
  return RateOf(*series.rate, CountsOf(*series.turn, first, std::min(end, series.turn->covered_ns.size())), device);
}

std::vector<RateSeries> RatesOf(const TimelineRecord& timeline, int gpu, const Device& device) {
  std::vector<RateSeries> rates;
  for (const UnitRate& rate : UnitRates()) {
    RateSeries series{&rate};
    double most = 0;
    for (const TimelineTurn& turn : timeline.turns)
      if (turn.gpu == gpu && Counts(turn, rate) && CoveredNs(turn) > most) most = CoveredNs(turn), series.turn = &turn;
    if (series.turn == nullptr) continue;
    for (std::size_t b = 0; b < series.turn->covered_ns.size(); ++b)
      series.bins.push_back(RateOver(series, b, b + 1, device));
    if (timeline.span_ns > 0) series.covered = std::min(1.0, most / static_cast<double>(timeline.span_ns));
    rates.push_back(std::move(series));
  }
  return rates;
}

}  // namespace culprit
