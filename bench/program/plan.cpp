// SPDX-License-Identifier: Apache-2.0
#include "bench/program/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/launch/name.h"
#include "analysis/number/format.h"
#include "bench/program/shell_words.h"

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
// Exact counts take an execution for each kernel and geometry.
constexpr std::size_t kMostExact = 8;
constexpr double kMostExactS = 60;
// What CUPTI needs for a launch beside its passes: 0.65 s for the first start on a fresh machine, 0.6 s for the passes'
// starts and stops (docs/evidence/cupti.md), and as much again.
constexpr double kLimitS = 3;
// CUPTI saves memory in use before a launch and restores it for each pass: on the GPU, or on the host where it does not
// fit beside. At least so fast: a program that used 56 of 80 GB took 9 s for 16 passes of a launch (100 GB/s).
constexpr double kSavedOnGpu = 5e11, kSavedOnHost = 5e10;  // bytes per second
// The same where nobody saw how much memory the program used.
constexpr double kUnknownSavingS = 10;
// What a launch usually takes (docs/programs.md), beside its passes and saving memory.
constexpr double kUsualS = 0.2;
// Passes of a set on GH100, and how much longer a kernel may take in a pass, without its neighbours' data in L2. Patched
// code runs one pass, up to 30 times slower.
constexpr double kPassesOfCore = 16, kPassesOfFull = 24, kLongerAlone = 2;
// An execution that counts or samples: the start of CUPTI's profiler in each process, and how much slower a program is
// while its launches are told apart and run one after the other.
constexpr double kMostStartS = 20, kMostSlowdown = 5;

// A kernel that seems to wait for the host or for another kernel, because it does nearly nothing for a millisecond and
// more: so few instructions in a cycle, of the whole GPU (a warp that waits for each load from device memory executes
// 0.005 to 0.01; one that polls the host 0.002), and so few bytes of device memory in a microsecond (one lane that
// follows pointers there reads 100).
constexpr double kLongWaitUs = 1000, kIdleInstructions = 0.02, kIdleBytes = 50;
// Kernels of libraries in which GPUs wait for each other.
constexpr std::string_view kOfPeers[] = {"nccl", "nvshmem"};

// A recording may take 2.2 times the program, and 5 s. Of these, the usual two executions and the start of a third take
// three times the program, and 1.7 s (docs/evidence/record_costs.md).
constexpr double kMostTimes = 2.2, kMostBesideS = 5, kTimes = 3, kBesideS = 1.7;
constexpr std::ptrdiff_t kMissedLists = 2;

// Samples of a kernel, twice those that are enough (profiler/sampling_plan.h), and of a program: what CUPTI's buffers
// take at once where its threads read them ten times a second. More samples than those at 2^14 cycles are of no use.
constexpr double kWantedSamples = 40'000, kMostSamplesOfProgram = 2e7, kUsualPeriod = 14;
// Denser ones that loops keep time with least (profiler/sampling_plan.h).
constexpr double kDensePeriod = 11, kDensestPeriod = 7, kSparsestPeriod = 28;

