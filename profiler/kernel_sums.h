// SPDX-License-Identifier: Apache-2.0
// Combines the counts of a launch's kernels. Each kernel is counted separately, because a range that the host opens and
// closes around all of them would also include waiting for the host.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace culprit {

// CUPTI's names of the metrics used as weights.
inline constexpr std::string_view kElapsedCycles = "sm__cycles_elapsed.max";
inline constexpr std::string_view kActiveCycles = "smsp__cycles_active.sum";
inline constexpr std::string_view kInstructions = "smsp__inst_executed.sum";

// The metric that weights `metric` when kernels are combined: cycles for percentages of peak, instructions for ratios
// per instruction. Empty: the values are added, as for counts and cycles (also for .max, each kernel's busiest SM).
std::string_view WeightOf(std::string_view metric);

// The launch's value from its kernels' values. Nullopt if a value (NaN) or a weight is missing. A single kernel needs
// no weight.
std::optional<double> SumOverKernels(std::span<const double> values);
std::optional<double> MeanOverKernels(std::span<const double> values, std::span<const double> weights);

}  // namespace culprit
