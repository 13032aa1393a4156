// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/job.h"
#include "bench/sass_worker.h"
#include "profiler/range_collector.h"

namespace culprit {

struct CountingCost {
  CollectorCost range, sass;  // range: counters of the hardware, replayed or sampled
};

// Counts every stored job that has not failed. Hardware counters are collected in this process,
// options.count_repetitions times, or sampled if options.samples_counters. With `workers`, exact counts are collected
// once, in separate processes. Call it after all timing.
CountingCost RunCountingPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                              RunWriter& writer, SassWorkers* workers);

}  // namespace culprit
