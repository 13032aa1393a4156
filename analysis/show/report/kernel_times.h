// SPDX-License-Identifier: Apache-2.0
// The time of each kernel of a run and, where its instructions were sampled, of its source lines: for the formats of
// other tools.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

struct KernelTime {
  KernelRecord kernel;
  std::string name;  // readable, in full
  double us = 0;     // of all calls; of one launch of a benchmark the median
  struct Stack {
    std::vector<SourceFrame> frames;  // innermost first, at least one
    double us = 0;                    // that warps waited for this line (Cost::blamed_us)
  };
  std::vector<Stack> stacks = {};  // most time first
  double RestUs() const;           // of no known line

  // "4096x4096x4096", with ", launch 2" if there are several, and with the NVTX range.
  std::string Launch() const;
};

// Kernels with a time, most time first. Sampling does not tell launches of a kernel apart, so all of them have the
// shares of its lines.
std::vector<KernelTime> KernelTimesOf(const Database& database, RunId run);

}  // namespace culprit
