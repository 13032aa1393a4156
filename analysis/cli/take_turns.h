// SPDX-License-Identifier: Apache-2.0
// Two benchmark programs that record at the same time and use the GPU one at a time.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace culprit {

// Starts both (`words`: a path or name, then arguments; what tells them their turns is added), and gives them `rounds`
// turns each to time, and one to count. Who goes first changes with each round, so that a clock that drifts moves both
// alike. Returns their exit statuses. Where one ends before its last turn the other is told no more turns, or is not
// started at all: -1. What they print goes to our error stream. `first_turn_over`: nothing
// but the first program has run by then. Throws culprit::Error when one cannot be started or a signal ends it.
std::array<int, 2> RunInTurns(const std::array<std::vector<std::string>, 2>& words, int rounds,
                              const std::function<void()>& first_turn_over);

}  // namespace culprit
