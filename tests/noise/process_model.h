// SPDX-License-Identifier: Apache-2.0
// Noise that lasts as long as a process or longer, so that samples of one process cannot show it.
#pragma once
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "db/records.h"

namespace culprit::testing {

// Sizes are relative, 0.001 for 0.1 %.
struct ProcessModel {
  std::string_view name;
  double mode = 0;   // of the cycles, in every other process
  double drift = 0;  // of the cycles over the whole session, in either direction
  double process;    // standard deviation of the cycles, from process to process
  double sample = 0.0012;
};

std::span<const ProcessModel> ProcessModels();

enum class Order {
  kForthAndBack,  // old new, new old, old new: as `culprit versus` does
  kAlternating,   // old new, old new
};

// Samples of `processes` processes on each side, which took turns. The second is slower by `slowdown`.
std::pair<std::vector<Sample>, std::vector<Sample>> RecordInTurns(const ProcessModel& model, int processes, Order order,
                                                                  double slowdown, std::mt19937_64& random);

}  // namespace culprit::testing
