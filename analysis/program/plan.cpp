// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/program/name.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// What the other kernels do is a twentieth of the program: no cause in them is worth a minute of replaying.
constexpr double kMostTime = 0.95;
constexpr std::size_t kMostCountables = 24;
// But of a few kernels all are counted: of the eight in tests/strangers/programs two had less than a twentieth
// together, and one of them took nine times as long in the next build. A launch costs 0.2 s (docs/programs.md). What
// has less than a thousandth would have to become fifty times slower to matter.
constexpr std::size_t kFewCountables = 8;
constexpr double kLeastTime = 0.001;
// Exact counts take an execution for each kernel.
constexpr std::size_t kMostExact = 8;
constexpr double kMostExactS = 60;
// A full collection replays a launch some 40 times, with its memory saved and restored each time; a launch that has
// not come back after this never will.
constexpr double kLimitS = 10, kLimitPerLaunch = 200;
// An execution that counts: the start of CUPTI's profiler in each process, and what a program does slower while its
// launches are told apart and run one after the other. No bound of what is usual: beyond it the program hangs.
constexpr double kMostStartS = 60, kMostSlowdown = 20;
// Enough of a name: what std::regex needs of the stack grows with the text.
constexpr std::size_t kSearched = 2000;

// Samples of a kernel, twice those that are enough (profiler/sampling_plan.h), and of a program: what CUPTI's buffers
// take at once where its threads read them ten times a second. More samples than those at 2^14 cycles are of no use.
constexpr double kWantedSamples = 40'000, kMostSamplesOfProgram = 2e7, kUsualPeriod = 14;
// Denser ones that loops keep time with least (profiler/sampling_plan.h).
constexpr double kDensePeriod = 11, kDensestPeriod = 7, kSparsestPeriod = 28;

bool IsNamed(const ProgramKernel& kernel, const std::regex& names) {
  return std::regex_search(kernel.readable.substr(0, kSearched), names) || std::regex_search(kernel.stage, names);
}

// Evenly spread, without the first where there are enough: it finds caches and memory as no other does.
std::vector<std::int64_t> Spread(std::span<const std::int64_t> numbers, std::size_t wanted) {
  if (numbers.size() > wanted) numbers = numbers.subspan(1);
  wanted = std::min(wanted, numbers.size());
  std::vector<std::int64_t> spread;
  for (std::size_t i = 0; i < wanted; ++i)
    spread.push_back(numbers[wanted == 1 ? numbers.size() / 2 : i * (numbers.size() - 1) / (wanted - 1)]);
  return spread;
}

using Key = std::pair<std::size_t, LaunchGeometry>;

// How many of the first have 95 % of the time.
std::size_t Leading(const TimedProgram& timed) {
  const double enough_us = kMostTime * timed.KernelTimeUs();
  double time_us = 0;
  std::size_t leading = 0;
  for (; leading < timed.countables.size() && time_us < enough_us; ++leading)
    time_us += timed.countables[leading].time_us;
  return leading;
}

// Those that are counted.
std::vector<const Countable*> Choose(const TimedProgram& timed, const CountingWishes& wishes) {
  std::vector<const Countable*> chosen;
  if (wishes.names) {
    for (const Countable& countable : timed.countables)
      if (IsNamed(timed.kernels[countable.kernel], *wishes.names)) chosen.push_back(&countable);
    return chosen;
  }
  const std::size_t leading = Leading(timed), most = std::min(std::max(leading, kFewCountables), kMostCountables);
  for (const Countable& countable : std::span(timed.countables).first(std::min(most, timed.countables.size()))) {
    if (chosen.size() >= leading && countable.time_us < kLeastTime * timed.KernelTimeUs()) break;
    chosen.push_back(&countable);
  }
  return chosen;
}

// Of how many of the `chosen` kernels exact counts are worth their executions.
std::size_t ChooseExact(const TimedProgram& timed, const CountingWishes& wishes, std::size_t chosen) {
  const std::size_t most = std::min(chosen, kMostExact);
  if (wishes.names || !timed.program.wall_us) return most;
  const double affordable = kMostExactS * 1e6 / std::max(*timed.program.wall_us, 1.0);
  const auto few = static_cast<std::size_t>(std::min(affordable, static_cast<double>(kMostExact)));
  return std::min(most, std::max(Leading(timed), few));
}

}  // namespace

