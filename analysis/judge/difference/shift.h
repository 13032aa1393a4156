// SPDX-License-Identifier: Apache-2.0
// How far two sets of positive values lie apart, whatever the shape of their scatter.
#pragma once
#include <optional>
#include <span>

namespace culprit {

// candidate / base - 1, and its confidence interval.
struct Shift {
  double change = 0;
  double low = 0, high = 0;
};

// `change` is the median of all ratios candidate[j] / base[i] - 1 (Hodges and Lehmann, "Estimates of Location Based on
// Rank Tests", Ann. Math. Statist. 34, 1963). The interval is Moses' (Hollander, Wolfe and Chicken, "Nonparametric
// Statistical Methods", 3rd ed., 4.3). Its ends are two of these ratios; the Mann-Whitney distribution says how many
// ratios lie outside. It is valid for any distribution if the two sides differ by a factor. This matters, because times
// of kernels have long right tails, and form two groups if they depend on a clock or an address. With 16 values per
// side no interval of normal theory is much narrower: the asymptotic efficiency is 0.955 for normal values, and above 1
// for longer tails.
//
// All values must be positive. None when the values are too few for the confidence: for 0.99, fewer than 5 per side.
std::optional<Shift> EstimateShift(std::span<const double> base, std::span<const double> candidate, double confidence);

// The index, counted from 1 at either end, of the ratio among n x m that bounds the interval. It is the largest k with
// P(U < k) <= (1 - confidence) / 2, where U is the Mann-Whitney statistic. 0: too few values.
long BoundingRatio(long n, long m, double confidence);

// Scatter and noise are independent, so their widths add in quadrature, on logarithms, where a shift and its reverse
// have the same size.
Shift Widened(const Shift& shift, double noise);

// The probability that the interval between the `bound`-th ratios misses the truth, 2 P(U < bound). Exact up to 50
// values. For more values it is the normal approximation, which is larger than the exact one, as U has lighter tails.
double LevelOf(long n, long m, long bound);

}  // namespace culprit
