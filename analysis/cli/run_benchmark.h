// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "analysis/cli/child.h"

namespace culprit {

// A program that was started. What it prints goes to our error stream: our results have the output to themselves.
class StartedProgram {
 public:
  // `words`: its path or name, then its arguments. `inherited`: descriptors that it gets, by the same numbers. Throws
  // culprit::Error when it cannot be started.
  explicit StartedProgram(const std::vector<std::string>& words, const std::vector<int>& inherited = {});

  // Waits for its end and returns its exit status. Throws culprit::Error when a signal ended it, or stopped us.
  int Await();

 private:
  std::string name_;
  Child child_;
};

// To its end.
int RunProgram(const std::vector<std::string>& words);

}  // namespace culprit
