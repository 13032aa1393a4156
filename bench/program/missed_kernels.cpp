// SPDX-License-Identifier: Apache-2.0
#include "bench/program/missed_kernels.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

constexpr double kNsPerUs = 1000, kLeastUs = 10'000;
// Between two records of a turn. Lost records make smaller gaps.
constexpr std::int64_t kLargestGapNs = 10'000'000;
// Kernels with less time are not worth another recording (bench/program/plan.cpp).
constexpr double kNotable = 0.05;

struct Turn {
  std::int64_t start_ns, end_ns;
};

// Without times in which nothing was sampled, ascending.
std::vector<Turn> TurnsOf(const CounterTurn& list, const GpuWork& gpu) {
  std::vector<Turn> turns;
  for (const TracedCounters* const records : gpu.counters) {
    if (!std::ranges::equal(records->metrics, list.counters, {}, &MetricDefinition::cupti_name, &TurnCounter::name))
      continue;
    for (std::size_t r = 0; r < records->start_ns.size(); ++r)
      if (r > 0 && records->start_ns[r] - records->end_ns[r - 1] <= kLargestGapNs)
        turns.back().end_ns = records->end_ns[r];
      else
        turns.push_back({records->start_ns[r], records->end_ns[r]});
  }
  std::ranges::sort(turns, {}, &Turn::start_ns);
  return turns;
}

// Calls `function` with each launch of these classes and each turn of the list in which it ran.
template <class Function>
void ForEachInTurns(const CounterTurn& list, std::span<const GpuWork> gpus, std::size_t classes,
                    const Function& function) {
  for (const GpuWork& gpu : gpus) {
    const std::vector<Turn> turns = TurnsOf(list, gpu);
    for (const ClassLaunch& launch : gpu.launches) {
      if (launch.kernel_class >= classes) continue;
      for (auto turn = std::ranges::upper_bound(turns, launch.start_ns, {}, &Turn::end_ns);
           turn != turns.end() && turn->start_ns < launch.end_ns; ++turn)
        function(launch, *turn);
    }
  }
}

MissedKernels MissedBy(const CounterTurn& list, std::span<const GpuWork> gpus, std::span<const double> time_us) {
  std::vector<bool> was_counted(time_us.size());
  double counted_us = 0;
  ForEachInTurns(list, gpus, time_us.size(), [&](const ClassLaunch& launch, const Turn& turn) {
    was_counted[launch.kernel_class] = true;
    counted_us +=
        static_cast<double>(std::min(launch.end_ns, turn.end_ns) - std::max(launch.start_ns, turn.start_ns)) / kNsPerUs;
  });
  const double all_us = std::accumulate(time_us.begin(), time_us.end(), 0.0);
  const bool had_turn = counted_us >= std::min(kLeastUs, kNotable * all_us);
  MissedKernels missed{list.what};
  double missed_us = 0, most_us = 0;
  for (std::size_t c = 0; c < time_us.size(); ++c) {
    if (had_turn && was_counted[c]) continue;
    missed_us += time_us[c];
    if (time_us[c] > most_us) most_us = time_us[c], missed.costliest = c;
  }
  missed.share = all_us > 0 ? missed_us / all_us : 0;
  return missed;
}

}  // namespace

std::vector<MissedKernels> KernelsMissedByLists(std::span<const GpuWork> gpus, std::span<const double> time_us,
                                                std::string_view chip) {
  std::vector<MissedKernels> missed;
  for (const CounterTurn& list : CounterTurnsOn(chip))
    if (const MissedKernels by = MissedBy(list, gpus, time_us); by.share > kNotable) missed.push_back(by);
  return missed;
}

std::vector<bool> ClassesInRecords(std::span<const GpuWork> gpus, std::size_t classes, std::string_view chip) {
  std::vector<bool> are(classes);
  for (const CounterTurn& list : CounterTurnsOn(chip))
    ForEachInTurns(list, gpus, classes,
                   [&](const ClassLaunch& launch, const Turn&) { are[launch.kernel_class] = true; });
  return are;
}

}  // namespace culprit
