// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "analysis/judge/difference/shift.h"
#include "analysis/judge/difference/verdict_reason.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/number/format.h"
#include "analysis/number/name_in.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

// The largest change that a "same" may hide. It is the sum of the 2 % that the test aims to find and of the 1.5 % that
// the interval spans on each side. The 1.5 % holds for samples as scattered as those of one launch in a hundred above
// 40 us (interquartile range 1.9 %, 16 samples a side). If the noise floor is high, three times the floor may hide. An
// interval that consists of the floor alone reaches to twice the floor before it excludes 0.
constexpr double kLargestHidden = 0.035;
constexpr double kLargestHiddenInFloors = 3;

// Time and cycles agree if the less certain of them moved in the direction of the other by at least half the noise
// floor. The clock then explains the rest of their difference.
constexpr double kAgreement = 0.5;

Shift Exchanged(const Shift& s) { return {1 / (1 + s.change) - 1, 1 / (1 + s.high) - 1, 1 / (1 + s.low) - 1}; }

// A shift of -100 % is not finite either, because it has no logarithm.
bool IsFinite(const Shift& s) {
  return std::isfinite(s.change) && std::isfinite(s.low) && std::isfinite(s.high) && s.low > -1;
}

struct Decision {
  Speed speed;
  Because because;
};

// Whether the shift has the direction of `speed`, which is slower or faster.
bool Agrees(const Shift& s, Speed speed, double floor) {
  const double moved = std::log1p((speed == Speed::kSlower ? s : Exchanged(s)).change);
  return moved > kAgreement * std::log1p(floor);
}

// `narrow_time` includes the noise floor. `wide_time` also includes the usual change of the clock.
Decision DecideByBoth(const Shift& narrow_time, const Shift& wide_time, const Shift& cycles, const NoiseFloor& floor) {
  const Speed by_cycles = SpeedIn(cycles, floor.change);
  if (by_cycles == Speed::kAmbiguous) return {by_cycles, Because::kWideSamples};
  if (by_cycles == SpeedIn(narrow_time, floor.change)) return {by_cycles, Because::kAgreement};
  const double clock = std::log1p(cycles.change) - std::log1p(narrow_time.change);
  if (std::abs(clock) > std::log1p(floor.clock_change)) {
    const Speed by_time = SpeedIn(wide_time, floor.change);
    if (by_cycles == Speed::kSame && IsDifference(by_time)) return {by_time, Because::kByClock};
    return {Speed::kAmbiguous, Because::kClockChanged};
  }
  if (IsDifference(by_cycles) && Agrees(narrow_time, by_cycles, floor.change)) return {by_cycles, Because::kAgreement};
  const Speed by_time = SpeedIn(wide_time, floor.change);
  if (IsDifference(by_time) && Agrees(cycles, by_time, floor.change)) return {by_time, Because::kAgreement};
  return {Speed::kSame, Because::kClockAlone};
}

// None if there are too few values, or if their ratio with its noise is too large for a number.
std::optional<Shift> ShiftBetween(const std::vector<double>& base, const std::vector<double>& candidate, double noise) {
  const auto shift = EstimateShift(base, candidate, kVerdictConfidence);
  return shift && IsFinite(Widened(*shift, noise)) ? shift : std::nullopt;
}

}  // namespace

// Every comparison with NaN is false, so the verdict is then ambiguous. Nothing passes by default.
Speed SpeedIn(const Shift& s, double floor) {
  if (!IsFinite(s)) return Speed::kAmbiguous;
  if (s.low > 0) return Speed::kSlower;
  if (s.high < 0) return Speed::kFaster;
  const double hidden = std::log1p(std::max(kLargestHidden, kLargestHiddenInFloors * floor));
  return -std::log1p(s.low) <= hidden && std::log1p(s.high) <= hidden ? Speed::kSame : Speed::kAmbiguous;
}

bool IsDifference(Speed speed) { return speed == Speed::kSlower || speed == Speed::kFaster; }

Recorded HowRecorded(const RunSummary& base, const RunSummary& candidate) {
  if (base.run.uuid == candidate.run.uuid) return Recorded::kInTurns;
  const auto began_before_end = [](const RunSummary& one, const RunSummary& other) {
    return other.finished_utc && one.run.started_utc < *other.finished_utc;
  };
  return began_before_end(base, candidate) && began_before_end(candidate, base) ? Recorded::kInTurns : Recorded::kApart;
}

int ProcessesOf(std::span<const Sample> samples) { return static_cast<int>(ValuesByProcess(samples).size()); }

