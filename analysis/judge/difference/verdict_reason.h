// SPDX-License-Identifier: Apache-2.0
// Writes the sentence below a verdict, which verdict.cpp decides.
#pragma once
#include <span>
#include <string>

#include "analysis/judge/difference/verdict.h"

namespace culprit {

enum class Because {
  kAgreement,     // time and cycles say the same
  kTimeAlone,     // there are no clocks
  kClockAlone,    // they differ, but not by more than the clock usually changes
  kClockChanged,  // they differ, and the clock changed more than that
  kByClock,       // the same, and only the time differs
  kWideSamples,
  kFewSamples,
  kBeyondNumbers,  // their ratio is too large for a number
};

// `verdict` without its reason.
std::string ReasonFor(const Verdict& verdict, Because because, std::span<const Sample> base,
                      std::span<const Sample> candidate);

}  // namespace culprit