// Of launches in all ranges: the library numbers them among all of their kernel.
CountingPlan PlanCounting(const TimedProgram& timed, const CountingWishes& wishes) {
  CountingPlan result{{TraceMode::kCount, wishes.profile, {}}, {}, 0};
  std::set<Key> chosen;
  for (const Countable* countable : Choose(timed, wishes)) {
    chosen.emplace(countable->kernel, countable->geometry);
    result.plan.kernels.push_back({timed.kernels[countable->kernel].symbol, countable->geometry,
                                   Spread(countable->numbers, static_cast<std::size_t>(wishes.launches)),
                                   kLimitS + kLimitPerLaunch * countable->slowest_us / 1e6});
  }
  result.exact = ChooseExact(timed, wishes, result.plan.kernels.size());
  const double all_us = timed.KernelTimeUs();
  for (const LaunchClass& of : timed.classes) {
    std::string& why = result.not_counted.emplace_back();
    if (chosen.contains({of.kernel, of.geometry})) continue;
    if (wishes.names)
      why = "-k leaves it out";
    else
      why = fmt::format("{} of kernel time: use -k to count it",
                        Format(all_us > 0 ? 100 * of.time_us / all_us : 0, Unit::kPercent));
  }
  return result;
}

TracePlan PlanSampling(const TimedProgram& timed) {
  TracePlan plan{.mode = TraceMode::kSample, .profile = "lines", .kernels = {}};
  const double all_us = timed.KernelTimeUs();
  if (!timed.device || !(timed.device->sm_clock_mhz > 0) || timed.device->sm_count < 1 || !(all_us > 0)) return plan;
  double least_us = all_us;
  for (const Countable& countable : std::span(timed.countables).first(std::min(Leading(timed), kMostCountables)))
    least_us = std::min(least_us, countable.time_us);
  const double cycles_per_us = timed.device->sm_clock_mhz * timed.device->sm_count;  // of all SMs together
  const double dense = std::floor(std::log2(least_us * cycles_per_us / kWantedSamples));
  const double sparse = std::ceil(std::log2(all_us * cycles_per_us / kMostSamplesOfProgram));
  const double enough = dense >= kUsualPeriod ? kUsualPeriod : dense >= kDensePeriod ? kDensePeriod : kDensestPeriod;
  plan.sampling_period = static_cast<int>(std::min(std::max(enough, sparse), kSparsestPeriod));
  return plan;
}

std::optional<TracePlan> PlanAgain(const TracePlan& plan, std::span<const ProcessTrace> counted) {
  std::set<std::string_view> to_blame;
  std::map<std::pair<std::string_view, LaunchGeometry>, std::set<std::int64_t>> done;
  for (const ProcessTrace& trace : counted) {
    for (const CountedLaunch& launch : trace.counted)
      if (!launch.readings.empty()) done[{SymbolOf(trace, launch), launch.geometry}].insert(launch.nth);
    const bool ended = std::ranges::any_of(trace.warnings, [](const Warning& w) { return w.code == kDidNotEnd; });
    if (ended && !trace.counted.empty() && trace.counted.back().readings.empty())
      to_blame.insert(SymbolOf(trace, trace.counted.back()));
  }
  if (to_blame.empty()) return std::nullopt;
  TracePlan left = plan;
  for (PlannedKernel& kernel : left.kernels)
    std::erase_if(kernel.nth, [&](std::int64_t n) { return done[{kernel.symbol, kernel.geometry}].contains(n); });
  std::erase_if(left.kernels, [&](const PlannedKernel& k) { return k.nth.empty() || to_blame.contains(k.symbol); });
  if (left.kernels.empty()) return std::nullopt;
  return left;
}

double CountingLimitS(const TracePlan& plan, double timed_s) {
  double limit_s = kMostStartS + kMostSlowdown * timed_s;
  for (const PlannedKernel& kernel : plan.kernels) limit_s += kernel.limit_s * static_cast<double>(kernel.nth.size());
  return limit_s;
}

}  // namespace culprit
