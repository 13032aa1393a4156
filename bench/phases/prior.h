// SPDX-License-Identifier: Apache-2.0
// What the fit assumes before it sees a sample: rates change little from phase to phase, and every class counts as much
// in a microsecond as the others. Both are weak: they decide only what the samples leave open.
#pragma once
#include "bench/phases/normal_matrix.h"

namespace culprit {

// Of a whole count, relative to the samples' information about it. The prior changes a count that the samples tell with
// a variance 1e4 times that of undisturbed samples by 0.1 %.
inline constexpr double kRidge = 1e-7;
// Of (difference of neighbouring phases' rates x their mean width)^2. A sample's noise against a usual difference:
// (0.2 % of a sample with five launches / 3 % of a launch)^2, for programs as in invented_program.h.
inline constexpr double kSmoothing = 0.1;

// Adds both priors. `counts` are the whole counts, groups x counters, that the second assumes.
void AddPriors(const Layout& layout, const Rows& counts, NormalMatrix& matrix, Rows& right);

}  // namespace culprit
