// SPDX-License-Identifier: Apache-2.0
// How far two sets of positive values lie apart, whatever the shape of their scatter.
#pragma once
#include <optional>
#include <span>

namespace culprit {

// candidate / base - 1, and the interval in which it lies with a stated confidence.
struct Shift {
  double change = 0;
  double low = 0, high = 0;
};

// The median of all ratios candidate[j] / base[i] - 1 (Hodges and Lehmann, "Estimates of Location Based on Rank Tests",
// Ann. Math. Statist. 34, 1963), and between two of them, counted in from both ends by the Mann-Whitney distribution,
// the interval of Moses (Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 3rd ed., 4.3). It holds for
// values of any distribution that differ between the two sides by a factor: kernels have long right tails and, where a
// clock or an address decides, two groups. For 16 values a side no interval of normal theory is much narrower: the
// asymptotic efficiency is 0.955 where values are normal and above 1 where tails are longer.
//
// All values must be positive. None when there are too few of them to reach the confidence: for 0.99, fewer than 5 on
// each side.
std::optional<Shift> EstimateShift(std::span<const double> base, std::span<const double> candidate, double confidence);

// Which of the n x m ratios, counted from 1 at either end, bounds the interval: the largest k with P(U < k) <=
// (1 - confidence) / 2, U being Mann and Whitney's statistic. 0: too few values.
long BoundingRatio(long n, long m, double confidence);

}  // namespace culprit
