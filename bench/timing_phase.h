// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/job.h"

namespace culprit {

// Told of each job when all its samples are taken, or it failed.
using TimedSink = std::function<void(Job&, std::span<const Sample>)>;

// Verifies (unless options.verified) and times every job under Google Benchmark. No counter is armed.
// `google_benchmark`: its arguments, program name first. Returns false when Google Benchmark ran nothing at all.
// Jobs that were timed have record.state kOk; failed ones kFailed.
bool RunTimingPhase(std::vector<Job>& jobs, const BenchOptions& options, const std::optional<Device>& device,
                    const TimedSink& timed, std::vector<std::string> google_benchmark);

// Set up, probe and, if asked, verify a job once. False when it failed; its record says why.
bool Prepare(Job& job, bool verify);

}  // namespace culprit
