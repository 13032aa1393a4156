// SPDX-License-Identifier: Apache-2.0
// Whether the times of a launch and its counts are of one and the same thing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

// Counters are collected in executions of their own. Beyond this share those differ from the timed ones, and the counts
// describe another execution: a colder cache, the host waiting.
inline constexpr double kMostOffCount = 0.03;

// One execution against another, in SM cycles from start to end (sm_cycles_elapsed_max against the median of time x SM
// clock over the kept samples) or in microseconds (counted_time_ns against the median time), whichever agrees better:
// another clock changes the time and not the cycles, and under a power limit the timer's clock counts pulses that the
// counters do not (cublas_hgemm at 1024 on an H200: 6.8 us timed, 6.6 counted, 12.6 % fewer cycles). A timed interval
// is taken without launch_overhead_us, where that was measured. As the view counted_against_timed has it.
struct CountedAgainstTimed {
  double counted = 0, timed = 0;
  bool in_cycles = true;
  double Off() const { return counted / timed - 1; }
};
// None where one of the two was not measured.
std::optional<CountedAgainstTimed> CompareCounted(const KernelView& kernel);

// What a reader of this kernel's times and counts must know, one sentence each; empty as a rule. `who`: "v1_6 (base)".
std::vector<std::string> TimingCaveats(const KernelView& kernel, std::string_view who);

}  // namespace culprit
