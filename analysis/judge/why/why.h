// SPDX-License-Identifier: Apache-2.0
// Everything in the database that explains why one launch is slower than another: `culprit why` as data.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/judge/why/counterfactual.h"
#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/sampled_advice.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/launch/kernel_view.h"

namespace culprit {

// Explain, with source lines, and with what machine code shows about each cause and with advice. `sampled`: of the two,
// as LoadSamples has it. If there is a difference, `examined` gets all that the machine code shows; it may be null.
Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate,
                const std::optional<SampledPair>& sampled, ExaminedPair* examined = nullptr);
Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate);

// Which source lines a cause is at: up to three, those with most of it first, and every line that cannot be told from the
// first. All are of the kernel that has more of the cause.
//
// By samples: the lines where warps waited longer because of the cause, in microseconds, each with its most sampled
// instructions. Empty if samples show the cause on no known line. `delta_us`: the whole difference.
std::vector<CauseSource> SampledSources(const CausePart& part, const SampledPair& sampled, double delta_us);

// By counts: the lines whose counted instructions make the cause. Lines of the toolkit's headers, which the compiler
// inlined, come last. The kernel itself comes first where no instruction was counted, where the cause belongs to no
// line, or where only the toolkit's lines are known.
std::vector<CauseSource> CountedSources(std::string_view cause, const StageRecord& stage,
                                        std::span<const InstructionRecord> instructions);

}  // namespace culprit
