// SPDX-License-Identifier: Apache-2.0
// The command that would measure what a report misses.
#pragma once
#include <string>
#include <vector>

namespace culprit {

// Order and repetitions do not matter.
struct Needs {
  std::vector<std::string> stages;
  std::vector<int> sizes;  // M = N = K
};

// "gemm_bench --profile=full --stages v1_6,v1_7 --shapes 4096 --db FILE"
std::string MeasuringCommand(Needs needs);

}  // namespace culprit
