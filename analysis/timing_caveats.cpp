// SPDX-License-Identifier: Apache-2.0
#include "analysis/timing_caveats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/format.h"
#include "analysis/statistics.h"

namespace culprit {

std::optional<Cycles> CyclesOf(const KernelView& kernel) {
  const Measured counted = kernel.Get("sm_cycles_elapsed_max");
  std::vector<double> timed;
  for (const Sample& sample : kernel.record().samples)
    if (const auto clock = ClockOf(sample); clock && IsKept(sample)) timed.push_back(sample.time_us * *clock);
  if (!counted || !(*counted > 0) || timed.empty()) return std::nullopt;
  std::sort(timed.begin(), timed.end());
  const Cycles cycles{*counted, Quantile(timed, 0.5)};
  return IsPositive(cycles.timed) ? std::optional(cycles) : std::nullopt;
}

std::vector<std::string> TimingCaveats(const KernelView& kernel, std::string_view who) {
  std::vector<std::string> caveats;
  if (const auto cycles = CyclesOf(kernel); cycles && std::abs(cycles->Off()) > kMostOffCount)
    caveats.push_back(
        fmt::format("{}: {} cycles were counted and {} timed, {} {}: its counts are of executions that differ from the "
                    "timed ones.",
                    who, Format(cycles->counted, Unit::kCount), Format(cycles->timed, Unit::kCount),
                    Format(100 * std::abs(cycles->Off()), Unit::kPercent), cycles->Off() > 0 ? "more" : "fewer"));
  const auto& samples = kernel.record().samples;
  if (const auto open = std::ranges::count_if(samples, &Sample::gate_open); open > 0)
    caveats.push_back(fmt::format(
        "{}: the timer's gate gave up before the launch was enqueued in {} of {} samples, so their times may "
        "hold waiting for the host.",
        who, open, samples.size()));
  return caveats;
}

}  // namespace culprit
