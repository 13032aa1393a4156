// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/job.h"
#include "bench/sass_worker.h"
#include "profiler/range_collector.h"

namespace culprit {

struct CountingCost {
  CollectorCost range, sass;
};

// Reads counters of every job that is stored and not failed: hardware counters in this process, as often as
// options.count_repetitions says, and, with `workers`, exact counts once in processes of their own: they do not vary.
// To be called when all timing is done.
CountingCost RunCountingPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                              Recorder& recorder, SassWorkers* workers);

}  // namespace culprit
