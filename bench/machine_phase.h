// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "bench/recorder.h"
#include "bench/workload.h"
#include "db/records.h"

namespace culprit {

// Stores with the run what its GPU can do: as an earlier run on this machine measured it, else measured now if counters
// are asked for, or anew if options.machine says so. To be called while nothing else runs on the GPU. What cannot be
// measured is a warning: the run goes on without.
void RunMachinePhase(const BenchOptions& options, const Device& device, Recorder& recorder);

// Adds the cycles of a counted launch that does nothing, which only counting knows, to what was measured in this run.
void StoreLaunchStart(double cycles, Recorder& recorder);

}  // namespace culprit
