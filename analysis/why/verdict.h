// SPDX-License-Identifier: Apache-2.0
// Whether one kernel is slower than another, from samples alone. First whether, then why.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "db/records.h"

namespace culprit {

enum class Outcome { kSlower, kFaster, kSame, kAmbiguous };

// candidate / base - 1, and the interval in which it lies with the confidence that verdict.cpp states.
struct Shift {
  double change = 0;
  double low = 0, high = 0;
};

// How far two recordings of one kernel lie apart, as |candidate / base - 1|: no smaller change is a difference.
struct NoiseFloor {
  double change = 0;
  std::string source;  // where the number comes from, as a phrase for people
};

struct SpeedVerdict {
  Outcome outcome = Outcome::kAmbiguous;
  std::optional<Shift> time;  // none without samples on both sides
  std::optional<Shift>
      cycles;  // time x clock of each sample: what is left when clocks are taken out; none without clocks
  NoiseFloor floor;
  std::string reason;  // one sentence: why this outcome and no other
};

// Antisymmetric: exchanging the two turns kSlower into kFaster and every shift s into 1 / (1 + s) - 1. Samples marked
// low_clock are left out.
SpeedVerdict JudgeSpeed(std::span<const Sample> base, std::span<const Sample> candidate, const NoiseFloor& floor);

// The floor measured for this kind of kernel on this GPU model: docs/noise.md. `device` is Device::name; a model that
// was never measured gets the largest of those that were, and the source says so. `time_us` is the shorter of the two.
NoiseFloor NoiseFloorOf(std::string_view device, double time_us);

std::string_view ToText(Outcome outcome);  // "slower" | "faster" | "same" | "ambiguous"

}  // namespace culprit
