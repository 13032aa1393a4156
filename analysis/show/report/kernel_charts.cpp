// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/launch/roofline.h"
#include "analysis/launch/stall_stack.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/report/charts.h"

namespace culprit {
namespace {

using enum Unit;

// Dots of one kernel: more of them cover each other.
constexpr std::size_t kMostSamples = 250;
// A state below a fiftieth of every kernel's time is too thin to be seen.
constexpr double kVisibleShare = 0.02;
// Roofs of two kernels that are nearer than this are one line: the clock moved, the GPU did not change.
constexpr double kSameRoof = 0.1;

Measured None() { return Measured::Missing(Absence::kUndefined); }

std::vector<const Sample*> ByTime(const KernelRecord& kernel) {
  std::vector<const Sample*> samples;
  for (const Sample& sample : kernel.samples)
    if (std::isfinite(sample.time_us) && sample.time_us > 0) samples.push_back(&sample);
  std::ranges::stable_sort(samples, {}, [](const Sample* s) { return s->time_us; });
  if (samples.size() <= kMostSamples) return samples;
  std::vector<const Sample*> some;
  for (std::size_t i = 0; i < kMostSamples; ++i)  // the shortest and the longest among them
    some.push_back(samples[i * (samples.size() - 1) / (kMostSamples - 1)]);
  return some;
}

void AddRoof(const std::string& name, const char* role, const Measured& height, bool is_memory, ReportTable& table) {
  if (!height) return;
  const std::size_t column = is_memory ? 4 : 3;
  for (const auto& row : table.rows)
    if (std::get<std::string>(row[1]) == role)
      if (const Measured other = std::get<Number>(row[column]).value;
          other && std::abs(*height / *other - 1) < kSameRoof)
        return;
  table.rows.push_back({name, role, Cell(None(), kFlopPerByte), Cell(is_memory ? None() : height, kGflops),
                        Cell(is_memory ? height : None(), kBytesPerSecond)});
}

std::string Of(std::span<const NamedKernel> kernels) { return Joined(kernels, &NamedKernel::name, " and "); }

}  // namespace

std::optional<Chart> SampleChart(std::span<const NamedKernel> kernels, std::string section) {
  ReportTable table{.columns = {{"side", "Kernel"},
                                {"role", "", true},
                                {"what", "What"},
                                {"time_us", "Time"},
                                {"clock_mhz", "SM clock"},
                                {"kept", "Counts"}}};
  std::size_t all = 0, drawn = 0;
  for (const auto& [name, view] : kernels) {
    if (const auto& time = view->time().time_us)
      table.rows.push_back({name, "median", "median", {time->median, kTimeUs}, {None(), kMhz}, "yes"});
    const std::vector<const Sample*> samples = ByTime(view->record());
    all += view->record().samples.size();
    drawn += samples.size();
    for (const Sample* s : samples)
      table.rows.push_back({name, "sample", "one launch", Cell(s->time_us, kTimeUs),
                            Cell(s->clock_mhz ? Measured(*s->clock_mhz) : None(), kMhz),
                            s->low_clock ? "no, its clock was low" : "yes"});
  }
  if (table.rows.empty()) return std::nullopt;
  return Chart{
      .kind = ChartKind::kDistribution,
      .title = "How long each launch took",
      .text = fmt::format("A dot is one launch{}, a line the median{}.",
                          drawn < all ? fmt::format(" ({} of {} are drawn)", Format(static_cast<double>(drawn), kCount),
                                                    Format(static_cast<double>(all), kCount))
                                      : "",
                          kernels.size() > 1 ? "; where the dots of both lie apart, the difference is no chance" : ""),
      .section = std::move(section),
      .data = std::move(table)};
}

std::optional<Chart> RooflineChart(std::span<const NamedKernel> kernels, std::string section) {
  ReportTable table{.columns = {{"name", "What"},
                                {"role", "", true},
                                {"intensity", "Operations per byte"},
                                {"gflops", "Throughput"},
                                {"bytes_per_s", "DRAM bandwidth"}}};
  ReportTable points;
  for (const auto& [name, view] : kernels) {
    const Roofline roof = MakeRoofline(*view);
    const std::string of = kernels.size() > 1 && !table.rows.empty() ? " of " + name : "";
    AddRoof("FFMA peak" + of, "compute", roof.peak_gflops, false, table);
    AddRoof("tensor peak" + of, "tensor", roof.tensor_peak_gflops, false, table);
    AddRoof("DRAM" + of, "memory", roof.dram_bytes_per_s, true, table);
    if (roof.achieved_gflops && roof.intensity && *roof.achieved_gflops > 0 && *roof.intensity > 0)
      points.rows.push_back({name, "point", Cell(roof.intensity, kFlopPerByte), Cell(roof.achieved_gflops, kGflops),
                             Cell(roof.achieved_bytes_per_s, kBytesPerSecond)});
  }
  if (points.rows.empty() || table.rows.empty()) return std::nullopt;
  table.rows.insert(table.rows.end(), points.rows.begin(), points.rows.end());
  return Chart{.kind = ChartKind::kRoofline,
               .title = "Roofline",
               .text = fmt::format("Where {} {} below what this GPU can do. The slope is what device memory feeds, the "
                                   "flat lines are what the units compute; both axes grow by factors.",
                                   Of(kernels), kernels.size() > 1 ? "lie" : "lies"),
               .section = std::move(section),
               .data = std::move(table)};
}

std::optional<Chart> StallChart(std::span<const NamedKernel> kernels, std::string section) {
  struct State {
    std::string meaning;
    std::map<std::string, const StallPart*> of;
    double largest = 0;
  };
  std::map<std::string, State> states;
  std::vector<StallStackResult> stacks;
  std::vector<std::string> names;
  for (const auto& [name, view] : kernels) {
    StallStackResult result = MakeStallStack(*view);
    if (!result.stack || !result.stack->time_us) continue;
    stacks.push_back(std::move(result));
    names.push_back(name);
  }
  if (stacks.empty()) return std::nullopt;
  for (std::size_t i = 0; i < stacks.size(); ++i)
    for (const StallPart& part : stacks[i].stack->parts) {
      State& state = states[part.reason];
      state.meaning = part.meaning;
      state.of[names[i]] = &part;
      state.largest = std::max(state.largest, part.share);
    }
  std::vector<std::pair<std::string, const State*>> shown;
  for (const auto& [reason, state] : states)
    if (state.largest >= kVisibleShare) shown.emplace_back(reason, &state);
  std::ranges::stable_sort(shown, std::greater(), [](const auto& s) { return s.second->largest; });
  ReportTable table{.columns = {{"part", "Warp state"},
                                {"side", "Kernel"},
                                {"time_us", "Time"},
                                {"share_pct", "Share"},
                                {"meaning", "Meaning"}}};
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    // As `why` does: what several passes counted too much is no part of the time.
    const double time = *stacks[i].stack->time_us, whole = WholeOf(*stacks[i].stack);
    double rest = 1;
    const auto add = [&](const std::string& reason, double share, const std::string& meaning) {
      table.rows.push_back({reason, names[i], {time * share, kTimeUs}, {100 * share, kPercent}, meaning});
      rest -= share;
    };
    for (const auto& [reason, state] : shown)
      if (const auto part = state->of.find(names[i]); part != state->of.end() && part->second->share > 0)
        add(reason, part->second->share / whole, state->meaning);
    if (rest > 1e-9) add("other states", rest, "each below 2 %");
  }
  return Chart{
      .kind = ChartKind::kStack,
      .title = kernels.size() > 1 ? "What their warps did" : "What its warps did",
      .text = fmt::format("The time of {}, shared out among what warps were doing or waiting for.", Of(kernels)),
      .section = std::move(section),
      .data = std::move(table)};
}

std::vector<Chart> KernelCharts(const KernelView& kernel) {
  const NamedKernel only[] = {{kernel.record().stage.id, &kernel}};
  std::vector<Chart> charts;
  for (auto& chart :
       {SampleChart(only, "Time"), RooflineChart(only, "Roofline"), StallChart(only, "Where the time went")})
    if (chart) charts.push_back(*chart);
  return charts;
}

}  // namespace culprit
