// SPDX-License-Identifier: Apache-2.0
// Further questions that a report may recommend: each only where it has an answer.
#pragma once
#include <string>

#include "db/database.h"

namespace culprit {

// Ends of sentences; empty where the step is not possible.
struct NextSteps {
  std::string bank_map;     // which lane meets which bank, of the kernel with the conflicts
  std::string fewer_warps;  // a recording that times a kernel with fewer warps
};
NextSteps NextStepsOf(const KernelRecord& base, const KernelRecord& candidate);

// "STAGE@RUN", which names a kernel in any command.
std::string InItsRun(const KernelRecord& kernel);

}  // namespace culprit
