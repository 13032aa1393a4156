// SPDX-License-Identifier: Apache-2.0
// The sampled counters of a launch, what follows from them, and its warps, in programs and in benchmarks.
#pragma once
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// Null if there is none of this metric.
const Reading* FindReading(std::span<const Reading> readings, std::string_view id);

// The warps of a launch: of a LaunchGeometry or a LaunchRecord.
template <class Launch>
double WarpsOf(const Launch& l) {
  constexpr double kWarp = 32;
  return 1.0 * l.grid_x * l.grid_y * l.grid_z * std::ceil(1.0 * l.block_x * l.block_y * l.block_z / kWarp);
}

// Adds issued instructions as those executed, the share of the tensor pipe, and, from the time of a launch (0: not
// known) and the SM clock, its cycles. Leaves out what follows from readings without a value, and adds nothing if none has
// one.
void AddWhatFollows(std::vector<Reading>& readings, std::optional<double> clock_mhz, double time_us,
                    const Device& device);

}  // namespace culprit
