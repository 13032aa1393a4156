// SPDX-License-Identifier: Apache-2.0
// Pictures of what the tables of a report say. Each names the section that it opens by its title.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/gate/history.h"
#include "analysis/gate/study.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/render/report.h"
#include "analysis/report/ladder_tables.h"
#include "analysis/why/explain.h"

namespace culprit {

// Above every stall stack of a page.
inline constexpr const char* kWhatStatesAre =
    "In each cycle a warp (32 threads) is in one state: selected is work, all others are waiting. The states of all "
    "warps "
    "share out the kernel's time.";

// A kernel, and what a picture calls it.
struct NamedKernel {
  std::string name;
  const KernelView* view;
};

// Times of the launches that a verdict rests on. None without any.
std::optional<Chart> SampleChart(std::span<const NamedKernel> kernels, std::string section);
// None where neither kernel has both coordinates.
std::optional<Chart> RooflineChart(std::span<const NamedKernel> kernels, std::string section);
// None where no kernel has a time and states.
std::optional<Chart> StallChart(std::span<const NamedKernel> kernels, std::string section);

struct WaterfallPart {
  std::string name;
  double us = 0;
  std::string what = {};                           // in words
  std::optional<Scatter> interval = std::nullopt;  // of `us`
  std::string evidence = {};
  bool is_rest = false;  // what no part claims
};
// From the base's time to the candidate's; the parts add up to the difference.
Chart MakeWaterfall(const WaterfallPart& base, std::span<const WaterfallPart> parts, const WaterfallPart& candidate);

std::vector<Chart> WhyCharts(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation);
std::vector<Chart> KernelCharts(const KernelView& kernel);
// Stages of one shape, by throughput, else by time; one for each input, whose speeds are worlds apart.
std::vector<Chart> LadderCharts(const Rungs& rungs, const std::string& section);
std::vector<Chart> StudyCharts(const Study& study);
// Times of one kernel over runs, with the changes marked. None of a single run.
std::optional<Chart> HistoryChart(const History& history);
// Changes of launches with their intervals.
std::optional<Chart> CheckChart(const Check& check);

}  // namespace culprit