Verdict VerdictOn(std::span<const Sample> base, std::span<const Sample> candidate, NoiseFloor floor, Recorded recorded,
                  std::optional<ProgramSource> source) {
  const std::map<int, TimedValues> from = ValuesByProcess(base), to = ValuesByProcess(candidate);
  const bool as_one = from.size() > 1 && to.size() > 1;
  if (as_one && recorded == Recorded::kInTurns) floor.change = std::min(floor.change, floor.in_turns);
  const TimedValues b = Together(from, as_one), c = Together(to, as_one);
  Verdict verdict;
  verdict.floor = floor;
  verdict.source = source;
  if (as_one) verdict.processes = static_cast<int>(std::min(from.size(), to.size()));
  const bool enough = BoundingRatio(std::ssize(b.times), std::ssize(c.times), kVerdictConfidence) > 0;
  Decision decision{Speed::kAmbiguous, enough ? Because::kBeyondNumbers : Because::kFewSamples};
  const double of_time = floor.OfTime();
  if (const auto time = ShiftBetween(b.times, c.times, of_time)) {
    verdict.time = Widened(*time, of_time);
    if (const auto cycles = ShiftBetween(b.cycles, c.cycles, floor.change)) {
      verdict.cycles = Widened(*cycles, floor.change);
      decision = DecideByBoth(Widened(*time, floor.change), *verdict.time, *verdict.cycles, floor);
    } else {
      decision.speed = SpeedIn(*verdict.time, of_time);
      decision.because = decision.speed == Speed::kAmbiguous ? Because::kWideSamples : Because::kTimeAlone;
    }
  }
  verdict.speed = decision.speed;
  verdict.by_clock = decision.because == Because::kByClock;
  verdict.reason = ReasonFor(verdict, decision.because, base, candidate);
  return verdict;
}

namespace {

// Of 29,280 pairs of single samples of one launch (recordings that ship, H200, at boost clocks), none differed by more
// than 9.3 %: a difference twice that is one also where a side has fewer samples than an interval needs.
constexpr double kApartForSingles = 0.2;

// The larger one of the two recordings, for launches as short as the shorter of the two.
NoiseFloor FloorOf(const KernelView& base, const KernelView& candidate) {
  double shorter_us = std::numeric_limits<double>::infinity();
  for (const KernelView* side : {&base, &candidate})
    shorter_us = std::min(shorter_us, side->Get("time_us").value_or(shorter_us));
  const double time_us = std::isfinite(shorter_us) ? shorter_us : 0;
  const NoiseFloor of_base = NoiseFloorOf(base.record().run.run, time_us),
                   of_candidate = NoiseFloorOf(candidate.record().run.run, time_us);
  return of_base.change > of_candidate.change ? of_base : of_candidate;
}

// The parts sum to the difference of medians, which samples in two groups can put on the other side of the shift that
// the verdict rests on.
void HoldAgainstMedians(double delta_us, Verdict& verdict) {
  const bool slower = verdict.speed == Speed::kSlower, faster = verdict.speed == Speed::kFaster;
  if (!(slower && delta_us <= 0) && !(faster && delta_us >= 0)) return;
  verdict.speed = Speed::kAmbiguous;
  verdict.by_clock = false;
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

// A profiler's report often has one launch of a kernel, at a steady clock: too few for an interval, and often enough.
void JudgeSingleProfiles(const KernelView& base, const KernelView& candidate, Verdict& verdict) {
  if (verdict.speed != Speed::kAmbiguous || verdict.time) return;
  for (const KernelView* side : {&base, &candidate})
    if (!IsFrom(side->record().run.run, ProgramSource::kNcu)) return;
  const auto singles = [](const KernelView& kernel) {
    return Together(ValuesByProcess(kernel.record().samples), false);
  };
  const TimedValues from = singles(base), to = singles(candidate);
  const auto judge = [&](Speed speed, const TimedValues& faster, const TimedValues& slower) {
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
  const auto& program = candidate.record().run.run.program;
  Verdict verdict = VerdictOn(base.record().samples, candidate.record().samples, FloorOf(base, candidate),
                              HowRecorded(base.record().run, candidate.record().run),
                              program ? std::optional(program->source) : std::nullopt);
  HoldAgainstMedians(candidate.Get("time_us").value_or(0) - base.Get("time_us").value_or(0), verdict);
  JudgeSingleProfiles(base, candidate, verdict);
  return verdict;
}

bool TimeContains0(const Verdict& verdict) {
  return IsDifference(verdict.speed) && verdict.time && verdict.time->low <= 0 && verdict.time->high >= 0;
}

std::string_view ToText(Speed speed) {
  using enum Speed;
  return NameIn<Speed>({{kSlower, "slower"}, {kFaster, "faster"}, {kSame, "same"}, {kAmbiguous, "ambiguous"}}, speed);
}

}  // namespace culprit
