// SPDX-License-Identifier: Apache-2.0
// Which instructions warps stood at, and why: program counters sampled by CUPTI. In processes of their own, started
// from this same binary: sampling and counters cannot both hold the hardware, CUPTI knows best the kernels that were
// loaded after sampling was switched on, and a process samples at one period.
#pragma once
#include <vector>

#include "bench/job.h"
#include "bench/options.h"
#include "bench/recorder.h"
#include "db/records.h"

namespace culprit {

struct SamplingCost {
  int processes = 0;
  double seconds = 0;  // of wall time, all together
  int launches = 0;    // jobs that have samples
};

// Samples every job that is stored, was timed and has not failed, in the state in which it was timed: with a warm L2
// one launch comes first and the others follow it; else each is prepared by itself. Short kernels are repeated until
// there are enough samples. What cannot be sampled keeps everything else, and a warning says why. After timing, while
// nothing else runs.
SamplingCost RunSamplingPhase(std::vector<Job>& jobs, const Device& device, Recorder& recorder, int argc, char** argv);

// Such a process: samples the jobs that options.sampling_jobs names and reports to options.sampling_report.
void ReportSamples(std::vector<Job>& jobs, const BenchOptions& options);

}  // namespace culprit
