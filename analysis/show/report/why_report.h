// SPDX-License-Identifier: Apache-2.0
// The report of `culprit why` on two kernels. The answer is in the first lines; its evidence follows.
#pragma once
#include <string>

#include "analysis/judge/why/explain.h"
#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

// `even_without_difference`: shows the parts of the time even if the verdict is same or ambiguous.
Report MakeWhyReport(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation,
                     bool even_without_difference);

// The same for programs (Report::fields).
Fields WhyFields(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation);

// "v1_6 is slower than v1_7: 5,391.2 us -> 10,408.3 us, +5,017.1 us (+93.1 %)". The names include the runs if both are
// the same stage, and the shapes if these differ.
std::string VerdictLine(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation);

// Names that distinguish the two in a sentence.
struct PairNames {
  std::string base, candidate;
};
PairNames NamesOf(const KernelRecord& base, const KernelRecord& candidate);

// The counters that changed: "stack_frame_bytes = 0 B -> 256 B; local_load_inst = 0 -> 268,697,600".
std::string EvidenceText(const CausePart& part);

// The result of a third kernel that tests `cause`: "partly confirmed by the kernel v1_6_4 (7,410.2 us), which is v1_6
// but for intermediate results: ... => ...: it accounts for 2,030.8 us (50.2 % of the difference), less than the
// cause's interval allows".
std::string Describe(const Counterfactual& counterfactual, const CausePart& cause);

}  // namespace culprit
