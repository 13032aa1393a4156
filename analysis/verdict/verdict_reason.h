// SPDX-License-Identifier: Apache-2.0
// The sentence below a verdict. Part of verdict.cpp, which decides; this says it.
#pragma once
#include <span>
#include <string>

#include "analysis/verdict/verdict.h"

namespace culprit {

enum class Because {
  kAgreement,     // time and cycles say the same
  kTimeAlone,     // there are no clocks
  kClockAlone,    // they do not, but by no more than the clock usually changes
  kClockChanged,  // they do not, and the clock changed more than that
  kWideSamples,
  kFewSamples,
  kBeyondNumbers,  // they lie so far apart that no number holds their ratio
};

// `verdict` without its reason.
std::string ReasonFor(const Verdict& verdict, Because because, std::span<const Sample> base,
                      std::span<const Sample> candidate);

}  // namespace culprit
