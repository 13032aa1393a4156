// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "bench/run_writer.h"
#include "bench/workload.h"
#include "db/records.h"

namespace culprit {

// Stores the figures of the run's GPU that an earlier run on this machine measured. Measures them if there are none and
// counters are requested, or if options.machine is set. Call it while nothing else runs on the GPU. A failure is only a
// warning.
void RunMachinePhase(const BenchOptions& options, const Device& device, RunWriter& writer);

// Adds the cycles of an empty counted launch to the figures that this run measured. Only counting can measure them.
void StoreLaunchStart(double cycles, RunWriter& writer);

}  // namespace culprit
