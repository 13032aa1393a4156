// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/range.h"

#include <algorithm>

namespace culprit {

Range::Range(double one, double other) : low(std::min(one, other)), high(std::max(one, other)) {}

Range Range::Of(const Measured& measured, double least, double most) {
  return measured ? Range(*measured) : Range(least, most);
}

double Range::Least() const { return Has0() ? 0 : low > 0 ? low : high; }

std::vector<double> Range::Ends() const {
  if (IsPoint()) return {low};
  return {low, high};
}

Range operator+(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }
Range operator-(const Range& a, const Range& b) { return {a.low - b.high, a.high - b.low}; }

Range operator*(const Range& a, const Range& b) {
  const auto [least, most] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {least, most};
}

Range& operator+=(Range& a, const Range& b) { return a = a + b; }

Range Max(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }
Range Min(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }
Range Hull(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

}  // namespace culprit
