// SPDX-License-Identifier: Apache-2.0
// What is known of a number: that it lies between two bounds. A measured number is a point; one that was not measured
// lies anywhere between what it can be. Arithmetic keeps every value that the operands allow, so that knowing less can
// only widen a result, never move it. What a cause is given is the end of its range that is nearer to 0: so a metric
// that is missing can only take from a cause.
#pragma once
#include <array>
#include <cstddef>
#include <tuple>
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

// Of every combination of the ends of `ranges`: for what moves one way with each of them. A point has one end: where
// all was measured, `function` is asked once.
template <class Function, class... Ranges>
Range AtEnds(Function function, const Ranges&... ranges) {
  const std::array<Range, sizeof...(Ranges)> all = {ranges...};
  std::size_t points = 0;
  for (std::size_t i = 0; i < all.size(); ++i) points |= std::size_t{all[i].IsPoint()} << i;
  Range hull;
  for (std::size_t which = 0; which < (std::size_t{1} << all.size()); ++which) {
    if (which & points) continue;
    std::array<double, sizeof...(Ranges)> ends;
    for (std::size_t i = 0; i < all.size(); ++i) ends[i] = which >> i & 1 ? all[i].high : all[i].low;
    const double value = std::apply(function, ends);
    hull = which == 0 ? Range(value) : Hull(hull, value);
  }
  return hull;
}

}  // namespace culprit
