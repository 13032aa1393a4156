// SPDX-License-Identifier: Apache-2.0
// Facts of a launch that need no counting, as readings of source "launch".
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// "launch_registers", "launch_local_bytes" and "launch_static_shared_bytes", if `attributes` of the loaded kernel have
// them, and the number of `kernels` that one launch starts (0: not known).
std::vector<Reading> LaunchFacts(std::span<const StaticAttribute> attributes, std::size_t kernels);

}  // namespace culprit
