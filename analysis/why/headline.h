// SPDX-License-Identifier: Apache-2.0
// What may stand alone as the answer. The table of causes has every part with its sign; one line must not say more than
// is true without them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/why/explain.h"

namespace culprit {

// A cause beyond this share of the change made what others took back: it alone is no answer. Planted causes, which are
// alone by design, reach 1.18 on the recorded H100 run.
inline constexpr double kMostOfAChange = 1.2;

// The largest part in the direction of the change and the largest against it, by name ("unexplained" among them).
struct Opposed {
  std::string with, against;
  double with_us = 0, against_us = 0;
};

// Where a cause is larger than kMostOfAChange of the change and others took that back, or all that works against the
// change is as large as it: the change is what is left of parts that cancel. A cause against it whose interval holds 0
// may be nothing, and takes nothing back.
std::optional<Opposed> LargePartsCancel(const Explanation& explanation);

// "large parts cancel: shared_traffic +900.0 us (180.0 %) against l2_traffic -400.0 us (-80.0 %)"
std::string ToText(const Opposed& opposed, double change_us);

// Whether the first cause may stand alone: it is in the direction of the change, larger than what is unexplained, and
// large parts do not cancel.
bool FirstCauseStands(const Explanation& explanation);

// The answer of `culprit why` in one sentence: the first cause, or why none may stand alone. Empty when there is no
// difference to explain.
std::string Headline(const Explanation& explanation);

// "+4,589.8 us (91.5 %)"; a share of the change, where there is one.
std::string PartText(double part_us, double change_us);

// What a part of this sign is: "more floating-point work" of what costs time, "less floating-point work" of what saves
// it.
std::string_view WordsFor(std::string_view cause, double delta_us);
// One sentence: "Less floating-point work: 1,916.0 us less, 38.0 % of the change."
std::string SentenceFor(std::string_view cause, double delta_us, double share);

}  // namespace culprit
