// SPDX-License-Identifier: Apache-2.0
// Lines that cost more, by samples and counters together.
//
// Samples show what a warp waited for, but not what delayed it. A load that moves no more data than before can take
// longer behind atomics on one address, behind more shared-memory traffic, or because fewer warps are resident.
// Counters show this delay, but not its line. So a cause's part of the difference (CausePart) is compared with the
// growth of waiting for its own instructions. If the part is larger, the rest is moved to the cause's lines from lines
// whose waiting grew and belongs to no cause. Parts of causes without a line are taken from the lines. Waiting that
// counters do not explain stays on the line that samples blame.
#pragma once
#include <map>
#include <string>

#include "analysis/judge/blame/line_difference.h"
#include "analysis/judge/why/explain.h"

namespace culprit {

// Microseconds of the difference, by id of Causes(). Causes against the direction of the difference are ignored.
using CauseMicroseconds = std::map<std::string, double, std::less<>>;

// The sum of all lines and of LineDifferences::on_no_line does not change.
void PutCausesOnLines(const CauseMicroseconds& causes, LineDifferences& differences);
// The same with the causes of an explanation.
void PutCausesOnLines(const Explanation& explanation, LineDifferences& differences);

}  // namespace culprit
