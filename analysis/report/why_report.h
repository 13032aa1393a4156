// SPDX-License-Identifier: Apache-2.0
// `culprit why` for people: the answer in the first lines, then what it rests on.
#pragma once
#include <string>

#include "analysis/render/report.h"
#include "analysis/why/explain.h"
#include "db/database.h"

namespace culprit {

// `even_without_difference`: shows where the time went although the verdict is same or ambiguous.
Report MakeWhyReport(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation,
                     bool even_without_difference);

// "v1_6 is slower than v1_7: 5,391.2 us -> 10,408.3 us, +5,017.1 us (+93.1 %)". The names are told apart by their runs
// where they are the same stage, and by their shapes where those differ.
std::string VerdictLine(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation);

// What distinguishes the two in a sentence.
struct PairNames {
  std::string base, candidate;
};
PairNames NamesOf(const KernelRecord& base, const KernelRecord& candidate);

// The counters that moved: "stack_frame_bytes = 0 B -> 256 B; local_load_inst = 0 -> 268,697,600".
std::string EvidenceText(const CausePart& part);

// What a third kernel says of `cause`: "partly confirmed by the kernel v1_6_4 (7,410.2 us), which is v1_6 but for
// intermediate results: ... => ...: it accounts for 2,030.8 us (50.2 % of the difference), less than the cause's
// interval allows".
std::string Describe(const Counterfactual& counterfactual, const CausePart& cause);

}  // namespace culprit
