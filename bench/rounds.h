// SPDX-License-Identifier: Apache-2.0
// Launches that take turns, sample by sample, so that one state of heat and one clock hold for all. No GPU in here.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// Calls take(i) for each i < count once a round. Every second round goes backwards: a drift falls on all alike.
// Returns in which order they were called.
std::vector<std::size_t> TakeTurns(std::size_t count, std::size_t rounds, const std::function<void(std::size_t)>& take);

// Time over the reference's time within each round.
struct PairRatios {
  double median, p10, p90;  // NaN of no pair
};

// The i-th samples of both are of one round. Pairs with a marked clock are left out.
PairRatios RatiosOfPairs(std::span<const Sample> reference, std::span<const Sample> samples);

}  // namespace culprit
