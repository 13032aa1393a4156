// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/number/format.h"
#include "analysis/show/report/charts.h"

namespace culprit {
namespace {

using enum Unit;

// Launches that fit a screen: of more, those that changed most.
constexpr std::size_t kMostLaunches = 40;
constexpr std::size_t kMostStages = 60;

Chart StageChart(const Study& study) {
  ReportTable table{.columns = {{"name", "Kernel"}, {"role", "", true}, {"value", "Median"}, {"shape", "Shape", true}}};
  std::set<std::string> drawn;
  for (const StudyStage& stage : study.stages)
    if (stage.time_us && table.rows.size() < kMostStages && drawn.insert(stage.id).second)
      table.rows.push_back({stage.id, "bar", {stage.time_us, kTimeUs}, stage.shape});
  return {.kind = ChartKind::kBars,
          .title = "How long each kernel takes",
          .text = study.is_tree ? "Medians; each kernel stands below the one that it was changed from."
                                : "Medians, in the order of the changes.",
          .section = "Steps",
          .data = std::move(table)};
}

std::optional<Chart> LadderChart(const std::vector<const Rung*>& rungs, const std::string& input) {
  const bool speeds = std::ranges::any_of(rungs, [](const Rung* r) { return bool(r->roof.achieved_gflops); });
  const auto value = [&](const Rung& r) { return speeds ? r.roof.achieved_gflops : r.view.Get("time_us"); };
  const Unit unit = speeds ? kGflops : kTimeUs;
  ReportTable table{.columns = {{"name", "Kernel"},
                                {"role", "", true},
                                {"value", speeds ? "Speed" : "Median"},
                                {"median_us", "Median", !speeds},
                                {"idea", "Idea", true}}};
  if (!speeds) table.columns[3].title.clear();
  std::set<std::string> lines;
  const auto line = [&](const std::string& name, const Measured& at) {
    if (speeds && at && lines.insert(name).second)
      table.rows.push_back({name, "line", {at, kGflops}, {Measured::Missing(Absence::kUndefined), kTimeUs}, ""});
  };
  std::size_t bars = 0;
  for (const Rung* of : rungs) {
    const Rung& rung = *of;
    const Measured time = rung.view.Get("time_us");
    if (!time || !value(rung) || bars == kMostStages) continue;
    table.rows.push_back({rung.kernel->stage.id, "bar", {value(rung), unit}, {time, kTimeUs}, rung.kernel->stage.idea});
    ++bars;
    if (IsReference(*rung.kernel)) line(rung.kernel->stage.id, value(rung));
    // The clock, and with it the peak, differs from launch to launch by little: the first stands for all.
    line("FFMA peak", rung.roof.peak_gflops);
    line("tensor peak", rung.roof.tensor_peak_gflops);
  }
  if (bars < 2) return std::nullopt;
  return Chart{
      .kind = ChartKind::kBars,
      .title = fmt::format("{}{}", speeds ? "How fast each kernel is" : "How long each kernel takes",
                           input.empty() ? "" : ", " + input),
      .text = lines.empty() ? "Medians." : "Useful operations per second; the lines are what they are held against.",
      .data = std::move(table)};
}

}  // namespace

std::vector<Chart> LadderCharts(const Rungs& rungs, const std::string& section) {
  std::vector<std::string> inputs;
  for (const Rung& rung : rungs)
    if (std::ranges::find(inputs, rung.roof.input) == inputs.end()) inputs.push_back(rung.roof.input);
  std::vector<Chart> charts;
  for (const std::string& input : inputs) {
    std::vector<const Rung*> same;
    for (const Rung& rung : rungs)
      if (rung.roof.input == input) same.push_back(&rung);
    if (std::optional<Chart> chart = LadderChart(same, inputs.size() > 1 ? input : "")) {
      chart->section = section;
      charts.push_back(*std::move(chart));
    }
  }
  return charts;
}

std::vector<Chart> StudyCharts(const Study& study) {
  std::vector<Chart> charts;
  if (Chart stages = StageChart(study); stages.data.rows.size() > 1) charts.push_back(std::move(stages));
  if (!study.total) return charts;
  const ChainTotal& total = *study.total;
  std::vector<WaterfallPart> parts;
  for (const ChainPart& part : total.parts)
    parts.push_back(
        {part.cause, part.delta_us,
         part.most_base.empty() ? "" : fmt::format("most of it at {} -> {}", part.most_base, part.most_candidate)});
  const auto rest = [&](const char* name, double us, const char* what) {
    if (us != 0) parts.push_back({.name = name, .us = us, .what = what, .is_rest = true});
  };
  rest("unexplained", total.unexplained_us, "not attributed");
  rest("without counters", total.without_counters_us, "steps that could not be taken apart");
  rest("no difference", total.no_difference_us, "steps whose verdict is same or ambiguous");
  charts.push_back(
      MakeWaterfall({study.stages.front().id, total.base_us}, parts, {study.stages.back().id, total.candidate_us}));
  charts.back().section = "The whole chain";
  return charts;
}

std::optional<Chart> CheckChart(const Check& check) {
  std::vector<const CheckedLaunch*> launches;
  for (const CheckedLaunch& launch : check.launches)
    if (launch.Change()) launches.push_back(&launch);
  if (launches.empty()) return std::nullopt;
  const std::size_t all = launches.size();
  std::ranges::stable_sort(launches, std::greater(),
                           [](const CheckedLaunch* l) { return std::abs(l->Change()->change); });
  launches.resize(std::min(all, kMostLaunches));
  std::ranges::stable_sort(launches, std::greater(), [](const CheckedLaunch* l) { return l->Change()->change; });
  ReportTable table{.columns = {{"name", "Launch"},
                                {"role", "", true},
                                {"value", "Change"},
                                {"low", "At least"},
                                {"high", "At most"},
                                {"judgement", "Judged"}}};
  for (const CheckedLaunch* launch : launches) {
    const Shift change = *launch->Change();
    table.rows.push_back({launch->stage + " at " + launch->shape, "bar", Cell(100 * change.change, kChangePercent),
                          Cell(100 * change.low, kChangePercent), Cell(100 * change.high, kChangePercent),
                          ToText(launch->judgement)});
  }
  const Number none{Measured::Missing(Absence::kUndefined), kChangePercent};
  table.rows.push_back(
      {"limit", "line", {100 * check.max_slowdown, kChangePercent}, none, none, "slower is a regression"});
  return Chart{.kind = ChartKind::kIntervals,
               .title = "What changed",
               .text = fmt::format(
                   "Time of the candidate over the base, with its 99 % interval{}. Right of 0 is slower.",
                   all > kMostLaunches ? fmt::format("; the {} of {} that changed most", kMostLaunches, all) : ""),
               .data = std::move(table)};
}

}  // namespace culprit
