// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict/verdict.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

#include "analysis/number/statistics.h"
#include "analysis/verdict/interval.h"
#include "analysis/verdict/verdict_reason.h"

namespace culprit {
namespace {

// What may hide behind a "same": the 2 % that are to be found, and the 1.5 % that the interval spans on either side
// where samples are as wide as one launch in a hundred above 40 us has them (interquartile range 1.9 %, 16 a side).
// Where the floor itself is high, three times the floor: an interval that is all floor reaches to twice the floor
// before it excludes 0.
constexpr double kLargestHidden = 0.035;
constexpr double kLargestHiddenInFloors = 3;

// Time and cycles agree when the less certain of the two moved in the direction of the other by half the noise floor at
// least: what is left between them is then the clock's, not the kernel's.
constexpr double kAgreement = 0.5;

Shift Exchanged(const Shift& s) { return {1 / (1 + s.change) - 1, 1 / (1 + s.high) - 1, 1 / (1 + s.low) - 1}; }

// Not so far down either that nothing is left of the base: -100 % has no logarithm.
bool IsFinite(const Shift& s) {
  return std::isfinite(s.change) && std::isfinite(s.low) && std::isfinite(s.high) && s.low > -1;
}

struct Decision {
  Speed speed;
  Because because;
};

// In the direction of `speed`, which is slower or faster.
bool Agrees(const Shift& s, Speed speed, double floor) {
  const double moved = std::log1p((speed == Speed::kSlower ? s : Exchanged(s)).change);
  return moved > kAgreement * std::log1p(floor);
}

// `narrow_time` holds the noise floor but not what the clock usually does, which `wide_time` holds too.
Decision DecideByBoth(const Shift& narrow_time, const Shift& wide_time, const Shift& cycles, const NoiseFloor& floor) {
  const Speed by_cycles = SpeedIn(cycles, floor.change);
  if (by_cycles == Speed::kAmbiguous) return {by_cycles, Because::kWideSamples};
  if (by_cycles == SpeedIn(narrow_time, floor.change)) return {by_cycles, Because::kAgreement};
  const double clock = std::log1p(cycles.change) - std::log1p(narrow_time.change);
  if (std::abs(clock) > std::log1p(floor.clock_change)) return {Speed::kAmbiguous, Because::kClockChanged};
  if (IsDifference(by_cycles) && Agrees(narrow_time, by_cycles, floor.change)) return {by_cycles, Because::kAgreement};
  const Speed by_time = SpeedIn(wide_time, floor.change);
  if (IsDifference(by_time) && Agrees(cycles, by_time, floor.change)) return {by_time, Because::kAgreement};
  return {Speed::kSame, Because::kClockAlone};
}

struct Values {
  std::vector<double> times, cycles;
};

// By process.
std::map<int, Values> UsableOf(std::span<const Sample> samples) {
  std::map<int, Values> by_process;
  for (const Sample& s : samples) {
    if (!IsKept(s)) continue;
    Values& values = by_process[s.process];
    values.times.push_back(s.time_us);
    // The product of two such numbers need not be one.
    if (const auto clock = ClockOf(s); clock && IsPositive(s.time_us * *clock))
      values.cycles.push_back(s.time_us * *clock);
  }
  return by_process;
}

void Append(const std::vector<double>& values, bool as_one, std::vector<double>& all) {
  if (!as_one)
    all.insert(all.end(), values.begin(), values.end());
  else if (const auto summary = Describe(values))
    all.push_back(summary->median);
}

// All samples, or the median of each process.
Values Together(const std::map<int, Values>& processes, bool as_one) {
  Values all;
  for (const auto& [process, values] : processes) {
    Append(values.times, as_one, all.times);
    Append(values.cycles, as_one, all.cycles);
  }
  return all;
}

// None where there are too few values, and where no number holds their ratio with the noise around it.
std::optional<Shift> ShiftBetween(const std::vector<double>& base, const std::vector<double>& candidate, double noise) {
  const auto shift = EstimateShift(base, candidate, kVerdictConfidence);
  return shift && IsFinite(Widened(*shift, noise)) ? shift : std::nullopt;
}

}  // namespace

// Every comparison with NaN is false: whatever is not shown stays ambiguous, so that nothing passes by default.
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

int ProcessesOf(std::span<const Sample> samples) { return static_cast<int>(UsableOf(samples).size()); }

std::optional<ProgramSource> SourceOf(const RunRecord& run) {
  return run.program ? std::optional(run.program->source) : std::nullopt;
}

Verdict VerdictOn(std::span<const Sample> base, std::span<const Sample> candidate, NoiseFloor floor, Recorded recorded,
                  std::optional<ProgramSource> source) {
  const std::map<int, Values> from = UsableOf(base), to = UsableOf(candidate);
  const bool as_one = from.size() > 1 && to.size() > 1;
  if (as_one && recorded == Recorded::kInTurns) floor.change = std::min(floor.change, floor.in_turns);
  const Values b = Together(from, as_one), c = Together(to, as_one);
  Verdict verdict;
  verdict.floor = floor;
  verdict.source = source;
  if (as_one) verdict.processes = static_cast<int>(std::min(from.size(), to.size()));
  const bool enough = BoundingRatio(std::ssize(b.times), std::ssize(c.times), kVerdictConfidence) > 0;
  Decision decision{Speed::kAmbiguous, enough ? Because::kBeyondNumbers : Because::kFewSamples};
  const double of_time = std::hypot(floor.change, floor.clock_change);
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
  verdict.reason = ReasonFor(verdict, decision.because, base, candidate);
  return verdict;
}

bool TimeContains0(const Verdict& verdict) {
  return IsDifference(verdict.speed) && verdict.time && verdict.time->low <= 0 && verdict.time->high >= 0;
}

std::string_view ToText(Speed speed) {
  switch (speed) {
    case Speed::kSlower:
      return "slower";
    case Speed::kFaster:
      return "faster";
    case Speed::kSame:
      return "same";
    case Speed::kAmbiguous:
      return "ambiguous";
  }
  return "ambiguous";
}

}  // namespace culprit
