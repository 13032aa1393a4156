// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/program/work_verdict.h"
#include "analysis/number/format.h"
#include "analysis/show/report/charts.h"

namespace culprit {
namespace {

using enum Unit;

// Bars that fit a screen; what is left out is one bar more.
constexpr std::size_t kMostBars = 12;

const char* WhatOf(const ProgramPart& part) {
  if (part.of == PartOf::kCopies) return "copies";
  if (part.of == PartOf::kIdle) return "the GPU waits";
  if (part.match.base.empty()) return "a kernel that is new";
  return part.match.candidate.empty() ? "a kernel that is gone" : "a kernel";
}

std::string CallsOf(const ProgramPart& part) {
  return part.of == PartOf::kIdle
             ? ""
             : fmt::format("{} -> {}", Format(part.base_calls, kCount), Format(part.candidate_calls, kCount));
}

Chart DifferenceChart(const ProgramExplanation& e, std::span<const std::string> names) {
  std::vector<WaterfallPart> parts, idle;
  WaterfallPart rest{.name = "", .what = "each of them less than those above"};
  std::size_t more = 0;
  const auto is_idle = [](const ProgramPart& part) { return part.of == PartOf::kIdle; };
  const auto all = e.parts.size() - static_cast<std::size_t>(std::ranges::count_if(e.parts, is_idle));
  for (std::size_t i = 0; i < e.parts.size(); ++i) {
    const WaterfallPart part{names[i], e.parts[i].DeltaUs(), WhatOf(e.parts[i])};
    if (is_idle(e.parts[i]))
      idle.push_back(part);
    else if (parts.size() < kMostBars || all <= kMostBars + 1)
      parts.push_back(part);
    else
      rest.us += part.us, ++more;
  }
  rest.name = fmt::format("{} more", more);
  if (more > 0) parts.push_back(rest);
  // Last, so that it does not come between the kernels: of a program it can be most.
  parts.insert(parts.end(), idle.begin(), idle.end());
  const char* what = e.of_timeline ? "from the first to the last thing on the GPU" : "its kernels and copies";
  Chart chart = MakeWaterfall({"base", e.base_us, what}, parts, {"candidate", e.candidate_us, what});
  chart.title = idle.empty() ? "From base to candidate: kernels and copies"
                             : "From base to candidate: kernels, copies and idle time";
  return chart;
}

Chart PairChart(const ProgramExplanation& e, std::span<const std::string> names) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < e.parts.size(); ++i)
    if (e.parts[i].of != PartOf::kIdle) order.push_back(i);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return std::max(e.parts[i].base_us, e.parts[i].candidate_us); });
  ReportTable table{.columns = {{"name", "Kernel or copy"},
                                {"base", "Base"},
                                {"candidate", "Candidate"},
                                {"delta", "Difference"},
                                {"calls", "Calls"}}};
  const std::size_t shown = std::min(order.size(), kMostBars);
  for (const std::size_t i : std::span(order).first(shown))
    table.rows.push_back({names[i], Cell(e.parts[i].base_us, kTimeUs), Cell(e.parts[i].candidate_us, kTimeUs),
                          Cell(e.parts[i].DeltaUs(), kTimeDeltaUs), CallsOf(e.parts[i])});
  return {.kind = ChartKind::kPairs,
          .title = "What takes the time",
          .text = fmt::format(
              "{} of kernels and copies, in the base and in the candidate, all calls together; the longest first.",
              shown < order.size() ? fmt::format("The {} longest", shown) : "Times"),
          .data = std::move(table)};
}

}  // namespace

std::vector<Chart> ProgramWhyCharts(const ProgramExplanation& e, std::span<const std::string> names) {
  if (e.parts.empty()) return {};
  std::vector<Chart> charts = {DifferenceChart(e, names), PairChart(e, names)};
  for (Chart& chart : charts) chart.section = "Where the difference is";
  return charts;
}

std::optional<Chart> ProgramChart(std::span<const KernelRecord* const> kernels, std::span<const ProgramCopy> copies,
                                  std::string section) {
  struct Bar {
    std::string name;
    double us, calls;
    std::string shape;
  };
  std::vector<Bar> bars;
  for (const KernelRecord* kernel : kernels) {
    if (!kernel->program) continue;
    const ProgramLaunch& program = *kernel->program;
    if (const auto us = program.share_us ? program.share_us : program.time_us)
      bars.push_back({kernel->stage.id, *us, static_cast<double>(program.calls), kernel->launch.shape});
  }
  for (const ProgramCopy& copy : copies)
    bars.push_back({CopyWords(copy.kind), copy.share_us, static_cast<double>(copy.calls), ""});
  if (bars.empty()) return std::nullopt;
  std::ranges::stable_sort(bars, std::greater<>(), &Bar::us);
  const bool all = bars.size() <= kMostBars;
  if (!all) bars.resize(kMostBars);
  ReportTable table{.columns = {{"name", copies.empty() ? "Kernel" : "Kernel or copy"},
                                {"role", "", true},
                                {"value", "Time of all calls"},
                                {"calls", "Calls"},
                                {"shape", "Launch", true}}};
  for (const Bar& bar : bars)
    table.rows.push_back({bar.name, "bar", {bar.us, kTimeUs}, Cell(Measured(bar.calls), kCount), bar.shape});
  const std::string what = copies.empty() ? "kernels" : "kernels and copies";
  return Chart{.kind = ChartKind::kBars,
               .title = "What takes the time",
               .text = fmt::format(
                   "{} on the GPU, all calls of each together; the longest first.",
                   all ? fmt::format("All {}", what) : fmt::format("The {} {} that take most", bars.size(), what)),
               .section = std::move(section),
               .data = std::move(table)};
}

}  // namespace culprit
