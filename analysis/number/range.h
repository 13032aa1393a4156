// SPDX-License-Identifier: Apache-2.0
// An interval for a number. A measured number is a point; a number that was not measured has its possible bounds.
// Arithmetic keeps every value that the operands allow, so missing data can only widen a result. A cause is given the
// value in its range that is nearest to 0, so a missing metric can only make a cause smaller.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <vector>

#include "analysis/number/measured.h"

namespace culprit {

// Larger than any count of a kernel, but finite, so that differences and products stay finite.
inline constexpr double kUnbounded = 1e15;

struct Range {
  double low = 0, high = 0;

  Range() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a range of one
  Range(double value) : low(value), high(value) {}
  Range(double one, double other) : low(std::min(one, other)), high(std::max(one, other)) {}

  // A point for a measured number, else `least` to `most`.
  static Range Of(const Measured& measured, double least, double most) {
    return measured ? Range(*measured) : Range(least, most);
  }

  bool IsPoint() const { return low == high; }
  bool Has0() const { return low <= 0 && high >= 0; }
  // The value nearest to 0.
  double Least() const { return Has0() ? 0 : low > 0 ? low : high; }
  // One end for a point, else both.
  std::vector<double> Ends() const { return IsPoint() ? std::vector{low} : std::vector{low, high}; }
};

inline Range operator+(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }
inline Range operator-(const Range& a, const Range& b) { return {a.low - b.high, a.high - b.low}; }
inline Range operator*(const Range& a, const Range& b) {
  const auto [least, most] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {least, most};
}
inline Range& operator+=(Range& a, const Range& b) { return a = a + b; }

inline Range Max(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }
inline Range Min(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }
// The smallest range that contains both.
inline Range Hull(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

// The range of `function` over all combinations of the ends of `ranges`. Correct when `function` is monotonic in each.
// When all are points, it is called once.
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
