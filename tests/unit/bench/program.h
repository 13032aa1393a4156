// SPDX-License-Identifier: Apache-2.0
// A program of ours as its users see it: exit status and what it prints.
#pragma once
#include <string>
#include <vector>

namespace culprit {

struct Ended {
  int status = -1;  // exit status; -1 when a signal ended it
  std::string out, err;
};

// Runs `file` with `args` where no GPU is visible, in the directory of the test, and waits for it.
Ended RunWithoutGpu(const std::string& file, const std::vector<std::string>& args);

}  // namespace culprit
