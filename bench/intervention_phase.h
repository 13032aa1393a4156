// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/job.h"

namespace culprit {

struct InterventionCost {
  double set_up_s = 0;   // making inputs anew, all jobs together
  double launch_s = 0;   // interventions, all jobs together
  double longest_s = 0;  // of one job
  int launches = 0;      // jobs that interventions were made of
};

// Changes one thing at a time about every job that is stored and not failed and times it: fewer resident blocks,
// another shared carve-out, a flushed L2. What cannot be changed without breaking it is left out, and a warning says
// why. After timing, before counting; goes backwards, for the last job's inputs are in place and counting begins with
// the first.
InterventionCost RunInterventionPhase(std::vector<Job>& jobs, const BenchOptions& options, Recorder& recorder);

}  // namespace culprit
