// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/launch/machine.h"
#include "analysis/launch/name.h"
#include "analysis/number/statistics.h"
#include "db/nvtx_range.h"

namespace culprit {
namespace {

// Runs before and behind a step whose medians say where its cost came from.
constexpr std::size_t kRunsOfASide = 3;

double MedianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : Quantile(values, 0.5);
}

// Of "2026-11-21T00:25:46Z", since 1970.
std::optional<double> DayOf(std::string_view started) {
  const auto number = [&](std::size_t from, std::size_t digits) {
    int value = 0;
    if (started.size() < from + digits) return value;
    const char* const begin = started.data() + from;
    return std::from_chars(begin, begin + digits, value).ptr == begin + digits ? value : 0;
  };
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2))));
  if (!day.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count());
}

std::vector<KernelCost> CostsOf(std::span<const FleetRunSummary> runs, const std::string& gpu, const Costs& costs) {
  using Key = std::tuple<std::string, std::string>;
  std::map<Key, std::vector<double>> totals;
  std::size_t n = 0;
  for (const FleetRunSummary& run : runs) {
    ++n;
    std::map<Key, double> of_run;
    for (const Fleet::ClassTime& time : costs(run))
      of_run[{NormalName(time.of.name), NormalRange(time.of.nvtx)}] += time.total_us;
    for (const auto& [key, us] : of_run) totals[key].push_back(us);
  }
  std::vector<KernelCost> all;
  for (auto& [key, values] : totals) {
    values.resize(n, 0);  // a run without it
    const double us = MedianOf(values);
    if (us > 0) all.push_back({std::get<0>(key), std::get<1>(key), us, NoiseFloorOf(gpu, us).OfTime()});
  }
  return all;
}

}  // namespace

TrendValues ValuesOf(std::span<const double> median_us, std::span<const double> clock_mhz, const std::string& gpu) {
  TrendValues values;
  values.by_cycles = !median_us.empty() && std::ranges::all_of(clock_mhz, [](double clock) { return clock > 0; });
  std::vector<double> times(median_us.begin(), median_us.end());
  values.noise = NoiseBetweenRuns(NoiseFloorOf(gpu, MedianOf(std::move(times))), values.by_cycles);
  for (std::size_t i = 0; i < median_us.size(); ++i)
    values.logs.push_back(std::log(median_us[i] * (values.by_cycles ? clock_mhz[i] : 1)));
  return values;
}

std::vector<double> DaysOf(std::span<const FleetRunSummary> runs) {
  std::vector<double> days;
  for (const FleetRunSummary& run : runs) {
    const std::optional<double> day = DayOf(run.started);
    if (!day) return {};
    days.push_back(*day);
  }
  return days;
}

std::vector<std::string> OtherChanges(const FleetRunSummary& before, const FleetRunSummary& after) {
  std::vector<std::string> changes;
  const auto say = [&](std::string_view what, const std::string& from, const std::string& to) {
    if (!from.empty() && !to.empty() && from != to) changes.push_back(fmt::format("{} {} -> {}", what, from, to));
  };
  say("driver", before.driver, after.driver);
  say("CUDA", before.cuda, after.cuda);
  if (!before.gpu_uuids.empty() && !after.gpu_uuids.empty() && before.gpu_uuids != after.gpu_uuids)
    changes.emplace_back("another card");
  return changes;
}

CostOrigin WhereCameFrom(std::span<const FleetRunSummary> before, std::span<const FleetRunSummary> after,
                         const FleetClass& of, const std::string& gpu, const Costs& costs) {
  const auto last = before.last(std::min(before.size(), kRunsOfASide)),
             first = after.first(std::min(after.size(), kRunsOfASide));
  return OriginOf(NormalName(of.name), NormalRange(of.nvtx), CostsOf(last, gpu, costs), CostsOf(first, gpu, costs));
}

Trend MakeTrend(FleetHistory history, const Costs& costs) {
  Trend trend;
  std::vector<double> times, clocks;
  for (const FleetPoint& point : history.points) {
    times.push_back(point.median_us);
    clocks.push_back(point.clock_mhz.value_or(0));
  }
  const TrendValues values = ValuesOf(times, clocks, history.series.gpu);
  trend.by_cycles = values.by_cycles;
  trend.level = FleetLevel(static_cast<std::size_t>(std::max<std::int64_t>(history.all_series, 1)));
  const std::vector<double> days = DaysOf(history.runs);
  const std::vector<Step> steps = FindSteps(values.logs, values.noise, trend.level, days);
  trend.drift = FindDrift(values.logs, steps, values.noise, trend.level, days);
  const auto median_between = [&](std::size_t from, std::size_t to) {
    return MedianOf(
        {times.begin() + static_cast<std::ptrdiff_t>(from), times.begin() + static_cast<std::ptrdiff_t>(to)});
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : steps[i - 1].run, to = i + 1 < steps.size() ? steps[i + 1].run : times.size();
    TrendStep one;
    one.step = steps[i];
    one.after = steps[i].run;
    one.before = one.after - 1;
    one.before_us = median_between(from, one.after);
    one.after_us = median_between(one.after, to);
    one.also = OtherChanges(history.runs[one.before], history.runs[one.after]);
    for (std::size_t run = steps[i].earliest; run <= steps[i].latest && run < history.points.size(); ++run) {
      const FleetVerdict& verdict = history.points[run].verdict;
      if (verdict.cause.empty() || verdict.change.value_or(0) * steps[i].change <= 0) continue;
      one.judged = verdict;
      break;
    }
    if (one.step.change > 0 && history.points[one.after].total_us && costs) {
      const std::span<const FleetRunSummary> runs(history.runs);
      one.origin =
          WhereCameFrom(runs.first(one.after), runs.subspan(one.after), history.series.of, history.series.gpu, costs);
    }
    trend.steps.push_back(std::move(one));
  }
  trend.history = std::move(history);
  return trend;
}

}  // namespace culprit
