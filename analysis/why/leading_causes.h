// SPDX-License-Identifier: Apache-2.0
// The one or two causes that a table has room for.
#pragma once
#include <string>
#include <utility>

#include "analysis/why/explain.h"
#include "analysis/why/headline.h"

namespace culprit {

// A second cause below this share of the change is left to `culprit why`: a row is read for what dominates.
inline constexpr double kSecondCauseFrom = 0.15;

// The verdict is slower or faster, and the counters were there to split the difference: causes and unexplained_us say
// something.
bool IsExplained(const Explanation& explanation);

// The largest cause in the direction of the change; null when there is none, and where LargePartsCancel.
const CausePart* FirstCause(const Explanation& explanation);
// The next one, from kSecondCauseFrom on.
const CausePart* SecondCause(const Explanation& explanation);

// Why there is no first cause, a phrase: "same", "ambiguous", "not measured", "unexplained", "large parts cancel: ...".
std::string WithoutCause(const Explanation& explanation);

// From this share of the change on, what is unexplained is told of: which causes have most of it, none of them by more
// than noise alone could make. Empty: nothing to tell.
inline constexpr double kTellOfNoiseFrom = 0.2;
std::string WithinNoiseText(const Explanation& explanation);

// Of the unexplained, what causes have of which each could be noise alone: their sum; and the largest in the direction
// of the change, null where they are not most of it.
double WithinNoiseUs(const Explanation& explanation);
const std::pair<std::string, double>* FirstWithinNoise(const Explanation& explanation);

// What a cause has of the change, within noise or not; 0 where it has nothing.
double PartOfCause(const Explanation& explanation, const std::string& cause);

// "local_memory_array +4,589.8 us (91.5 %)"; of no cause "-".
std::string CauseText(const CausePart* cause, double change_us);

}  // namespace culprit
