// SPDX-License-Identifier: Apache-2.0
// Samples program counters with CUPTI: the instructions at which warps were, and their stall reasons. Uses separate
// processes of this binary, for three reasons: sampling and counters cannot share the hardware, sampling must start
// before kernels are loaded, and a process samples at only one period.
#pragma once
#include <vector>

#include "bench/job.h"
#include "bench/options.h"
#include "bench/run_writer.h"
#include "db/records.h"
#include "profiler/trace/trace.h"

namespace culprit {

struct SamplingCost {
  int processes = 0;
  double seconds = 0;  // wall time in total
  int launches = 0;    // jobs with samples
};

// Samples every stored and timed job that has not failed, with the cache state of timing. Repeats short kernels until
// there are enough samples. A failure is only a warning. Call it after timing, while nothing else runs.
SamplingCost RunSamplingPhase(std::vector<Job>& jobs, const Device& device, RunWriter& writer, int argc, char** argv);

// Runs in such a process. Samples the jobs that `plan` names.
void ReportSamples(std::vector<Job>& jobs, const BenchOptions& options, const TracePlan& plan, TraceWriter& trace);

}  // namespace culprit
