// SPDX-License-Identifier: Apache-2.0
// Checking kernels that add to totals in place, several copies of each.
#pragma once
#include <cstddef>
#include <span>

#include "tests/planted/kernels/planted.h"

namespace culprit {

// Zeroes `copies` x wanted.size() totals (copy-major), launches once, waits, adds the copies up and compares for
// equality: for totals that are exact, so counts below 2^32, or in float below 2^24. Throws culprit::Error when the
// kernel fails.
PlantedCheck CheckTotals(const PlantedRun& run, unsigned* totals, std::size_t copies, std::span<const double> wanted);
PlantedCheck CheckTotals(const PlantedRun& run, float* totals, std::size_t copies, std::span<const double> wanted);

}  // namespace culprit
