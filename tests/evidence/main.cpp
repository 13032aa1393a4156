// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"
#include "tests/evidence/tool.h"

int main(int argc, char** argv) {
  return culprit::Main(culprit::EvidenceTool(), std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr,
                       false);
}
