// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/timing_caveats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

// Launches differ if those at the ends of the middle eight tenths differ by so much. Counted ones stand for them if their
// time is within a tenth of the mean.
constexpr double kVaried = 1.5, kCountedLikeMean = 0.10;
constexpr double kShortest = 0.1, kLongest = 0.9;

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

std::string LaunchesDiffer(const KernelView& kernel, std::string_view who) {
  const auto& program = kernel.record().program;
  if (!program || program->counted < 1 || program->counted >= program->calls) return {};
  std::vector<double> times;
  for (const Sample& sample : kernel.record().samples)
    if (IsKept(sample)) times.push_back(sample.time_us);
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  double mean = 0;
  for (const double time : times) mean += time / static_cast<double>(times.size());
  const auto us = [](double time) { return Format(time, Unit::kTimeUs); };
  const auto count = [](std::int64_t n) { return Format(static_cast<double>(n), Unit::kCount); };
  std::string text = fmt::format("Launches of {} differ, {} to {} and {} on average: ", who, us(times.front()),
                                 us(times.back()), us(mean));
  if (kernel.weights().AreScaled())
    return text + fmt::format("counters of {} of its {} launches are scaled to the mean of all, by what was sampled.",
                              count(program->counted), count(program->calls));
  const Measured counted = kernel.Get("counted_time_ns") / Measured(1000);
  const bool varied = Quantile(times, kLongest) > kVaried * Quantile(times, kShortest);
  if (!varied || !counted || std::abs(*counted / mean - 1) <= kCountedLikeMean) return {};
  return text + fmt::format(
                    "its counters are of {} of its {} launches, which took {} when they were counted, and do not "
                    "stand for all.",
                    count(program->counted), count(program->calls), us(*counted));
}

std::vector<std::string> TimingCaveats(const KernelView& kernel, std::string_view who) {
  std::vector<std::string> caveats;
  std::string differ = LaunchesDiffer(kernel, who);
  if (const auto pair = CompareCounted(kernel); differ.empty() && pair && std::abs(pair->Off()) > kMostOffCount) {
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
  if (!differ.empty())
    caveats.push_back(std::move(differ));
  else if (const auto missed = TimeNotCounted(kernel))
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
