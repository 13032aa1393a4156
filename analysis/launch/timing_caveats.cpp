// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/timing_caveats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/number/format.h"
#include "analysis/number/statistics.h"

namespace culprit {

namespace {

std::optional<CountedAgainstTimed> Compare(const Measured& counted, std::vector<double> timed, bool in_cycles) {
  if (!counted || !(*counted > 0) || timed.empty()) return std::nullopt;
  std::sort(timed.begin(), timed.end());
  const CountedAgainstTimed pair{*counted, Quantile(timed, 0.5), in_cycles};
  return IsPositive(pair.timed) ? std::optional(pair) : std::nullopt;
}

// Launches of programs have no clock and differ from each other, so only a large difference says something. Below the
// second, the start of a launch is a large part of it.
constexpr double kTimeOfProgramMissed = 2, kLeastMissedUs = 20;
std::optional<CountedAgainstTimed> TimeNotCounted(const KernelView& kernel) {
  std::vector<double> times;
  for (const Sample& sample : kernel.record().samples)
    if (!ClockOf(sample) && IsKept(sample)) times.push_back(sample.time_us);
  const auto pair = Compare(kernel.Get("counted_time_ns") / Measured(1000), std::move(times), false);
  const bool is_large =
      pair && pair->timed > kTimeOfProgramMissed * pair->counted && pair->timed > pair->counted + kLeastMissedUs;
  return is_large ? pair : std::nullopt;
}

}  // namespace

std::optional<CountedAgainstTimed> CompareCounted(const KernelView& kernel) {
  const double overhead_us = kernel.Get("launch_overhead_us").value_or(0);  // older recordings did not measure it
  std::vector<double> times, cycles;
  for (const Sample& sample : kernel.record().samples)
    if (const auto clock = ClockOf(sample); clock && IsKept(sample)) {
      times.push_back(sample.time_us - overhead_us);
      cycles.push_back(times.back() * *clock);
    }
  const auto in_cycles = Compare(kernel.Get("sm_cycles_elapsed_max"), std::move(cycles), true);
  const auto in_time = Compare(kernel.Get("counted_time_ns") / Measured(1000), std::move(times), false);
  if (!in_cycles) return std::nullopt;
  return in_time && std::abs(in_time->Off()) < std::abs(in_cycles->Off()) ? in_time : in_cycles;
}

std::vector<std::string> TimingCaveats(const KernelView& kernel, std::string_view who) {
  std::vector<std::string> caveats;
  if (const auto pair = CompareCounted(kernel); pair && std::abs(pair->Off()) > kMostOffCount) {
    const auto amount = [&](double value) {
      return pair->in_cycles ? Format(value, Unit::kCount) + " cycles" : Format(value, Unit::kTimeUs);
    };
    caveats.push_back(
        fmt::format("{}: {} were counted and {} timed, {} {}: its counts are of executions that differ from the timed "
                    "ones.",
                    who, amount(pair->counted), amount(pair->timed),
                    Format(100 * std::abs(pair->Off()), Unit::kPercent), pair->Off() > 0 ? "more" : "fewer"));
  }
  const auto& samples = kernel.record().samples;
  if (const auto missed = TimeNotCounted(kernel))
    caveats.push_back(fmt::format(
        "{} took {} when it was timed and {} when it was counted. Its counters may miss what it waited for, "
        "such as page faults of managed memory or cold caches.",
        who, Format(missed->timed, Unit::kTimeUs), Format(missed->counted, Unit::kTimeUs)));
  if (const auto open = std::ranges::count_if(samples, &Sample::gate_open); open > 0)
    caveats.push_back(fmt::format(
        "{}: the timer's gate gave up before the launch was enqueued in {} of {} samples, so their times may "
        "hold waiting for the host.",
        who, open, samples.size()));
  return caveats;
}

}  // namespace culprit
