// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/why/verdict_reason.h"

namespace culprit {
namespace {

// A difference above it should not hide behind a "same": half as much again as the 2 % that docs/noise.md shows is
// found. Where the floor itself is higher, twice the floor, which no interval stays below.
constexpr double kLargestHidden = 0.03;

// The time agrees with the cycles when it moved at least half the noise floor in their direction: with cycles just
// beyond the floor, what the clock did is then smaller than what the kernel did.
constexpr double kAgreement = 0.5;

Shift Exchanged(const Shift& s) { return {1 / (1 + s.change) - 1, 1 / (1 + s.high) - 1, 1 / (1 + s.low) - 1}; }

// The scatter of samples within a launch and the noise from launch to launch are independent: their widths add as
// squares. On logarithms, where a shift and its reverse have one size.
Shift Widened(const Shift& s, double noise) {
  const double middle = std::log1p(s.change), floor = std::log1p(noise);
  return {s.change, std::expm1(middle - std::hypot(middle - std::log1p(s.low), floor)),
          std::expm1(middle + std::hypot(std::log1p(s.high) - middle, floor))};
}

Outcome Judge(const Shift& s, double floor) {
  if (s.low > 0) return Outcome::kSlower;
  if (s.high < 0) return Outcome::kFaster;
  const double hidden = std::log1p(std::max(kLargestHidden, 2 * floor));
  return std::max(-std::log1p(s.low), std::log1p(s.high)) > hidden ? Outcome::kAmbiguous : Outcome::kSame;
}

// For the cycles of a candidate that took more of them.
bool TimeAgrees(const Shift& time, double floor) { return std::log1p(time.change) > kAgreement * std::log1p(floor); }

struct Judged {
  Outcome outcome;
  Ground ground;
};

Judged JudgeBoth(const Shift& narrow_time, const Shift& cycles, const NoiseFloor& floor) {
  const double clock = std::log1p(cycles.change) - std::log1p(narrow_time.change);
  const Outcome by_cycles = Judge(cycles, floor.change);
  const bool usual = std::abs(clock) <= std::log1p(floor.clock_change);
  if (by_cycles == Outcome::kAmbiguous) return {by_cycles, Ground::kWideSamples};
  const Outcome by_time = Judge(narrow_time, floor.change);
  if (by_time == by_cycles) return {by_cycles, Ground::kAgreement};
  if (!usual) return {Outcome::kAmbiguous, Ground::kClockChanged};
  if (by_cycles == Outcome::kSame) return {Outcome::kSame, Ground::kClockAlone};
  const bool agrees = TimeAgrees(by_cycles == Outcome::kSlower ? narrow_time : Exchanged(narrow_time), floor.change);
  if (agrees) return {by_cycles, Ground::kAgreement};
  return {Outcome::kSame, Ground::kClockAlone};
}

struct Values {
  std::vector<double> times, cycles;
};

Values UsableOf(std::span<const Sample> samples) {
  Values values;
  for (const Sample& s : samples) {
    if (s.low_clock || !(s.time_us > 0)) continue;
    values.times.push_back(s.time_us);
    if (s.clock_mhz && *s.clock_mhz > 0) values.cycles.push_back(s.time_us * *s.clock_mhz);
  }
  return values;
}

}  // namespace

SpeedVerdict JudgeSpeed(std::span<const Sample> base, std::span<const Sample> candidate, const NoiseFloor& floor) {
  const Values b = UsableOf(base), c = UsableOf(candidate);
  SpeedVerdict verdict;
  verdict.floor = floor;
  Judged judged{Outcome::kAmbiguous, Ground::kFewSamples};
  if (const auto time = EstimateShift(b.times, c.times, kVerdictConfidence)) {
    const double of_time = std::hypot(floor.change, floor.clock_change);
    verdict.time = Widened(*time, of_time);
    if (const auto cycles = EstimateShift(b.cycles, c.cycles, kVerdictConfidence)) {
      verdict.cycles = Widened(*cycles, floor.change);
      judged = JudgeBoth(Widened(*time, floor.change), *verdict.cycles, floor);
    } else {
      judged.outcome = Judge(*verdict.time, of_time);
      judged.ground = judged.outcome == Outcome::kAmbiguous ? Ground::kWideSamples : Ground::kTimeAlone;
    }
  }
  verdict.outcome = judged.outcome;
  verdict.reason = ReasonFor(verdict, judged.ground, base, candidate);
  return verdict;
}

std::string_view ToText(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFaster:
      return "faster";
    case Outcome::kSame:
      return "same";
    case Outcome::kAmbiguous:
      return "ambiguous";
  }
  return "ambiguous";
}

}  // namespace culprit
