// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict/pair_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/kernel/how_to_measure.h"
#include "analysis/number/statistics.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// Of 29,280 pairs of single samples of one launch (recordings that ship, H200, at boost clocks), none differed by more
// than 9.3 %: a difference twice that is one also where a side has fewer samples than an interval needs.
constexpr double kApartForSingles = 0.2;

// The larger one of the two recordings, for launches as short as the shorter of the two.
NoiseFloor FloorOf(const KernelView& base, const KernelView& candidate) {
  double shorter_us = std::numeric_limits<double>::infinity();
  for (const KernelView* side : {&base, &candidate})
    shorter_us = std::min(shorter_us, side->Get("time_us").value_or(shorter_us));
  const auto floor = [&](const KernelView& side) {
    const RunRecord& run = side.record().run.run;
    return NoiseFloorOf(run.device ? run.device->name : "", std::isfinite(shorter_us) ? shorter_us : 0, run.machine);
  };
  const NoiseFloor of_base = floor(base), of_candidate = floor(candidate);
  return of_base.change > of_candidate.change ? of_base : of_candidate;
}

// The parts sum to the difference of medians, which samples in two groups can put on the other side of the shift that
// the verdict rests on.
void HoldAgainstMedians(double delta_us, Verdict& verdict) {
  const bool slower = verdict.speed == Speed::kSlower, faster = verdict.speed == Speed::kFaster;
  if (!(slower && delta_us <= 0) && !(faster && delta_us >= 0)) return;
  verdict.speed = Speed::kAmbiguous;
  verdict.reason = fmt::format(
      "The samples as a whole are {} ({}), but their medians differ by {}: they fall into groups, so take more "
      "samples.",
      slower ? "slower" : "faster", Format(100 * verdict.time->change, Unit::kChangePercent),
      Format(delta_us, Unit::kTimeDeltaUs));
}

// Each of `slower` by so much above each of `faster`; by less than 0 where they overlap. None without values.
std::optional<double> Gap(const std::vector<double>& faster, const std::vector<double>& slower) {
  if (faster.empty() || slower.empty()) return std::nullopt;
  return std::ranges::min(slower) / std::ranges::max(faster) - 1;
}

struct Singles {
  std::vector<double> times, cycles;
};

Singles SinglesOf(const KernelView& kernel) {
  Singles singles;
  for (const Sample& sample : kernel.record().samples) {
    if (!IsKept(sample)) continue;
    singles.times.push_back(sample.time_us);
    if (const auto clock = ClockOf(sample)) singles.cycles.push_back(sample.time_us * *clock);
  }
  return singles;
}

// A profiler's report often has one launch of a kernel, at a steady clock: too few for an interval, and often enough.
void JudgeSingleProfiles(const KernelView& base, const KernelView& candidate, Verdict& verdict) {
  if (verdict.speed != Speed::kAmbiguous || verdict.time) return;
  for (const KernelView* side : {&base, &candidate})
    if (!IsFrom(side->record().run.run, ProgramSource::kNcu)) return;
  const Singles from = SinglesOf(base), to = SinglesOf(candidate);
  const auto judge = [&](Speed speed, const Singles& faster, const Singles& slower) {
    const auto time = Gap(faster.times, slower.times), cycles = Gap(faster.cycles, slower.cycles);
    // What the clock alone makes longer is no difference of the kernels.
    if (!time || *time <= kApartForSingles || !cycles || *cycles <= kApartForSingles) return;
    verdict.speed = speed;
    verdict.reason = fmt::format(
        "{} profiled launch{} of the base and {} of the candidate are too few for an interval, but lie {} apart in "
        "time and {} in cycles, more than twice what single launches of one kernel do.",
        from.times.size(), from.times.size() == 1 ? "" : "es", to.times.size(), Format(100 * *time, Unit::kPercent),
        Format(100 * *cycles, Unit::kPercent));
  };
  judge(Speed::kSlower, from, to);
  judge(Speed::kFaster, to, from);
}

}  // namespace

Verdict VerdictOnPair(const KernelView& base, const KernelView& candidate) {
  Verdict verdict =
      VerdictOn(base.record().samples, candidate.record().samples, FloorOf(base, candidate),
                HowRecorded(base.record().run, candidate.record().run), SourceOf(candidate.record().run.run));
  HoldAgainstMedians(candidate.Get("time_us").value_or(0) - base.Get("time_us").value_or(0), verdict);
  JudgeSingleProfiles(base, candidate, verdict);
  return verdict;
}

}  // namespace culprit
