// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/verdict_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "analysis/number/format.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

// A difference of this many times the noise floor is called "far beyond noise".
constexpr double kFarBeyond = 5;

// If a smaller share of the samples is on one side of a gap, these are outliers and not a group.
constexpr double kGroupShare = 0.25;

// Two recordings of one code on H100 differed by up to 1.6 % for reasons other than the clock (docs/evidence/noise.md).
// A fifth of this is added.
constexpr double kSticksToProcess = 0.02;

// How to get more samples and more processes, for each source. The last two texts are empty if a source cannot have
// several processes.
struct HowToSample {
  std::string_view enough, more, enough_processes, tells_modes;
};

// For traces of whole programs, which are executions like those of culprit record.
constexpr HowToSample kMoreTraces{"import traces of at least 5 executions of each with one label, or of more steps",
                                  "import traces of at least 5 executions of each with one label, or of more steps",
                                  "import traces of at least 5 executions of each with one label",
                                  "traces of 5 executions of each, imported with one label, tell"};

// A benchmark of ours comes first, then the sources in the order of ProgramSource.
constexpr HowToSample kHowToSample[] = {
    {"record at least 5 of each: --samples 16", "record more with --samples",
     "record at least 5 of each: --processes 8", "--processes 8 tells"},
    // culprit record
    {"record at least 5 executions of each with one label, or more calls",
     "record at least 5 executions of each with one label, or more calls", "record at least 5 of each with one label",
     "5 executions of each with one label tell"},
    {"profile at least 5 launches of each: ncu -c 5", "profile more launches: ncu -c", "", ""},
    {"run each with --benchmark_repetitions=16", "run both with more --benchmark_repetitions", "", ""},
    {"run each with --min-samples 16", "run both with more --min-samples", "", ""},
    // PyTorch, JAX, Nsight Systems
    kMoreTraces,
    kMoreTraces,
    kMoreTraces,
};
static_assert(std::size(kHowToSample) == 1 + kNames<ProgramSource>.size());

const HowToSample& HowToSampleFor(const Verdict& v) {
  return kHowToSample[v.source ? 1 + static_cast<std::size_t>(*v.source) : 0];
}

// Names the values that are compared.
std::string_view Values(const Verdict& v) {
  return v.processes == 0 ? "samples" : v.source && IsWholeProgram(*v.source) ? "executions" : "processes";
}

struct Side {
  TimeSummary times;
  std::string_view name;
  std::span<const Sample> samples;
  int processes = 0;
};

std::string Percent(double change) { return Format(100 * change, Unit::kChangePercent); }
std::string Size(double change) { return Format(100 * std::abs(change), Unit::kPercent); }
std::string Microseconds(double us) { return Format(us, Unit::kTimeUs); }

std::string WithInterval(const Shift& s, std::string_view of, std::string_view before) {
  return fmt::format("{} in {} ({}{} to {})", Percent(s.change), of, before, Percent(s.low), Percent(s.high));
}

std::string Numbers(const Verdict& v, const Side& base, const Side& candidate) {
  const std::string interval = fmt::format("{:.0f} % interval ", 100 * kVerdictConfidence);
  std::string text =
      fmt::format("{} -> {}, {}", Microseconds(base.times.time_us->median),
                  Microseconds(candidate.times.time_us->median), WithInterval(*v.time, "time", interval));
  if (v.cycles) text += " and " + WithInterval(*v.cycles, "cycles", "");
  if (v.processes > 0) text += fmt::format(" over {} and {} {}", base.processes, candidate.processes, Values(v));
  return text;
}

// The change of the clock from base to candidate.
double ClockChange(const Verdict& v) { return (1 + v.cycles->change) / (1 + v.time->change) - 1; }

// The largest difference within the interval.
double Hidden(const Verdict& v) {
  const Shift& s = v.cycles ? *v.cycles : *v.time;
  return std::max(s.high, -s.low);
}

// The effects that look like a difference of the code if there is only one process.
std::string WhatSticks(const Verdict& v, double change) {
  if (v.processes > 0 || std::abs(change) > kSticksToProcess) return "";
  const std::string_view tells = HowToSampleFor(v).tells_modes;
  return fmt::format("; with one process of each, a mode that stays for a process could be as large{}{}",
                     tells.empty() ? "" : ": ", tells);
}

std::string Agreement(const Verdict& v, const Side& base, const Side& candidate) {
  const double change = v.cycles ? v.cycles->change : v.time->change;
  const double floor = v.cycles ? v.floor.change : v.floor.OfTime();
  // Noise of the GPU's kind is the usual one, so nothing is said about it.
  const std::string noise = fmt::format("the noise of {}{}", Size(floor),
                                        v.floor.of == NoiseOf::kKind ? "" : fmt::format(" ({})", ToText(v.floor.of)));
  const bool unusable = base.times.no_clocks + candidate.times.no_clocks > 0;
  const std::string without = v.cycles ? ""
                                       : fmt::format(", judged by time alone because {}",
                                                     unusable ? "no clock that was measured can be used"
                                                              : "the clock of its timed launches was not measured");
  if (v.speed != Speed::kSame)
    return fmt::format("{}beyond {}{}{}{}", std::abs(change) >= kFarBeyond * floor ? "far " : "", noise, without,
                       TimeContains0(v) ? ", by the cycles alone: the interval of the time contains 0" : "",
                       WhatSticks(v, change));
  if (std::abs(std::log1p(change)) <= std::log1p(floor)) return "within " + noise + without;
  return fmt::format("no more than the scatter of the {} explains, which could hide up to {}{}", Values(v),
                     Size(Hidden(v)), without);
}

