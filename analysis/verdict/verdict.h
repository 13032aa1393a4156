// SPDX-License-Identifier: Apache-2.0
// Whether one kernel is slower than another, from samples alone. First whether, then why.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/machine/machine.h"
#include "analysis/verdict/shift.h"
#include "db/records.h"

namespace culprit {

enum class Speed { kSlower, kFaster, kSame, kAmbiguous };

// Slower or faster: there is something to explain.
bool IsDifference(Speed speed);

inline constexpr double kVerdictConfidence = 0.99;

struct Verdict {
  Speed speed = Speed::kAmbiguous;
  // Each with its interval at kVerdictConfidence, which holds the scatter of the samples and the noise floor: a second
  // recording of the two kernels lies in it as well. None with too few samples for an interval. `time` includes what
  // the clock does from launch to launch, `cycles` (time x clock of each sample) does not, and has none without clocks.
  std::optional<Shift> time;
  std::optional<Shift> cycles;
  NoiseFloor floor;
  std::string reason;  // one sentence: why this speed and no other
};

// Slower or faster: the interval of the cycles excludes 0 and the time agrees. Same: it does not. Where the clock
// changed more than it usually does between launches, time and cycles must say the same, else the verdict is ambiguous,
// as it is when the samples are too few or so wide that a large difference could hide in them. Without clocks the time
// decides alone. docs/noise.md has how often this is wrong.
//
// Antisymmetric: exchanging the two turns kSlower into kFaster and every shift s into 1 / (1 + s) - 1. Samples marked
// low_clock are left out, and so are times and clocks that are not positive and finite: the reason then says so.
Verdict VerdictOn(std::span<const Sample> base, std::span<const Sample> candidate, const NoiseFloor& floor);

// Slower or faster by its cycles, while the interval of the time leaves open whether anyone would notice: whoever says
// the verdict says this in the same sentence.
bool TimeContains0(const Verdict& verdict);

std::string_view ToText(Speed speed);  // "slower" | "faster" | "same" | "ambiguous"

}  // namespace culprit
