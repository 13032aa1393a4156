// SPDX-License-Identifier: Apache-2.0
// Everything that the database knows of why one launch is slower than another: `culprit why` for programs.
#pragma once
#include "analysis/kernel/kernel_view.h"
#include "analysis/why/counterfactual.h"
#include "analysis/why/explain.h"
#include "analysis/why/sampled_advice.h"
#include "analysis/why/sampled_pair.h"

namespace culprit {

// Explain, with samples where both were sampled, and the stages of the same runs that confirm or refute a cause.
Explanation ExplainWithNeighbours(const Neighbours& neighbours, const KernelView& base, const KernelView& candidate);

// The same with source lines. `sampled`: of the two, as LoadSamples has it. `examined`, where it is not null, gets what
// their machine code was found to show, if there is a difference.
Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate,
                const std::optional<SampledPair>& sampled, ExaminedPair* examined = nullptr);
Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
