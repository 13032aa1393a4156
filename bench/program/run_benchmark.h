// SPDX-License-Identifier: Apache-2.0
// Runs benchmark programs that record. Their output goes to our error stream, so that our standard output has only our
// results. Throws culprit::Error when a program cannot be started, when a signal ended it, or when a signal stopped us.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace culprit {

// Runs a program to its end and returns its exit status. `words`: its path or name, then its arguments.
int RunProgram(const std::vector<std::string>& words);

// Starts two programs that record at the same time but use the GPU one at a time. Each gets `rounds` turns to time and
// one to count. The first program of a round changes with each round, so that a clock drift affects both alike. Returns
// their exit statuses. If one ends before its last turn, the other gets no more turns; if it was not started, its
// status is -1. `first_turn_over` is called when only the first program has run.
std::array<int, 2> RunInTurns(const std::array<std::vector<std::string>, 2>& words, int rounds,
                              const std::function<void()>& first_turn_over);

}  // namespace culprit
