// SPDX-License-Identifier: Apache-2.0
// What is known of a number: that it lies between two bounds. A measured number is a point; one that was not measured
// lies anywhere between what it can be. Arithmetic keeps every value that the operands allow, so that knowing less can
// only widen a result, never move it. What a cause is given is the end of its range that is nearer to 0: so a metric
// that is missing can only take from a cause.
#pragma once
#include <vector>

#include "analysis/number/measured.h"

namespace culprit {

// More than any kernel counts; finite, so that differences and products stay numbers.
inline constexpr double kUnbounded = 1e15;

struct Range {
  double low = 0, high = 0;

  Range() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a range of one
  Range(double value) : low(value), high(value) {}
  Range(double one, double other);

  // The number, or from `least` to `most` where there is none.
  static Range Of(const Measured& measured, double least, double most);

  bool IsPoint() const { return low == high; }
  bool Has0() const { return low <= 0 && high >= 0; }
  // The value that is nearest to 0: what can be claimed.
  double Least() const;
  // The ends: one for a point.
  std::vector<double> Ends() const;
};

Range operator+(const Range& a, const Range& b);
Range operator-(const Range& a, const Range& b);
Range operator*(const Range& a, const Range& b);
Range& operator+=(Range& a, const Range& b);

// Of each pair of values.
Range Max(const Range& a, const Range& b);
Range Min(const Range& a, const Range& b);
// Every value of either.
Range Hull(const Range& a, const Range& b);

}  // namespace culprit
