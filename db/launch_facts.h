// SPDX-License-Identifier: Apache-2.0
// What is known of a launch without counting anything, as readings of source "launch".
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// "launch_registers", "launch_local_bytes" and "launch_static_shared_bytes", as far as `attributes` of the loaded
// kernel have them, and how many `kernels` one launch starts; 0: not known.
std::vector<Reading> LaunchFacts(std::span<const StaticAttribute> attributes, std::size_t kernels);

}  // namespace culprit
