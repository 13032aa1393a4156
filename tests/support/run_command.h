// SPDX-License-Identifier: Apache-2.0
// Runs a command through Main, as a user would type it.
#pragma once
#include <sstream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"

namespace culprit::testing {

struct Result {
  int status = 0;
  std::string out, err;
};

inline Result RunCommand(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  const int status = Main(args, out, err, false);
  return {status, out.str(), err.str()};
}

}  // namespace culprit::testing
