// SPDX-License-Identifier: Apache-2.0
#include "bench/program/program_timeline.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "bench/program/counter_turns.h"

namespace culprit {
namespace {

// 0: there are no records.
std::int64_t MedianLength(std::span<const GpuCounters> gpus) {
  std::vector<std::int64_t> lengths;
  for (const GpuCounters& gpu : gpus)
    for (const TracedCounters* counters : gpu.counters)
      for (std::size_t r = 0; r < counters->start_ns.size(); ++r)
        if (counters->end_ns[r] > counters->start_ns[r]) lengths.push_back(counters->end_ns[r] - counters->start_ns[r]);
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::ranges::nth_element(lengths, middle);
  return *middle;
}

TimelineTurn Binned(const CounterTurns& turns, int gpu, std::int64_t first_ns, std::size_t bins, std::int64_t bin_ns) {
  TimelineTurn binned{gpu, std::vector<double>(bins, 0.0), {}};
  for (const MetricDefinition& metric : turns.metrics)
    binned.counters.push_back({metric, std::vector<std::optional<double>>(bins)});
  for (std::size_t r = 0; r < turns.start_ns.size(); ++r) {
    const std::int64_t start = turns.start_ns[r] - first_ns, end = turns.end_ns[r] - first_ns;
    const auto row = std::span(turns.values).subspan(r * turns.metrics.size(), turns.metrics.size());
    if (end <= start || !std::ranges::all_of(row, [](double v) { return std::isfinite(v) && v >= 0; })) continue;
    for (std::size_t b = static_cast<std::size_t>(std::max<std::int64_t>(start, 0) / bin_ns); b < bins; ++b) {
      const std::int64_t from = static_cast<std::int64_t>(b) * bin_ns;
      if (from >= end) break;
      const auto within = static_cast<double>(std::min(end, from + bin_ns) - std::max(start, from));
      binned.covered_ns[b] += within;
      for (std::size_t m = 0; m < row.size(); ++m) {
        std::optional<double>& sum = binned.counters[m].sums[b];
        sum = sum.value_or(0) + row[m] * within / static_cast<double>(end - start);
      }
    }
  }
  return binned;
}

}  // namespace

ListedEvents ListEvents(std::vector<TimelineEvent> events, std::int64_t first_ns, std::int64_t span_ns,
                        std::size_t most) {
  std::ranges::sort(
      events, {}, [](const TimelineEvent& e) { return std::tuple(e.start_ns, e.gpu, e.is_copy, e.process, e.index); });
  if (events.size() <= most) return {{{0, span_ns}}, std::move(events)};
  const std::size_t half = most / 2;
  ListedEvents listed;
  const auto list = [&](std::size_t begin) {
    const std::size_t end = std::min(begin + half, events.size());
    const auto at = [&](std::size_t i) { return i < events.size() ? events[i].start_ns - first_ns : span_ns; };
    listed.windows.push_back({begin == 0 ? 0 : at(begin), at(end)});
    listed.events.insert(listed.events.end(), events.begin() + static_cast<std::ptrdiff_t>(begin),
                         events.begin() + static_cast<std::ptrdiff_t>(end));
  };
  list(0);
  list(events.size() / 2);
  return listed;
}

void BinCounters(std::span<const GpuCounters> gpus, std::int64_t first_ns, TimelineRecord& timeline,
                 std::size_t most_bins) {
  const std::int64_t length_ns = MedianLength(gpus);
  if (length_ns == 0 || timeline.span_ns <= 0) return;
  const auto most = static_cast<std::int64_t>(most_bins);
  timeline.bin_ns = std::max(length_ns, (timeline.span_ns + most - 1) / most);
  const auto bins = static_cast<std::size_t>((timeline.span_ns + timeline.bin_ns - 1) / timeline.bin_ns);
  for (const GpuCounters& gpu : gpus)
    for (const auto& [names, turns] : TurnsByList(gpu.counters))
      timeline.turns.push_back(Binned(turns, gpu.gpu, first_ns, bins, timeline.bin_ns));
}

}  // namespace culprit
