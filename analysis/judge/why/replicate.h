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
// Without repetitions, every replicate has the same counters; sampled counters are drawn from their errors. Then the
// kernel is recorded anew: by the noise floor, its timed and its counted execution take longer or less long, each by
// itself, and its clock differs. This changes how long warps wait or SMs are idle, but not what the kernel counts. So
// noise widens a part that rests on waiting much more than a part that rests on counts. A kernel's draws depend on its
// launch alone, so exchanging the two kernels only changes signs. `sampled` (null: not sampled) is the same in all
// replicates.
//
// The interval is widened to contain the part itself, which comes from the medians of the repetitions (`attributor`,
// `whole` and `attribution`).
Replicates Replicate(const KernelView& base, const KernelView& candidate, const SampledPair* sampled,
                     const Attributor& attributor, const Decomposition& whole, const Attribution& attribution,
                     const NoiseFloor& floor);

// How much a difference of times varies when both kernels are recorded again. Each time varies independently by the
// noise floor, so this is the floor times sqrt(base^2 + candidate^2). `of_clock`: with the clock's floor.
double FloorUs(const NoiseFloor& floor, const Decomposition& whole, bool of_clock);

// A part's place among parts whose truth is known: its share of the change, the size of the change, and the share of the
// change that is unexplained.
struct PartSize {
  double share = 0, change = 0, unexplained = 0;

  // The change is relative to the faster of the two.
  PartSize(double part_us, double unexplained_us, double base_us, double candidate_us);
};

// The error of a cause's share of a change, measured on planted kernels, whose truth is known, beside scatter and the
// unexplained share.
struct ModelError {
  double from_share = 0;   // of parts with this share, whatever its sign, up to the next larger one
  double from_change = 0;  // of changes of this size, up to the next larger one
  double half_width = 0;   // nine in ten of them were within this distance of the truth
  int parts = 0;           // of how many
};

// By share, then by change, both ascending from 0; each share has the same changes. tests/planted computes it from the
// recordings of planted kernels and checks it.
std::span<const ModelError> ModelErrors();

// `errors` is not empty.
const ModelError& RowOf(std::span<const ModelError> errors, const PartSize& size);

// Of a normal distribution: from the 97.5th percentile to the 95th.
inline constexpr double k90Of95 = 1.645 / 1.960;

// The range that contains the truth for nine of ten parts of this size: the model's error, the scatter of the recording,
// and the unexplained part, which may belong to any cause. They are added in quadrature.
Scatter IntervalOf(double part_us, double unexplained_us, double base_us, double candidate_us, const Scatter& scatter);

}  // namespace culprit
