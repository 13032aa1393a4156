// SPDX-License-Identifier: Apache-2.0
// Charts of a report's tables. `section` is the title of the section that begins with the chart.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/gate/history.h"
#include "analysis/gate/study.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/judge/why/explain.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/show/render/report.h"
#include "analysis/show/report/ladder_tables.h"

namespace culprit {

// Shown above every stall stack of a page.
inline constexpr const char* kWhatStatesAre =
    "In each cycle a warp (32 threads) is in one state: selected is work, all others are waiting. The states of all "
    "warps share out the kernel's time.";

// A kernel and its name in the chart.
struct NamedKernel {
  std::string name;
  const KernelView* view;
};

// Sample times behind a verdict. None without samples.
std::optional<Chart> SampleChart(std::span<const NamedKernel> kernels, std::string section);
// None when neither kernel has both coordinates.
std::optional<Chart> RooflineChart(std::span<const NamedKernel> kernels, std::string section);
// None when no kernel has both a time and warp states.
std::optional<Chart> StallChart(std::span<const NamedKernel> kernels, std::string section);

struct WaterfallPart {
  std::string name;
  double us = 0;
  std::string what = {};                           // description
  std::optional<Scatter> interval = std::nullopt;  // of `us`
  std::string evidence = {};
  bool is_rest = false;  // not attributed to any part
};
// Leads from the base's time to the candidate's. The parts add up to the difference.
Chart MakeWaterfall(const WaterfallPart& base, std::span<const WaterfallPart> parts, const WaterfallPart& candidate);

std::vector<Chart> WhyCharts(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation);
std::vector<Chart> KernelCharts(const KernelView& kernel);
// Stages of one shape by throughput or, if it is not known, by time. One chart per input type, because their speeds
// differ widely.
std::vector<Chart> LadderCharts(const Rungs& rungs, const std::string& section);
std::vector<Chart> StudyCharts(const Study& study);
// Times of one kernel over runs, with changes marked. None for a single run.
std::optional<Chart> HistoryChart(const History& history);
// Changes of launches with their intervals.
std::optional<Chart> CheckChart(const Check& check);

// `names`: the parts' names in the report.
std::vector<Chart> ProgramWhyCharts(const ProgramExplanation& explanation, std::span<const std::string> names);
// Kernels and copies of one run, largest first. No chart if none has a time.
std::optional<Chart> ProgramChart(std::span<const KernelRecord* const> kernels, std::span<const ProgramCopy> copies,
                                  std::string section);

}  // namespace culprit
