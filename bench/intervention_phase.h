// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/job.h"

namespace culprit {

struct InterventionCost {
  double set_up_s = 0;   // for creating inputs again, all jobs together
  double launch_s = 0;   // for interventions, all jobs together
  double longest_s = 0;  // the slowest job
  int launches = 0;      // jobs with interventions
};

// Times every stored job that has not failed, with one thing changed at a time: fewer resident blocks, another shared
// carve-out, a flushed L2. Leaves out a change that could break the launch, with a warning. Call it after timing and
// before counting. Goes backwards, because the last job's inputs are in place and counting begins with the first.
InterventionCost RunInterventionPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                                      RunWriter& writer);

}  // namespace culprit
