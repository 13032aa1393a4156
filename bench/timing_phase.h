// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/job.h"

namespace culprit {

// Called for each job when all its samples are taken or when it failed.
using TimedSink = std::function<void(Job&, std::span<const Sample>)>;

// Verifies (unless options.verified) and times every job under Google Benchmark. No counters run.
// `google_benchmark`: its arguments, program name first. Returns false if Google Benchmark ran nothing.
// Afterwards record.state is kOk for timed jobs and kFailed for failed jobs.
bool RunTimingPhase(std::vector<Job>& jobs, const BenchOptions& options, const std::optional<Device>& device,
                    const TimedSink& timed, std::vector<std::string> google_benchmark);

// Sets up, probes and, if `verify`, verifies a job once. False: it failed; its record says why.
bool Prepare(Job& job, bool verify);

}  // namespace culprit
