// SPDX-License-Identifier: Apache-2.0
// Lines that cost more, by samples and counters together.
//
// Samples say for what a warp waited, not who was in the way of that: a load waits longer behind atomics that meet at
// one address, behind additional traffic of shared memory, or because fewer warps fit an SM, and moves no more than
// before. Counters say what was in the way, and not on which line. So what a cause has of the difference (CausePart) is
// held against what waiting for its own instructions grew by. Where the cause has more, its lines take what is missing
// from waiting that grew and that is no cause's; what belongs to a cause on no line leaves the lines. What counters do
// not explain stays where samples put it.
#pragma once
#include <map>
#include <string>

#include "analysis/blame/line_difference.h"
#include "analysis/why/explain.h"

namespace culprit {

// Microseconds of the difference, by an id of Causes(); those against its direction are left alone.
using CauseMicroseconds = std::map<std::string, double, std::less<>>;

// The lines and LineDifferences::on_no_line sum to what the lines did.
void PutCausesOnLines(const CauseMicroseconds& causes, LineDifferences& differences);
// Those of an explanation; nothing is moved where there are none.
void PutCausesOnLines(const Explanation& explanation, LineDifferences& differences);

}  // namespace culprit
