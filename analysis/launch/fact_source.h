// SPDX-License-Identifier: Apache-2.0
// Where the facts of a KernelView come from.
#pragma once
#include <optional>
#include <string_view>

#include "analysis/launch/kernel_view.h"

namespace culprit {

// "timed"    on the GPU, without counters
// "counted"  by hardware counters, while the kernel was replayed
// "exact"    by instrumented instructions
// "scaled"   counted or exact, of a few launches, and scaled to the mean of all (launch_weights.h)
// "sampled"  by hardware counters, while the program ran; it has an error
// "static"   stated by the loaded kernel, the driver or the compiler
// "derived"  computed from other facts, which were not sampled; "derived from samples" otherwise
std::string_view SourceOf(const KernelView& kernel, std::string_view fact);

// One standard deviation of a sampled fact, in its unit. None for all others.
std::optional<double> ErrorOf(const KernelView& kernel, std::string_view fact);

// How most counters of the kernel were read: "counted", "sampled", or empty if none were.
std::string_view CountersOf(const KernelRecord& kernel);

}  // namespace culprit