std::string Clocks(const Side& base, const Side& candidate) {
  if (!base.times.clock_mhz || !candidate.times.clock_mhz) return "";
  return fmt::format(" ({} -> {})", Format(*base.times.clock_mhz, Unit::kMhz),
                     Format(*candidate.times.clock_mhz, Unit::kMhz));
}

// "two groups, around 330.1 us and 341.5 us": a gap wider than both groups together.
std::optional<std::string> TwoGroups(const Side& side) {
  std::vector<double> times;
  for (const Sample& s : side.samples)
    if (IsKept(s)) times.push_back(s.time_us);
  std::sort(times.begin(), times.end());
  const auto n = times.size();
  for (std::size_t i = 1; i < n; ++i) {
    const auto smaller = static_cast<double>(std::min(i, n - i));
    const double gap = times[i] - times[i - 1], within = times.back() - times.front() - gap;
    if (smaller < kGroupShare * static_cast<double>(n) || smaller < 2 || gap <= within) continue;
    const std::span<const double> all(times);
    return fmt::format("the samples of the {} fall into two groups, around {} and {}", side.name,
                       Microseconds(Quantile(all.first(i), 0.5)), Microseconds(Quantile(all.subspan(i), 0.5)));
  }
  return std::nullopt;
}

std::string WideSamples(const Verdict& v, const Side& base, const Side& candidate) {
  std::string text = fmt::format("the {} scatter so widely that a difference of up to {} could hide in them", Values(v),
                                 Size(Hidden(v)));
  for (const Side* side : {&base, &candidate})
    if (const auto groups = TwoGroups(*side)) text += "; " + *groups;
  if (v.processes > 0) return text + (v.source ? "; record more" : "; record more with --processes");
  return fmt::format("{}; {}", text, HowToSampleFor(v).more);
}

std::string LeftOut(const Side& side) {
  return side.times.left_out > 0 ? fmt::format(" ({} left out for a low clock)", side.times.left_out) : "";
}

std::string FewProcesses(const Verdict& v, const Side& base, const Side& candidate) {
  const std::string_view enough = HowToSampleFor(v).enough_processes;
  return fmt::format("{} {} of the base and {} of the candidate are too few for a {:.0f} % interval{}{}.",
                     base.processes, Values(v), candidate.processes, 100 * kVerdictConfidence,
                     enough.empty() ? "" : "; ", enough);
}

std::string FewSamples(const Verdict& v, const Side& base, const Side& candidate) {
  return fmt::format(
      "{} sample{} of the base{} and {} of the candidate{} can be used, too few for a {:.0f} % interval; {}.",
      base.times.kept, base.times.kept == 1 ? "" : "s", LeftOut(base), candidate.times.kept, LeftOut(candidate),
      100 * kVerdictConfidence, HowToSampleFor(v).enough);
}

// " Left out: 3 times of the base, no positive, finite numbers." Empty if all are usable.
std::string NotUsable(const Side& base, const Side& candidate) {
  std::string text;
  for (const Side* side : {&base, &candidate})
    for (const auto& [count, what] : {std::pair(side->times.no_times, "time"), {side->times.no_clocks, "clock"}})
      if (count > 0)
        text += fmt::format(" Left out: {} {}{} of the {}, no positive, finite number{}.", count, what,
                            count == 1 ? "" : "s", side->name, count == 1 ? "" : "s");
  return text;
}

std::string Reason(const Verdict& v, Because because, const Side& base, const Side& candidate) {
  switch (because) {
    case Because::kAgreement:
    case Because::kTimeAlone: {
      std::string text = fmt::format("{}: {}", Numbers(v, base, candidate), Agreement(v, base, candidate));
      if (v.cycles && std::abs(std::log1p(ClockChange(v))) > std::log1p(v.floor.clock_change) &&
          v.speed != Speed::kSame)
        text += fmt::format("; the clock changed by {}{} as well", Percent(ClockChange(v)), Clocks(base, candidate));
      return text + ".";
    }
    case Because::kClockAlone:
      return fmt::format("{}: the clock changed by {}{}, no more than the {} usual between two launches.",
                         Numbers(v, base, candidate), Percent(ClockChange(v)), Clocks(base, candidate),
                         Size(v.floor.clock_change));
    case Because::kClockChanged:
      return fmt::format(
          "{}: the two disagree because the clock changed by {}{}, more than the {} usual between two launches; "
          "record both again, one after the other, or with locked clocks.",
          Numbers(v, base, candidate), Percent(ClockChange(v)), Clocks(base, candidate), Size(v.floor.clock_change));
    case Because::kByClock:
      return fmt::format(
          "{}: the clock changed by {}{}, more than the {} usual between two launches, and the kernel takes as many "
          "cycles as before; look for a limit of power or temperature (nvidia-smi -q -d PERFORMANCE), and record both "
          "again at one clock to compare the code.",
          Numbers(v, base, candidate), Percent(ClockChange(v)), Clocks(base, candidate), Size(v.floor.clock_change));
    case Because::kWideSamples:
      return fmt::format("{}: {}.", Numbers(v, base, candidate), WideSamples(v, base, candidate));
    case Because::kBeyondNumbers:
      return "The times of the two lie so far apart that no number holds their ratio: they cannot both be times.";
    case Because::kFewSamples:
      break;
  }
  return v.processes > 0 ? FewProcesses(v, base, candidate) : FewSamples(v, base, candidate);
}

}  // namespace

std::string ReasonFor(const Verdict& v, Because because, std::span<const Sample> base_samples,
                      std::span<const Sample> candidate_samples) {
  const Side base{Summarize(base_samples), "base", base_samples, ProcessesOf(base_samples)};
  const Side candidate{Summarize(candidate_samples), "candidate", candidate_samples, ProcessesOf(candidate_samples)};
  return Reason(v, because, base, candidate) + NotUsable(base, candidate);
}

}  // namespace culprit
