// SPDX-License-Identifier: Apache-2.0
// Exact counts, one process per kernel: CUPTI 13.0 collects SASS metrics of one function per process and of nothing
// after the first flush (docs/cupti.md), so each kernel gets a process of its own, started from this same binary.
#pragma once
#include <vector>

#include "bench/recorder.h"
#include "profiler/range_collector.h"

namespace culprit {

// Starts the workers, a few at a time, and stores what each reports as it arrives.
CollectorCost RunSassWorkers(const std::vector<Job*>& jobs, const std::string& chip, Recorder& recorder, int argc,
                             char** argv);

// The worker's side: collects for `job` and writes one JSON line to `descriptor`.
void ReportSassCounts(Job& job, int descriptor);

}  // namespace culprit
