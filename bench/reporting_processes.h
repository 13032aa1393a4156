// SPDX-License-Identifier: Apache-2.0
// Child processes that each report to their parent on a pipe of their own: what they print elsewhere is not mixed in.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

struct ProcessOutcome {
  std::string report;    // all that it wrote to its pipe
  int status = 0;        // as waitpid gives it
  bool overdue = false;  // it was killed because it took too long
};

struct ProcessLimits {
  std::size_t at_a_time = 1;
  std::chrono::milliseconds deadline;  // for each, from its start
};

// Runs `program` once per entry of `commands` (argv, the program's name first) and tells `done` of each as it ends, by
// index. Each finds the descriptor to report on in a last argument, `option` and its number: "--report=" and 5. Its
// standard output is discarded. Throws culprit::Error when one cannot be started; whatever leaves this function, the
// processes that still run are killed and reaped first.
void RunReporting(const char* program, const std::vector<std::vector<std::string>>& commands, std::string_view option,
                  const ProcessLimits& limits, const std::function<void(std::size_t, const ProcessOutcome&)>& done);

}  // namespace culprit
