// SPDX-License-Identifier: Apache-2.0
// What one line may say of an explanation. The table of causes has every part with its sign; one line must not say more
// than is true without them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/judge/why/explain.h"
#include "analysis/number/line_ranges.h"

namespace culprit {

// If a cause exceeds this share of the change, other causes cancel part of it, so it must not be the headline alone.
// docs/evidence/planted.md has six planted causes above this share.
inline constexpr double kMostOfAChange = 1.2;

// The largest part in the direction of the change and the largest against it, by name ("unexplained" among them).
struct Opposed {
  std::string with, against;
  double with_us = 0, against_us = 0;
};

// The two largest opposed parts, in either of two cases: a cause exceeds kMostOfAChange times the change and others
// cancel the excess, or all parts against the change are together as large as the change. A cause against the change
// does not count if its interval contains 0. None in all other cases.
std::optional<Opposed> LargePartsCancel(const Explanation& explanation);

// "large parts cancel: shared_traffic +900.0 us (180.0 %) against l2_traffic -400.0 us (-80.0 %)"
std::string ToText(const Opposed& opposed, double change_us);

// Whether the first cause may be named alone: it has the direction of the change, it is larger than the unexplained
// part, and large parts do not cancel.
bool FirstCauseStands(const Explanation& explanation);

// The answer of `culprit why` in one sentence: the first cause, or the reason why no cause may be named alone. Empty
// when there is no difference to explain.
std::string Headline(const Explanation& explanation);

// "+4,589.8 us (91.5 %)", with its share of the change, unless the change is 0.
std::string PartText(double part_us, double change_us);

// Names a part by its sign: "more floating-point work" if it costs time, "less floating-point work" if it saves time.
std::string_view WordsFor(std::string_view cause, double delta_us);
// One sentence: "Less floating-point work: 1,916.0 us less, 38.0 % of the change."
std::string SentenceFor(std::string_view cause, double delta_us, double share);
// The same for a cause that nothing shows but longer waiting: "Waiting longer for the same loads from global memory:
// 9.8 us more, 91 % of the change. Why was not measured: ..." `sampled`: the code of both is known. Empty: the cause has
// no such words.
std::string WaitingSentenceFor(std::string_view cause, double delta_us, double share, bool sampled);

// --- the one or two causes that a table has room for ---

// A second cause below this share of the change is left to `culprit why`: a row is read for what dominates.
inline constexpr double kSecondCauseFrom = 0.15;

// The verdict is slower or faster, and counters could split the difference, so causes and unexplained_us have a
// meaning.
bool IsExplained(const Explanation& explanation);

// The largest cause in the direction of the change; null when there is none, and where LargePartsCancel.
const CausePart* FirstCause(const Explanation& explanation);
// The next one, from kSecondCauseFrom on.
const CausePart* SecondCause(const Explanation& explanation);

// Why there is no first cause, a phrase: "same", "ambiguous", "not measured", "unexplained", "large parts cancel: ...".
std::string WithoutCause(const Explanation& explanation);

// From this share of the change on, reports mention the unexplained part and the causes within noise that have most of
// it. Empty: nothing to tell.
inline constexpr double kTellOfNoiseFrom = 0.2;
std::string WithinNoiseText(const Explanation& explanation);

// The part of the unexplained time that belongs to causes within noise: their sum, and the largest in the direction of
// the change (null if they are not most of the unexplained part).
double WithinNoiseUs(const Explanation& explanation);
const std::pair<std::string, double>* FirstWithinNoise(const Explanation& explanation);

// A cause's part of the change, within noise or not; 0 if it has none.
double PartOfCause(const Explanation& explanation, const std::string& cause);

// "local_memory_array +4,589.8 us (91.5 %)"; of no cause "-".
std::string CauseText(const CausePart* cause, double change_us);

// --- where a cause is ---

// Its first line, and all lines that counts or samples cannot tell from it. Every report names the place by this.
struct CausePlace {
  std::vector<LineRange> lines;  // empty: not known
  std::string kernel;            // not empty: no line is known, and `lines` is where this kernel begins
};
CausePlace PlaceOf(const CausePart& cause);

// "a.cu:26-28", or "kernel v1_6 (a.cu:3)" where no line is known; empty: not known.
std::string ToText(const CausePlace& place);

}  // namespace culprit
