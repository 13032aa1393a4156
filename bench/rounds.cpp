// SPDX-License-Identifier: Apache-2.0
#include "bench/rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "db/medians.h"

namespace culprit {

std::vector<std::size_t> TakeTurns(std::size_t count, std::size_t rounds,
                                   const std::function<void(std::size_t)>& take) {
  std::vector<std::size_t> order;
  order.reserve(count * rounds);
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < count; ++i) {
      order.push_back(round % 2 == 0 ? i : count - 1 - i);
      take(order.back());
    }
  return order;
}

PairRatios RatiosOfPairs(std::span<const Sample> reference, std::span<const Sample> samples) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(reference.size(), samples.size()); ++i)
    if (!reference[i].low_clock && !samples[i].low_clock) ratios.push_back(samples[i].time_us / reference[i].time_us);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (ratios.empty()) return {kNone, kNone, kNone};
  std::sort(ratios.begin(), ratios.end());
  const auto nearest = [&](double share) {
    return ratios[static_cast<std::size_t>(std::lround(share * static_cast<double>(ratios.size() - 1)))];
  };
  const double p10 = nearest(0.1), p90 = nearest(0.9);
  return {Median(std::move(ratios)), p10, p90};
}

}  // namespace culprit
