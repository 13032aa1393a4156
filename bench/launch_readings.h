// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/job.h"

namespace culprit {

// What CUDA says about the launched function, as readings of source "launch": launch_registers, launch_local_bytes,
// launch_static_shared_bytes. Per launch, because a library chooses its kernel by shape.
std::vector<Reading> LaunchReadings(const Job& job);

}  // namespace culprit
