// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/job.h"

namespace culprit {

// Verifies and times every job under Google Benchmark and records what came out. No counter is armed.
// `google_benchmark`: its arguments, program name first. Returns false when Google Benchmark ran nothing at all.
// Jobs that were timed have `stored` set (with a database) and record.state kOk; failed ones kFailed.
bool RunTimingPhase(std::vector<Job>& jobs, const BenchOptions& options, const std::optional<Device>& device,
                    Recorder& recorder, std::vector<std::string> google_benchmark);

// Set up, probe and, if asked, verify a job once. False when it failed; its record says why.
bool Prepare(Job& job, bool verify);

}  // namespace culprit
