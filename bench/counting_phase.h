// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/recorder.h"
#include "profiler/range_collector.h"

namespace culprit {

struct CountingCost {
  CollectorCost range, sass;
};

// Reads counters of every job that is stored and not failed: hardware counters in this process, as often as
// options.count_repetitions says, and, with --profile=full, exact counts once in worker processes: they do not vary. To
// be called when all timing is done.
CountingCost RunCountingPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                              Recorder& recorder, int argc, char** argv);

}  // namespace culprit
