// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/shift.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace culprit {
namespace {

// With up to this many values, every number of arrangements is an integer that a double holds exactly: at most (50
// choose 25) = 1.3e14. With more values, the normal approximation is more accurate than rounded counts.
constexpr long kMostForExact = 50;

// The search ends at this difference of logarithms. Times are stored to 1 ns, which is 1e-5 of the shortest kernels
// with a known clock.
constexpr double kResolution = 1e-9;

// For each u, the number of arrangements of n and m values with U = u. These are the coefficients of the Gaussian
// binomial, prod over i of (1 - q^(m+i)) / (1 - q^i). They are symmetric, so the lower half is enough.
std::vector<double> ArrangementsByU(long n, long m) {
  const auto size = static_cast<std::size_t>(n * m / 2 + 1);
  std::vector<double> ways(size, 0);
  ways[0] = 1;
  for (long i = 1; i <= n; ++i) {
    const auto up = static_cast<std::size_t>(m + i), down = static_cast<std::size_t>(i);
    for (std::size_t u = size; u-- > up;) ways[u] -= ways[u - up];
    for (std::size_t u = down; u < size; ++u) ways[u] += ways[u - down];
  }
  return ways;
}

double Arrangements(long n, long m) {
  double ways = 1;
  for (long i = 1; i <= n; ++i) ways = ways * static_cast<double>(m + i) / static_cast<double>(i);
  return ways;
}

// All differences of two sorted sets. There may be millions, so they are counted but never stored.
class Differences {
 public:
  Differences(const std::vector<double>& from, const std::vector<double>& to) : from_(from), to_(to) {}

  // The k-th smallest difference; k begins at 1.
  double Smallest(long k) const {
    double low = to_.front() - from_.back() - kResolution, high = to_.back() - from_.front();
    while (high - low > kResolution) {
      const double middle = low + (high - low) / 2;
      (NotAbove(middle) >= k ? high : low) = middle;
    }
    return LargestNotAbove(high);
  }

 private:
  long NotAbove(double limit) const {
    long count = 0;
    std::size_t i = 0;  // the first of `from_` that is close enough below `to`; it rises with `to`
    for (const double to : to_) {
      while (i < from_.size() && to - from_[i] > limit) ++i;
      count += static_cast<long>(from_.size() - i);
    }
    return count;
  }

  // Returns a difference that exists, not the end of an interval around it, so that equal sets differ by exactly 0.
  double LargestNotAbove(double limit) const {
    double largest = to_.front() - from_.back();
    for (const double to : to_) {
      const auto from =
          std::partition_point(from_.begin(), from_.end(), [&](double value) { return to - value > limit; });
      if (from != from_.end()) largest = std::max(largest, to - *from);
    }
    return largest;
  }

  const std::vector<double>& from_;
  const std::vector<double>& to_;
};

std::vector<double> SortedLogarithms(std::span<const double> values) {
  std::vector<double> logarithms;
  for (const double value : values) logarithms.push_back(std::log(value));
  std::sort(logarithms.begin(), logarithms.end());
  return logarithms;
}

}  // namespace

long BoundingRatio(long n, long m, double confidence) {
  const double outside = (1 - confidence) / 2;
  if (n < 1 || m < 1) return 0;
  if (n + m > kMostForExact) {
    const auto product = static_cast<double>(n) * static_cast<double>(m);
    const boost::math::normal u(product / 2, std::sqrt(product * static_cast<double>(n + m + 1) / 12));
    return std::max(0L, static_cast<long>(std::floor(boost::math::quantile(u, outside))));
  }
  const std::vector<double> ways = ArrangementsByU(n, m);
  const double all = Arrangements(n, m);
  double below = 0;
  for (std::size_t u = 0; u < ways.size(); ++u) {
    below += ways[u];
    if (below > outside * all) return static_cast<long>(u);
  }
  return static_cast<long>(ways.size());
}

double LevelOf(long n, long m, long bound) {
  if (bound < 1 || n < 1 || m < 1) return 0;
  if (n + m > kMostForExact) {
    const auto product = static_cast<double>(n) * static_cast<double>(m);
    const boost::math::normal u(product / 2, std::sqrt(product * static_cast<double>(n + m + 1) / 12));
    return std::min(1.0, 2 * boost::math::cdf(u, static_cast<double>(bound)));
  }
  const std::vector<double> ways = ArrangementsByU(n, m);
  double below = 0;
  for (std::size_t u = 0; u < std::min(ways.size(), static_cast<std::size_t>(bound)); ++u) below += ways[u];
  return std::min(1.0, 2 * below / Arrangements(n, m));
}

Shift Widened(const Shift& s, double noise) {
  const double middle = std::log1p(s.change), floor = std::log1p(noise);
  return {s.change, std::expm1(middle - std::hypot(middle - std::log1p(s.low), floor)),
          std::expm1(middle + std::hypot(std::log1p(s.high) - middle, floor))};
}

std::optional<Shift> EstimateShift(std::span<const double> base, std::span<const double> candidate, double confidence) {
  const auto n = static_cast<long>(base.size()), m = static_cast<long>(candidate.size());
  const long bound = BoundingRatio(n, m, confidence);
  if (bound == 0) return std::nullopt;
  const std::vector<double> from = SortedLogarithms(base), to = SortedLogarithms(candidate);
  const Differences differences(from, to);
  const long pairs = n * m;
  const double middle = (differences.Smallest((pairs + 1) / 2) + differences.Smallest(pairs / 2 + 1)) / 2;
  return Shift{std::expm1(middle), std::expm1(differences.Smallest(bound)),
               std::expm1(differences.Smallest(pairs + 1 - bound))};
}

}  // namespace culprit
