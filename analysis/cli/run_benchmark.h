// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace culprit {

// Runs a program to its end and returns its exit status. `words`: its path or name, then its arguments. What it prints
// goes to our error stream: our results have the output to themselves. Throws culprit::Error when it cannot be started
// or a signal ends it.
int RunProgram(const std::vector<std::string>& words);

}  // namespace culprit
