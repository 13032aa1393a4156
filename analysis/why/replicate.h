// SPDX-License-Identifier: Apache-2.0
// How much each part of a difference varies when the measurement is repeated.
#pragma once
#include <map>
#include <string>

#include "analysis/kernel_view.h"
#include "analysis/why/attribute.h"
#include "analysis/why/decompose.h"
#include "analysis/why/explain.h"

namespace culprit {

struct Replicates {
  std::map<Factor, Interval, std::less<>> factors;
  std::map<std::string, Interval, std::less<>> stalls;
  std::map<std::string, Interval, std::less<>> causes;  // by cause id; a cause that no replicate names is not there
};

// The bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, percentile intervals): each replicate
// draws a time, the median of as many samples drawn with replacement, and one repetition of the counters
// (KernelRecord::repeats), for each kernel on its own. What a kernel draws depends on its launch alone, so exchanging
// the two changes signs and nothing else. Without repetitions the counters are taken as they are. An interval is
// widened to hold its part where need be: `whole` and `attribution` are those of the counters given, the medians of the
// repetitions.
Replicates Replicate(const Attributor& attributor, const KernelView& base, const LaunchCounters& base_counters,
                     const KernelView& candidate, const LaunchCounters& candidate_counters, const Decomposition& whole,
                     const Attribution& attribution);

}  // namespace culprit
