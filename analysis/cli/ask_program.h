// SPDX-License-Identifier: Apache-2.0
// Another program that knows what we do not: git, nvidia-smi.
#pragma once
#include <string>
#include <vector>

namespace culprit {

struct Answer {
  int status = 0;                     // as of ProgramEnd
  std::string not_started;            // why; empty: it ran
  std::vector<std::string> out, err;  // lines

  std::string WhyNot() const;  // of a status other than 0, a phrase
};

// To its end, for so many seconds at most. It has no input.
Answer Ask(const std::vector<std::string>& words, double limit_s = 60);

}  // namespace culprit
