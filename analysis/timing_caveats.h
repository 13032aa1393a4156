// SPDX-License-Identifier: Apache-2.0
// Whether the times of a launch and its counts are of one and the same thing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_view.h"

namespace culprit {

// Counters are collected in executions of their own. Beyond this share those took other cycles than the timed ones, and
// the counts describe another execution: a colder cache, the host waiting. Of 237 recorded launches of 100 us and more
// on an H100 half are off by 0.3 % or less and 5 by more than this; of 26 below 40 us 25 are.
inline constexpr double kMostOffCount = 0.03;

// SM cycles of a launch from start to end: counted on the longest SM (sm_cycles_elapsed_max), and as timed, the median
// of time x SM clock over the kept samples. As the view counted_against_timed has them.
struct Cycles {
  double counted = 0, timed = 0;
  double Off() const { return counted / timed - 1; }
};
// None where one of the two was not measured.
std::optional<Cycles> CyclesOf(const KernelView& kernel);

// What a reader of this kernel's times and counts must know, one sentence each; empty as a rule. `who`: "v1_6 (base)".
std::vector<std::string> TimingCaveats(const KernelView& kernel, std::string_view who);

}  // namespace culprit
