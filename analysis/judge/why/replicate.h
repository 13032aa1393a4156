// SPDX-License-Identifier: Apache-2.0
// How much each part of a difference scatters within its recording, and how far the model may be off.
#pragma once
#include <map>
#include <span>
#include <string>

#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/why/attribute.h"
#include "analysis/judge/why/explain.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/machine.h"

namespace culprit {

struct Replicates {
  std::map<Factor, Scatter, std::less<>> factors;
  std::map<std::string, Scatter, std::less<>> stalls;
  std::map<std::string, Scatter, std::less<>> causes;  // by cause id; only causes that some replicate has
};

// The bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, percentile intervals). For each
// kernel, a replicate draws times and clocks from its samples, as many as there are, with replacement. It also draws
// one repetition of the counters (KernelRecord::repeats) and computes warp states, demand and busy units from it.
// Without repetitions, every replicate has the same counters. A kernel's draws depend on its launch alone, so
// exchanging the two kernels only changes signs. `sampled` (null: not sampled) is the same in all replicates.
//
// The interval is widened to contain the part itself, which comes from the medians of the repetitions (`whole` and
// `attribution`). Then FloorUs, which is independent, is added in quadrature.
Replicates Replicate(const KernelView& base, const KernelView& candidate, const SampledPair* sampled,
                     const Decomposition& whole, const Attribution& attribution, const NoiseFloor& floor);

// How much a part varies when both kernels are recorded again. Each time varies independently by the noise floor, so
// this is the floor times sqrt(base^2 + candidate^2). `of_clock`: for the clock's part, with the clock's floor.
double FloorUs(const NoiseFloor& floor, const Decomposition& whole, bool of_clock);

// The error of a cause's share of a change, measured on planted kernels, whose truth is known.
struct ModelError {
  double from = 0;        // of shares of this size, whatever their sign, up to the next row's
  double half_width = 0;  // nine in ten of them were within this distance of the truth
  int parts = 0;          // of how many
};

// Ascending. tests/planted computes it from the recordings of planted kernels and checks it.
std::span<const ModelError> ModelErrors();

// The row of a share, whatever its sign; `errors` is not empty and begins at 0.
const ModelError& RowOf(std::span<const ModelError> errors, double share);

// The range that contains the truth for nine of ten parts of this size: the model's error and the recording's scatter,
// added in quadrature. `part_us` is part of a change by `delta_us`.
Scatter IntervalOf(double part_us, double delta_us, const Scatter& scatter);

}  // namespace culprit
