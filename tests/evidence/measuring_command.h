// SPDX-License-Identifier: Apache-2.0
// The command that would measure what a document lacks.
#pragma once
#include <fmt/ranges.h>

#include <set>
#include <string>

namespace culprit {

struct Needs {
  std::set<std::string> stages;
  std::set<int> sizes;  // M = N = K
};

// "gemm_bench --profile=full --stages v1_6,v1_7 --shapes 4096 --db FILE"
inline std::string MeasuringCommand(const Needs& needs) {
  return fmt::format("gemm_bench --profile=full --stages {} --shapes {} --db FILE", fmt::join(needs.stages, ","),
                     fmt::join(needs.sizes, ","));
}

}  // namespace culprit
