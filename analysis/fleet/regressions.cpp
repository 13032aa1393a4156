// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/regressions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace culprit {
namespace {

// A series of the window: points of one class whose runs are of one GPU model and branch.
struct Series {
  std::int32_t class_id = 0;
  std::vector<std::size_t> runs;
  std::vector<double> times, clocks, days;
  std::size_t first_new = 0;  // index of the first point since then
};

// Which of the window's runs belong together: by GPU model, branch and, for the work as a whole, workload.
std::vector<int> GroupsOf(const FleetWindow& window, bool by_workload) {
  std::map<std::tuple<std::int64_t, std::string_view, std::int64_t>, int> numbers;
  std::vector<int> groups;
  for (const FleetRunSummary& run : window.runs) {
    const auto key = std::tuple(run.gpu_id, std::string_view(run.branch), by_workload ? run.workload_id : 0);
    groups.push_back(numbers.try_emplace(key, static_cast<int>(numbers.size())).first->second);
  }
  return groups;
}

// Splits points of one class by group, and hands on the series that have a new point.
class Splitter {
 public:
  Splitter(const FleetWindow& window, const std::vector<int>& groups, std::function<void(Series&)> take)
      : window_(window), groups_(groups), days_(DaysOf(window.runs)), take_(std::move(take)) {}

  void Add(std::int32_t class_id, std::size_t run, double us, double clock) {
    Series& series = open_[groups_[run]];
    series.class_id = class_id;
    if (run < window_.first_new) series.first_new = series.runs.size() + 1;
    series.runs.push_back(run);
    series.times.push_back(us);
    series.clocks.push_back(clock);
    if (!days_.empty()) series.days.push_back(days_[run]);
  }
  void End() {
    for (auto& [group, series] : open_)
      if (!series.runs.empty() && series.first_new < series.runs.size()) take_(series);
    open_.clear();
  }

 private:
  const FleetWindow& window_;
  const std::vector<int>& groups_;
  std::vector<double> days_;  // DaysOf
  std::function<void(Series&)> take_;
  std::map<int, Series> open_;
};

template <class Take>
void ForEachSeries(const FleetWindow& window, Take take) {
  const std::vector<int> groups = GroupsOf(window, false), workloads = GroupsOf(window, true);
  Splitter kernels(window, groups, take);
  for (std::size_t i = 0; i < window.points.size(); ++i) {
    const FleetWindow::Point& point = window.points[i];
    if (i > 0 && window.points[i - 1].class_id != point.class_id) kernels.End();
    if (point.median_us > 0) kernels.Add(point.class_id, point.run, point.median_us, point.clock_mhz);
  }
  kernels.End();
  Splitter works(window, workloads, take);
  for (std::size_t run = 0; run < window.runs.size(); ++run)
    if (const auto us = window.runs[run].gpu_us; us && *us > 0) works.Add(0, run, *us, 0);
  works.End();
}

}  // namespace

std::vector<FoundStep> StepsIn(const FleetWindow& window, Regressions& answer) {
  // At this level, a step begins a new stretch while the level of the screening is not yet known.
  constexpr double kLoose = 0.01;
  struct Candidate {
    Series series;
    TrendValues values;
  };
  std::vector<double> least;
  std::vector<Candidate> candidates;
  ForEachSeries(window, [&](Series& series) {
    ++answer.series;
    if (series.runs.size() < 2 * kFewestRuns) {
      ++answer.too_short;
      return;
    }
    TrendValues values = ValuesOf(series.times, series.clocks, window.runs[series.runs.front()].gpu);
    least.push_back(LeastP(values.logs, values.noise, kLoose, series.first_new, series.days));
    if (least.back() < kFalseShare) candidates.push_back({std::move(series), std::move(values)});
  });
  answer.level = ScreeningLevel(least, kFalseShare);
  std::vector<FoundStep> found;
  for (const auto& [series, values] : candidates) {
    const std::vector<Step> steps = FindSteps(values.logs, values.noise, answer.level, series.days);
    for (const Step& step : steps) {
      // An older step that became known since then is news, too.
      if (step.run < series.first_new && step.known_at < series.first_new) continue;
      FoundStep one;
      one.class_id = series.class_id;
      one.runs = series.runs;
      one.step.step = step;
      one.step.after = step.run;
      one.step.before = step.run - 1;
      one.step.before_us = series.times[one.step.before];
      one.step.after_us = series.times[one.step.after];
      found.push_back(std::move(one));
    }
  }
  return found;
}

Regressions FindRegressions(const FleetWindow& window, const std::string& since, Fleet& fleet) {
  Regressions answer;
  answer.since = since;
  answer.runs = window.runs.size() - window.first_new;
  const std::vector<FoundStep> found = StepsIn(window, answer);
  std::map<std::int64_t, std::vector<Fleet::ClassTime>> times;
  const Costs costs = [&](const FleetRunSummary& run) {
    const auto known = times.find(run.id);
    return known != times.end() ? known->second : (times[run.id] = fleet.ClassTimes(run.id));
  };
  std::vector<std::int64_t> ids;
  for (const FoundStep& one : found)
    if (one.class_id != 0) ids.push_back(one.class_id);
  const std::vector<FleetSeries> names = ids.empty() ? std::vector<FleetSeries>() : fleet.Series(ids);
  std::size_t next = 0;
  for (const FoundStep& one : found) {
    Regression regression;
    regression.of_workload = one.class_id == 0;
    regression.step = one.step;
    regression.before = window.runs[one.runs[one.step.before]];
    regression.after = window.runs[one.runs[one.step.after]];
    if (!regression.of_workload) regression.series = names[next++];
    if (one.step.step.change < 0) {
      ++answer.faster;
      continue;
    }
    regression.series.workload = regression.after.workload;
    regression.series.gpu = regression.after.gpu;
    regression.series.branch = regression.after.branch;
    TrendStep& step = regression.step;
    step.also = OtherChanges(regression.before, regression.after);
    std::vector<FleetRunSummary> before, after;
    for (std::size_t i = 0; i < one.runs.size(); ++i)
      (i < step.after ? before : after).push_back(window.runs[one.runs[i]]);
    if (regression.of_workload) {
      regression.cost_us = regression.after.gpu_us.value_or(0) - regression.before.gpu_us.value_or(0);
    } else {
      FleetFilter filter;
      for (std::size_t i = step.step.earliest; i <= step.step.latest && i < one.runs.size(); ++i)
        filter.runs.push_back(window.runs[one.runs[i]].uuid);
      const FleetHistory judged = fleet.HistoryOf(one.class_id, filter);
      for (const FleetPoint& point : judged.points) {
        if (point.total_us && !regression.cost_us)
          regression.cost_us = *point.total_us * step.step.change / (1 + step.step.change);
        if (!point.verdict.cause.empty() && point.verdict.change.value_or(0) > 0 && step.judged.cause.empty())
          step.judged = point.verdict;
      }
      if (regression.cost_us) {
        step.origin = WhereCameFrom(before, after, regression.series.of, regression.series.gpu, costs);
        regression.is_moved = step.origin->is_moved;
      }
    }
    answer.found.push_back(std::move(regression));
  }
  std::ranges::stable_sort(answer.found, [](const Regression& a, const Regression& b) {
    const auto cost = [](const Regression& r) { return r.cost_us.value_or(r.step.after_us - r.step.before_us); };
    return std::tuple(a.is_moved, -cost(a)) < std::tuple(b.is_moved, -cost(b));
  });
  return answer;
}

}  // namespace culprit
