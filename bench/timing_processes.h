// SPDX-License-Identifier: Apache-2.0
// Times in several processes, one after the other: what stays for the life of a process, as where its memory lies, is
// then seen as a difference between processes and not taken for the code's.
#pragma once
#include <vector>

#include "bench/job.h"
#include "bench/turns.h"

namespace culprit {

// Each process times every job; the first that lives to its end has verified them. What a process reported is stored
// when it has ended, so that neither its death nor ours loses what others measured. The table on standard output is the
// first process's. A process that is lost is named, and the others go on; a job that failed in one of them has failed.
struct TimingResult {
  bool ran = false;      // any job was timed
  bool complete = true;  // no process was lost
};
TimingResult RunTimingProcesses(std::vector<Job>& jobs, const BenchOptions& options, Recorder& recorder, Turns& turns,
                                int argc, char** argv);

// The side of such a process: times and reports on options.timing_report. Its exit status.
int ReportTimes(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                std::vector<std::string> google_benchmark);

}  // namespace culprit
