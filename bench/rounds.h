// SPDX-License-Identifier: Apache-2.0
// Launches take turns, sample by sample, so that temperature and clock are alike for all. Needs no GPU.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// Calls take(i) for each i < count, once per round. The order is reversed in every second round, so that a drift
// affects all alike. Returns the order of the calls.
std::vector<std::size_t> TakeTurns(std::size_t count, std::size_t rounds, const std::function<void(std::size_t)>& take);

// Time / the reference's time in the same round.
struct PairRatios {
  double median, p10, p90;  // NaN without pairs
};

// The i-th samples of both must be from the same round. Leaves out pairs with a marked clock.
PairRatios RatiosOfPairs(std::span<const Sample> reference, std::span<const Sample> samples);

}  // namespace culprit
