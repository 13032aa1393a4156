// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace culprit {

// A program that was started. What it prints goes to our error stream: our results have the output to themselves.
class StartedProgram {
 public:
  // `words`: its path or name, then its arguments. `inherited`: descriptors that it gets, by the same numbers. Throws
  // culprit::Error when it cannot be started.
  explicit StartedProgram(std::vector<std::string> words, const std::vector<int>& inherited = {});
  StartedProgram(const StartedProgram&) = delete;
  ~StartedProgram();

  // Waits for its end and returns its exit status. Throws culprit::Error when a signal ended it.
  int Await();

 private:
  std::string name_;
  pid_t pid_ = 0;
};

// To its end.
int RunProgram(const std::vector<std::string>& words);

}  // namespace culprit
