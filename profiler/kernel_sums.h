// SPDX-License-Identifier: Apache-2.0
// A launch of several kernels is counted kernel by kernel, because a range that the host opens and closes around all of
// them holds its waiting too. What the launch did follows from what its kernels did, one after the other.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace culprit {

// CUPTI's names of the metrics by which the others are weighted.
inline constexpr std::string_view kElapsedCycles = "sm__cycles_elapsed.max";
inline constexpr std::string_view kActiveCycles = "smsp__cycles_active.sum";
inline constexpr std::string_view kInstructions = "smsp__inst_executed.sum";

// The metric whose values weight those of `metric` when kernels are put together: percentages of peak go by the cycles
// that they are a share of, ratios per instruction by instructions. Empty: the kernels' values add up, as counts and
// cycles do (also .max: the busiest SM of each kernel).
std::string_view WeightOf(std::string_view metric);

// The launch's value from its kernels'. Nullopt when one is missing (NaN), or a weight; of one kernel no weight is
// needed.
std::optional<double> SumOverKernels(std::span<const double> values);
std::optional<double> MeanOverKernels(std::span<const double> values, std::span<const double> weights);

}  // namespace culprit
