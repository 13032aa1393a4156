// SPDX-License-Identifier: Apache-2.0
// The meaning of the words of a claim, in numbers. The documents say "halves" or "hardly" without a number; the number
// is chosen here, once for all claims, and printed beside every result.
#pragma once
#include <limits>
#include <span>
#include <string>

#include "analysis/show/render/report.h"

namespace culprit::claims {

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;

  bool Contains(double value) const { return (low_excluded ? value > low : value >= low) && value <= high; }
};

struct Threshold {
  std::string word;
  Unit unit = Unit::kChangePercent;
  Range holds;
  Range in_part;  // contains `holds`; equal to it if there is nothing between yes and no
};

// --- of throughput, in percent of the base's: 100 x (base time / candidate time - 1), at equal clock ---
// Nothing below this is a difference: medians of one kernel in several runs lie within 0.3 % (docs/evidence/noise.md).
// Clocks of one run differ by more than that, which is why times are not compared where cycles can be.
inline constexpr double kNoisePct = 0.5;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A time of 1.5, that is -33.3 %: against it a gain of 50 %, twice what is clearly faster.
Threshold Badly();          // "bad performance", "severe loss"
Threshold Halves();         // "declines by half"
Threshold Hardly();         // "little impact", "very small gap"
Threshold Nothing();        // a change that made no difference
Threshold Gains();          // "improves"
Threshold ClearlyFaster();  // "significant"
Threshold NotSlower();      // the best, or as good as the best
Threshold Faster();         // any difference beyond the noise
Threshold Slower();
Threshold AboutEqual();
// Half to twice the published change as a ratio: between its square root and its square. In part: a quarter to four
// times, beyond the noise: of "3 %" neither 0.5 % nor 25 % is a part.
Threshold LikePublished(double published_change_pct);

// --- of counts and their ratios ---
// In part half way from 1, as a ratio: 1 % more instructions are no reason for 19 % more time.
Threshold More();                 // a ratio
Threshold Fewer();                // a ratio
Threshold Unchanged();            // a ratio
Threshold AtLeast(double ratio);  // in part: half way from 1, as a ratio
Threshold Exactly(double value);  // a count or a ratio that follows from the code
Threshold About(double value);    // a ratio that has other small parts
Threshold ConflictFree();         // excess wavefronts over the ideal ones
Threshold Conflicting();          // the same
Threshold OnlyShown(Unit unit);   // of what is only shown
Threshold AtMost(double value, Unit unit);
Threshold Above(double value, Unit unit);

// Those without an argument, for the glossary.
std::span<const Threshold> Glossary();

// A whole number of things is written without decimals.
std::string FormatPart(const Measured& value, Unit unit);

// "at least +5.0 %", "-60.0 % to -40.0 %", "exactly 4"
std::string Describe(const Range& range, Unit unit);

}  // namespace culprit::claims
