// SPDX-License-Identifier: Apache-2.0
// Times in several processes, one after the other. Effects that last for a process, such as memory placement, then show
// as differences between processes instead of between codes.
#pragma once
#include <vector>

#include "bench/job.h"
#include "bench/turns.h"
#include "profiler/trace/trace.h"

namespace culprit {

// Each process times every job. Only the first process that completes verifies them. Results are stored when a process
// ends, so that the death of another process, or ours, loses none of them. The first process prints its table. If a
// process is lost, a message says so and the others continue. A job that failed in one process has failed.
struct TimingResult {
  bool ran = false;      // any job was timed
  bool complete = true;  // no process was lost
};
TimingResult RunTimingProcesses(std::vector<Job>& jobs, const BenchOptions& options, RunWriter& writer, Turns& turns,
                                int argc, char** argv);

// Runs in the child. Reports each launch as soon as it is timed, so that only the current launch is lost if the process
// dies. Returns the exit status.
int ReportTimes(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                std::vector<std::string> google_benchmark, TraceWriter& trace);

}  // namespace culprit
