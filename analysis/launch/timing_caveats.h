// SPDX-License-Identifier: Apache-2.0
// Checks that a launch's times and counts describe the same execution.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/kernel_view.h"

namespace culprit {

// Counters come from executions of their own. If their duration differs from that of the timed ones by more than this
// share, the counts describe another state, such as a colder cache or a waiting host.
inline constexpr double kMostOffCount = 0.03;

// Compares a counted with a timed execution. Cycles are compared (sm_cycles_elapsed_max against the median of time x SM
// clock of the kept samples) and times (counted_time_ns against the median time); the pair that agrees better is kept.
// Another clock changes the time but not the cycles. Under a power limit, the timer's clock includes pulses that the
// counters leave out (cublas_hgemm at 1024 on an H200: 6.8 us timed, 6.6 us counted, 12.6 % fewer cycles).
// launch_overhead_us, if measured, is subtracted from the timed interval. The SQL view counted_against_timed computes
// the same.
struct CountedAgainstTimed {
  double counted = 0, timed = 0;
  bool in_cycles = true;
  double Off() const { return counted / timed - 1; }
};
// None when one of the two was not measured.
std::optional<CountedAgainstTimed> CompareCounted(const KernelView& kernel);

// Where a program's launches of a kernel take different times and only some were counted: how far they differ, and
// whether the counters were scaled to the mean of all (launch_weights.h) or do not stand for all. Empty: the counted
// launches take as long as the others, or this is not known.
std::string LaunchesDiffer(const KernelView& kernel, std::string_view who);

// Caveats on this kernel's times and counts, one sentence each; usually empty. `who`: "v1_6 (base)".
std::vector<std::string> TimingCaveats(const KernelView& kernel, std::string_view who);

}  // namespace culprit
