// SPDX-License-Identifier: Apache-2.0
// How much each part of a difference scatters within its recording.
#pragma once
#include <map>
#include <string>

#include "analysis/kernel/kernel_view.h"
#include "analysis/machine/machine.h"
#include "analysis/split/decompose.h"
#include "analysis/why/attribute.h"
#include "analysis/why/explain.h"

namespace culprit {

struct Replicates {
  std::map<Factor, Scatter, std::less<>> factors;
  std::map<std::string, Scatter, std::less<>> stalls;
  std::map<std::string, Scatter, std::less<>> causes;  // by cause id; a cause that no replicate names is not there
};

// The bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, percentile intervals): each replicate
// draws, for each kernel on its own, as many samples as there are with replacement, which give time and clock, and one
// repetition of the counters (KernelRecord::repeats), of which all is made anew: warp states, demand and how busy the
// units are. What a kernel draws depends on its launch alone, so exchanging the two changes signs and nothing else.
// Without repetitions the counters are taken as they are. What samples show (null: nothing) is the same in all.
//
// The result is widened to hold the part itself where need be, which is of the medians of the repetitions (`whole` and
// `attribution`), and then by FloorUs, which is independent of it: as squares.
Replicates Replicate(const KernelView& base, const KernelView& candidate, const SampledPair* sampled,
                     const Decomposition& whole, const Attribution& attribution, const NoiseFloor& floor);

// By how much a part of the difference moves when both kernels are recorded again: each time by the noise floor, and
// the two independently of each other, sqrt(base^2 + candidate^2) times it. `of_clock`: the clock's floor, for the
// clock.
double FloorUs(const NoiseFloor& floor, const Decomposition& whole, bool of_clock);

}  // namespace culprit
