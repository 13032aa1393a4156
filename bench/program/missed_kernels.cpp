// SPDX-License-Identifier: Apache-2.0
#include "bench/program/missed_kernels.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

constexpr double kLeastNs = 1e7;
// Kernels with less time are not worth another recording (bench/program/plan.cpp).
constexpr double kNotable = 0.05;

struct Turn {
  std::int64_t start_ns, end_ns;
};

std::vector<double> TimeOfClasses(std::span<const GpuWork> gpus, std::size_t classes) {
  std::vector<double> time_ns(classes);
  for (const GpuWork& gpu : gpus)
    for (const ClassLaunch& launch : gpu.launches)
      if (launch.kernel_class < classes)
        time_ns[launch.kernel_class] += static_cast<double>(launch.end_ns - launch.start_ns);
  return time_ns;
}

// From the first record to the last one, ascending.
std::vector<Turn> TurnsOf(const CounterTurn& list, const GpuWork& gpu) {
  std::vector<Turn> turns;
  for (const TracedCounters* const records : gpu.counters)
    if (!records->start_ns.empty() &&
        std::ranges::equal(records->metrics, list.counters, {}, &MetricDefinition::cupti_name, &TurnCounter::name))
      turns.push_back({records->start_ns.front(), records->end_ns.back()});
  std::ranges::sort(turns, {}, &Turn::start_ns);
  return turns;
}

MissedKernels MissedBy(const CounterTurn& list, std::span<const GpuWork> gpus, std::span<const double> time_ns) {
  std::vector<bool> was_counted(time_ns.size());
  double counted_ns = 0;
  for (const GpuWork& gpu : gpus) {
    const std::vector<Turn> turns = TurnsOf(list, gpu);
    for (const ClassLaunch& launch : gpu.launches) {
      if (launch.kernel_class >= time_ns.size()) continue;
      const auto turn = std::ranges::upper_bound(turns, launch.start_ns, {}, &Turn::end_ns);
      if (turn == turns.end() || turn->start_ns >= launch.end_ns) continue;
      was_counted[launch.kernel_class] = true;
      counted_ns +=
          static_cast<double>(std::min(launch.end_ns, turn->end_ns) - std::max(launch.start_ns, turn->start_ns));
    }
  }
  const double all_ns = std::accumulate(time_ns.begin(), time_ns.end(), 0.0);
  const bool had_turn = counted_ns >= std::min(kLeastNs, kNotable * all_ns);
  MissedKernels missed{list.what};
  double missed_ns = 0, most_ns = 0;
  for (std::size_t c = 0; c < time_ns.size(); ++c) {
    if (had_turn && was_counted[c]) continue;
    missed_ns += time_ns[c];
    if (time_ns[c] > most_ns) most_ns = time_ns[c], missed.costliest = c;
  }
  missed.share = all_ns > 0 ? missed_ns / all_ns : 0;
  return missed;
}

}  // namespace

std::vector<MissedKernels> KernelsMissedByLists(std::span<const GpuWork> gpus, std::size_t classes,
                                                std::string_view chip) {
  const std::vector<double> time_ns = TimeOfClasses(gpus, classes);
  std::vector<MissedKernels> missed;
  for (const CounterTurn& list : CounterTurnsOn(chip))
    if (const MissedKernels by = MissedBy(list, gpus, time_ns); by.share > kNotable) missed.push_back(by);
  return missed;
}

}  // namespace culprit
