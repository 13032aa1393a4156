// SPDX-License-Identifier: Apache-2.0
// What is done with the interval of a shift (shift.h), and how sure it is.
#pragma once
#include "analysis/verdict/shift.h"
#include "analysis/verdict/verdict.h"

namespace culprit {

// The scatter of values and a noise beside it are independent, so their widths add as squares: on logarithms, where a
// shift and its reverse have one size.
Shift Widened(const Shift& shift, double noise);

// What an interval says that holds the noise `floor`. Slower or faster: it excludes 0. Same: it does not, and no large
// difference can hide in it. Ambiguous: one can, or it is no interval of numbers.
Speed SpeedIn(const Shift& shift, double floor);

// How often the interval that the `bound`-th ratios bound lies beside the truth, 2 P(U < bound). Exact up to 50 values;
// beyond, that of the normal approximation, which is larger: U has lighter tails.
double LevelOf(long n, long m, long bound);

}  // namespace culprit