bool IsNamed(const ProgramKernel& kernel, const NamePattern& names) {
  return names.Finds(kernel.readable) || names.Finds(kernel.stage);
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

double ValueOf(const LaunchClass& of, std::string_view id) {
  const auto found = std::ranges::find(of.sampled, id, [](const Reading& r) { return r.metric.id; });
  return found == of.sampled.end() ? -1 : found->value.value_or(-1);
}

bool IsIdle(const LaunchClass& of) {
  const double us = of.calls > 0 ? of.time_us / static_cast<double>(of.calls) : 0;
  const double instructions = ValueOf(of, "inst_executed"), cycles = ValueOf(of, "sm_cycles_elapsed_max"),
               bytes = ValueOf(of, "dram_read_bytes");
  return us >= kLongWaitUs && cycles > 0 && instructions >= 0 && bytes >= 0 &&
         instructions < kIdleInstructions * cycles && bytes < kIdleBytes * us;
}

// Why a kernel that ended in the program would not end when it is replayed alone. Empty: nothing says so.
// `is_named`: the user asks for it, and knows better than samples.
std::string WhyItWaits(const LaunchClass& of, const TimedProgram& timed, bool is_named) {
  const std::string& name = timed.kernels[of.kernel].readable;
  const bool has_peers = timed.program.gpus > 1 || timed.program.gpu_processes.size() > 1;
  if (has_peers && std::ranges::any_of(kOfPeers, [&](std::string_view of_peers) { return name.starts_with(of_peers); }))
    return "it waits for other GPUs, so it would not end when it is replayed alone";
  if (!is_named && IsIdle(of))
    return fmt::format(
        "it executed {} instructions in {} a call, so it seems to wait for the host or for another kernel, and would "
        "not end when it is replayed alone",
        Format(ValueOf(of, "inst_executed"), Unit::kCount),
        Format(of.time_us / static_cast<double>(of.calls), Unit::kTimeUs));
  return {};
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

// Numbers of `countables`: of each of their kernels that with most time, the kernel with most time first.
std::vector<std::size_t> CostliestOfKernels(std::span<const Countable* const> countables) {
  std::map<std::size_t, double> time_us;  // by kernel
  std::vector<std::size_t> costliest;
  for (std::size_t i = 0; i < countables.size(); ++i) {
    const auto [sum_us, is_new] = time_us.try_emplace(countables[i]->kernel);
    sum_us->second += countables[i]->time_us;
    if (is_new) costliest.push_back(i);  // most time comes first
  }
  std::ranges::stable_sort(costliest, std::greater<>(), [&](std::size_t i) { return time_us[countables[i]->kernel]; });
  return costliest;
}

// Those that are counted, most time first.
std::vector<const Countable*> Choose(const TimedProgram& timed, const CountingWishes& wishes,
                                     const std::map<Key, std::string>& waiting) {
  std::vector<const Countable*> all;
  for (const Countable& countable : timed.countables)
    if ((!wishes.names || IsNamed(timed.kernels[countable.kernel], *wishes.names)) &&
        !waiting.contains({countable.kernel, countable.geometry}))
      all.push_back(&countable);
  if (wishes.names) return all;
  const auto matters = [&, least_us = kLeastTime * timed.KernelTimeUs()](std::size_t i) {
    return all[i]->time_us >= least_us;
  };
  std::set<std::size_t> in_any_case;
  for (const std::size_t i : CostliestOfKernels(all))
    if (in_any_case.size() < kFewCountables && matters(i)) in_any_case.insert(i);
  const std::size_t leading = Leading(timed);
  std::vector<const Countable*> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_kept = in_any_case.erase(i) > 0;
    const bool is_wanted = i < leading || (chosen.size() < kFewCountables && matters(i));
    const bool has_room = chosen.size() + in_any_case.size() < kMostCountables;
    if (is_kept || (is_wanted && has_room)) chosen.push_back(all[i]);
  }
  return chosen;
}

// How many of the `kernels`, by their costliest geometries, have 95 % of the time of all.
std::size_t LeadingKernels(const TimedProgram& timed, std::span<const Countable* const> chosen,
                           std::span<const std::size_t> kernels) {
  double left_us = kMostTime * timed.KernelTimeUs();
  std::size_t leading = 0;
  for (; leading < kernels.size() && left_us > 0; ++leading)
    for (const Countable& countable : timed.countables)
      if (countable.kernel == chosen[kernels[leading]]->kernel) left_us -= countable.time_us;
  return leading;
}

// Those of `chosen` whose exact counts are worth their executions.
std::vector<std::size_t> ChooseExact(const TimedProgram& timed, const CountingWishes& wishes,
                                     std::span<const Countable* const> chosen) {
  std::vector<std::size_t> exact = CostliestOfKernels(chosen);
  std::size_t most = wishes.names ? exact.size() : LeadingKernels(timed, chosen, exact);
  const std::set<std::size_t> first(exact.begin(), exact.end());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (!first.contains(i)) exact.push_back(i);  // a further geometry
  const double wall_us = std::max({timed.execution_us, timed.program.wall_us.value_or(0), 1.0});
  const double affordable = std::min(kMostExactS * 1e6 / wall_us, static_cast<double>(kMostExact));
  most = std::min(std::max(most, static_cast<std::size_t>(affordable)), kMostExact);
  exact.resize(std::min(exact.size(), most));
  return exact;
}

// None: nobody saw how much memory the program used.
std::optional<double> SavingS(const TimedProgram& timed, double passes) {
  const double all = timed.device ? static_cast<double>(timed.device->memory_bytes) : 0;
  const double used = static_cast<double>(timed.memory_bytes);
  if (used == 0) return std::nullopt;
  return (1 + passes) * used / (2 * used > all ? kSavedOnHost : kSavedOnGpu);
}

}  // namespace

