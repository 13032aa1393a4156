// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "bench/job.h"

namespace culprit {

// What is known of a launch besides its counters, as readings of source "launch": what CUDA says about the function
// (launch_registers, launch_local_bytes, launch_static_shared_bytes; per launch, because a library chooses its kernel
// by shape), launch_kernels, and launch_overhead_us, `overhead_us`: what of a timed interval is not the kernel.
std::vector<Reading> LaunchReadings(const Job& job, std::optional<double> overhead_us);

}  // namespace culprit
