// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/trend_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "analysis/gate/change_text.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/charts.h"

namespace culprit {
namespace {

using enum Unit;

constexpr std::size_t kShown = 20;  // runs that people see; the chart and programs have all

struct Row {
  const FleetRunSummary* run;
  const FleetPoint* point;
  const TrendStep* step;  // that begins here; null: none
  double level_us = 0;    // median of the stretch
  int segment = 0;
};

std::vector<Row> RowsOf(const Trend& trend) {
  std::vector<Row> rows;
  const auto& [history, steps] = std::tie(trend.history, trend.steps);
  std::size_t next = 0;
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const TrendStep* begins = next < steps.size() && steps[next].after == i ? &steps[next++] : nullptr;
    const double level = next > 0 ? steps[next - 1].after_us : steps.empty() ? 0 : steps.front().before_us;
    rows.push_back({&history.runs[i], &history.points[i], begins, level, static_cast<int>(next)});
  }
  return rows;
}

std::string What(const Row& row) {
  if (row.step == nullptr) return "";
  return row.step->step.change > 0 ? "slower" : "faster";
}

ReportTable RunTable(const std::vector<Row>& rows) {
  return ForPrograms<Row>("runs", rows,
                          {{"run_uuid", [](const Row& r) { return r.run->uuid; }},
                           {"run_label", [](const Row& r) { return r.run->label; }},
                           {"recorded_utc", [](const Row& r) { return r.run->started; }},
                           {"git_sha", [](const Row& r) { return r.run->git_sha; }},
                           {"median_us", kTimeUs, [](const Row& r) { return r.point->median_us; }},
                           {"low_us", kTimeUs, [](const Row& r) { return Measured(r.point->low_us); }},
                           {"high_us", kTimeUs, [](const Row& r) { return Measured(r.point->high_us); }},
                           {"clock_mhz", kMhz, [](const Row& r) { return Measured(r.point->clock_mhz); }},
                           {"calls", kCount, [](const Row& r) { return r.point->calls; }},
                           {"total_us", kTimeUs, [](const Row& r) { return Measured(r.point->total_us); }},
                           {"verdict", [](const Row& r) { return r.point->verdict.verdict; }},
                           {"cause", [](const Row& r) { return r.point->verdict.cause; }},
                           {"changed", What},
                           {"segment", kCount, [](const Row& r) { return r.segment; }}});
}

ReportTable StepTable(const Trend& trend) {
  const std::vector<FleetRunSummary>& runs = trend.history.runs;
  return Tabulate<TrendStep>(
      "changes", "", trend.steps,
      {{"since", "Since", [&](const TrendStep& s) { return runs[s.after].started.substr(0, 10); }},
       {"commits", "Commits", [&](const TrendStep& s) { return CommitsText(runs[s.before], runs[s.after]); }},
       {"before_us", "Before", kTimeUs, [](const TrendStep& s) { return s.before_us; }},
       {"after_us", "After", kTimeUs, [](const TrendStep& s) { return s.after_us; }},
       {"change_pct", kChangePercent, [](const TrendStep& s) { return 100 * s.step.change; }},
       {"change_low_pct", kChangePercent, [](const TrendStep& s) { return 100 * s.step.low; }},
       {"change_high_pct", kChangePercent, [](const TrendStep& s) { return 100 * s.step.high; }},
       {"change", "Change", [](const TrendStep& s) { return ChangeText(s.step); }},
       {"state", "State", [](const TrendStep& s) { return s.step.is_lasting ? "lasting" : "suspect"; }},
       {"reason", "Why", ReasonText},
       {"cause", [](const TrendStep& s) { return s.judged.cause; }},
       {"cause_share_pct", kPercent,
        [](const TrendStep& s) { return s.judged.cause_share ? Measured(100 * *s.judged.cause_share) : Measured(); }},
       {"source", "At", [](const TrendStep& s) { return s.judged.source; }},
       {"also", "Also changed", [](const TrendStep& s) { return Joined(s.also); }},
       {"from_run", [&](const TrendStep& s) { return runs[s.before].uuid; }},
       {"to_run", [&](const TrendStep& s) { return runs[s.after].uuid; }}});
}

std::string Headline(const Trend& trend) {
  const FleetHistory& h = trend.history;
  const std::string of =
      fmt::format("{} on {}{}", ClassText(h.series.of), h.series.gpu.empty() ? "a GPU that no run names" : h.series.gpu,
                  h.series.branch.empty() ? "" : ", branch " + h.series.branch);
  if (trend.steps.empty())
    return fmt::format("{}: no step in {} {}", of, h.runs.size(), h.runs.size() == 1 ? "run" : "runs");
  const TrendStep& last = trend.steps.back();
  return fmt::format("{}: {} {} in {} runs, the last on {}: {} by {}, {}", of, trend.steps.size(),
                     trend.steps.size() == 1 ? "step" : "steps", h.runs.size(),
                     h.runs[last.after].started.substr(0, 10), last.step.change > 0 ? "slower" : "faster",
                     ChangeText(last.step.change), ReasonText(last));
}

Chart ChartOf(const std::vector<Row>& rows) {
  ReportTable table = Tabulate<Row>(
      "", "", rows,
      {{"name", "Run", [](const Row& r) { return r.run->label.empty() ? r.run->uuid.substr(0, 8) : r.run->label; }},
       {"recorded", "Recorded", [](const Row& r) { return r.run->started; }},
       {"time_us", "Median", kTimeUs, [](const Row& r) { return r.point->median_us; }},
       {"low_us", "Low end of the median", kTimeUs, [](const Row& r) { return Measured(r.point->low_us); }},
       {"high_us", "High end of the median", kTimeUs, [](const Row& r) { return Measured(r.point->high_us); }},
       {"level_us", kTimeUs, [](const Row& r) { return r.level_us > 0 ? r.level_us : r.point->median_us; }},
       {"segment", kInteger, [](const Row& r) { return r.segment; }},
       {"change", "Change", kChangePercent,
        [](const Row& r) { return r.step == nullptr ? Measured() : Measured(100 * r.step->step.change); }},
       {"moved", "Beyond noise", What},
       {"cause", "Why", [](const Row& r) { return r.step == nullptr ? std::string() : ReasonText(*r.step); }}});
  return Chart{.kind = ChartKind::kHistory,
               .title = "How long it took, run by run",
               .text =
                   "A dot is the median of a run, the oldest at the left, with its 95 % interval. A dashed line marks "
                   "each lasting step.",
               .data = std::move(table)};
}

// For a shell: a server's names may be anything.
std::string Quoted(const std::string& word) {
  static constexpr std::string_view kPlain = "_~-.";
  const bool plain = std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The runs around the last step that has no cause yet.
std::string HowToFindOut(const Trend& trend) {
  const auto& steps = trend.steps;
  const auto open = std::ranges::find_if(steps.rbegin(), steps.rend(), [](const TrendStep& s) {
    return s.judged.cause.empty() && !(s.origin && s.origin->is_moved);
  });
  if (open == steps.rend()) return "";
  const std::string from = trend.history.runs[open->before].uuid.substr(0, 8),
                    to = trend.history.runs[open->after].uuid.substr(0, 8);
  const std::string kernel = Quoted(trend.history.series.of.kernel);
  return fmt::format(
      "Why is not known of the step on {}. To find out: culprit pull --run {} --run {} && culprit why {}@{} {}@{}",
      trend.history.runs[open->after].started.substr(0, 10), from, to, kernel, from, kernel, to);
}

}  // namespace

std::string CommitsText(const FleetRunSummary& before, const FleetRunSummary& after) {
  if (before.git_sha.empty() || after.git_sha.empty())
    return before.started.substr(0, 10) + " .. " + after.started.substr(0, 10);
  return before.git_sha.substr(0, 12) + ".." + after.git_sha.substr(0, 12);
}

std::string ChangeText(const Step& step) { return ChangeText(Shift{step.change, step.low, step.high}); }

std::string ReasonText(const TrendStep& step) {
  if (step.origin && step.origin->is_moved) return "moved from " + Joined(step.origin->cheaper);
  if (step.judged.cause.empty()) return "why is not known";
  if (!step.judged.cause_share) return step.judged.cause;
  return fmt::format("{} ({})", step.judged.cause, Format(100 * *step.judged.cause_share, kPercent));
}

std::string ClassText(const FleetClass& of) {
  return fmt::format("{} at {}{}", of.kernel, of.shape, of.nvtx.empty() ? "" : " in " + of.nvtx);
}

Report MakeTrendReport(const Trend& trend) {
  const std::vector<Row> rows = RowsOf(trend);
  const FleetHistory& h = trend.history;
  Report report{.kind = "trend", .title = Headline(trend)};
  const bool slower = !trend.steps.empty() && trend.steps.back().step.change > 0;
  report.banner = trend.steps.empty() ? Banner{Tone::kNeutral, "No step"}
                                      : Banner{slower ? Tone::kBad : Tone::kGood,
                                               fmt::format("{} since {}", slower ? "Slower" : "Faster",
                                                           h.runs[trend.steps.back().after].started.substr(0, 10))};
  report.context = {{"workload", "Workload", h.series.workload}, {"gpu", "Recorded on", h.series.gpu}};
  if (rows.size() > 1) report.charts.push_back(ChartOf(rows));
  report.sections.push_back({.key = "trend",
                             .facts = {{"kernel", "", h.series.of.kernel},
                                       {"shape", "", h.series.of.shape},
                                       {"branch", "", h.series.branch},
                                       {"gpu", "", h.series.gpu},
                                       {"of", "", trend.by_cycles ? "cycles" : "time"},
                                       {"steps", "", Cell(static_cast<double>(trend.steps.size()), kInteger)},
                                       {"level", "", {trend.level, kRatio}}},
                             .tables = {RunTable(rows)}});
  if (!trend.steps.empty()) report.sections.push_back({.key = "steps", .title = "Steps", .tables = {StepTable(trend)}});
  Section newest{.title = trend.steps.empty() ? "" : "Newest runs"};
  const std::size_t shown = std::min(rows.size(), kShown);
  newest.tables.push_back(Tabulate<Row>(
      "", "", std::vector<Row>(rows.end() - static_cast<std::ptrdiff_t>(shown), rows.end()),
      {{"", "Recorded", [](const Row& r) { return r.run->started; }},
       {"", "Commit", [](const Row& r) { return r.run->git_sha.substr(0, 12); }},
       {"", "Time", kTimeUs, [](const Row& r) { return r.point->median_us; }},
       {"", "Step", [](const Row& r) { return r.step ? ChangeText(r.step->step.change) : std::string(); }}}));
  newest.notes.push_back(
      fmt::format("A step is a lasting change of the {}, beyond the noise between recordings. Of 20 servers, at most 1 "
                  "has a false one that is called lasting. This server has at most {} series of kernels.{}",
                  trend.by_cycles ? "cycles" : "time", h.all_series,
                  std::ranges::any_of(trend.steps, [](const TrendStep& s) { return !s.step.is_lasting; })
                      ? " A suspect step needs more runs to be sure."
                      : ""));
  if (trend.drift)
    newest.notes.push_back(fmt::format("Apart from steps, it drifts: {} over all runs.",
                                       ChangeText(Shift{trend.drift->change, trend.drift->low, trend.drift->high})));
  if (const std::string how = HowToFindOut(trend); !how.empty()) newest.notes.push_back(how);
  report.sections.push_back(std::move(newest));
  return report;
}

}  // namespace culprit