// Of launches in all ranges: the library numbers them among all of their kernel.
CountingPlan PlanCounting(const TimedProgram& timed, const CountingWishes& wishes) {
  CountingPlan result{{TraceMode::kCount, wishes.set, {}}, {}, {}, {}};
  std::map<Key, std::string> why_not;
  for (const LaunchClass& of : timed.classes)
    if (const std::string why = WhyItWaits(of, timed, wishes.names && IsNamed(timed.kernels[of.kernel], *wishes.names));
        !why.empty() && why_not.try_emplace({of.kernel, of.geometry}, why).second)
      if (!wishes.names || IsNamed(timed.kernels[of.kernel], *wishes.names))
        result.skipped.push_back(fmt::format("{} is not replayed: {}.", timed.kernels[of.kernel].stage, why));
  const std::vector<const Countable*> countables = Choose(timed, wishes, why_not);
  const double passes = wishes.set == "full" ? kPassesOfFull : kPassesOfCore;
  const std::optional<double> saving_s = SavingS(timed, passes);
  double left_s = wishes.most_s.value_or(0);
  std::set<Key> chosen;
  std::vector<const Countable*> planned;
  for (const Countable* countable : countables) {
    const Key key{countable->kernel, countable->geometry};
    const ProgramKernel& kernel = timed.kernels[countable->kernel];
    std::vector<std::int64_t> numbers = Spread(countable->numbers, static_cast<std::size_t>(wishes.launches));
    const double passes_s = passes * kLongerAlone * countable->slowest_us / 1e6;
    const double expected_s = (kUsualS + saving_s.value_or(0) + passes_s) * static_cast<double>(numbers.size());
    if (wishes.most_s && expected_s > left_s) {
      const bool is_long = expected_s > *wishes.most_s;
      const std::string why =
          fmt::format("{}; culprit record -k {} counts it",
                      is_long ? fmt::format("that would take about {:.0f} s", expected_s)
                              : fmt::format("the {:.1f} s for replays went to kernels with more time", *wishes.most_s),
                      ShellWord(kernel.stage));
      why_not[key] = "replay was left out: " + why;
      if (is_long) result.skipped.push_back(fmt::format("{} is not replayed: {}.", kernel.stage, why));
      continue;
    }
    left_s -= expected_s;
    result.expected_s += expected_s;
    chosen.insert(key);
    planned.push_back(countable);
    result.plan.kernels.push_back({kernel.symbol, countable->geometry, std::move(numbers),
                                   kLimitS + saving_s.value_or(kUnknownSavingS) + passes_s});
  }
  result.exact = ChooseExact(timed, wishes, planned);
  const double all_us = timed.KernelTimeUs();
  for (const LaunchClass& of : timed.classes) {
    std::string& why = result.not_counted.emplace_back();
    if (chosen.contains({of.kernel, of.geometry})) continue;
    if (const auto found = why_not.find({of.kernel, of.geometry}); found != why_not.end())
      why = found->second;
    else if (wishes.names)
      why = "-k leaves it out";
    else
      why = fmt::format("{} of kernel time: use -k to count it",
                        Format(all_us > 0 ? 100 * of.time_us / all_us : 0, Unit::kPercent));
  }
  return result;
}

double UnaskedReplayS(const TimedProgram& timed) {
  if (std::ranges::count_if(timed.missed, &MissedKernels::AreMost) < kMissedLists) return 0;
  const double left_s = kMostBesideS - kBesideS - (kTimes - kMostTimes) * timed.execution_us / 1e6;
  return left_s < kUsualS ? 0 : left_s;
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
