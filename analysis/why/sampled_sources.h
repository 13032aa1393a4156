// SPDX-License-Identifier: Apache-2.0
// Which lines a cause is at, by samples: where warps waited longer because of it, in microseconds.
#pragma once
#include "analysis/blame/line_difference.h"
#include "analysis/why/explain.h"
#include "analysis/why/sampled_pair.h"

namespace culprit {

// Names for each cause that samples can show (Cause::sampled) up to three lines, those first where it came or went
// most, and all that samples do not tell from the first, instead of those where most was counted. A cause that they
// show on no line that is known keeps what it has.
void AddSampledSources(const LineDifferences& differences, Explanation& explanation);

// Names the instructions of these lines and how many samples each has, in the kernel that has more of the cause.
void AddSampledInstructions(const SampledPair& sampled, Explanation& explanation);

}  // namespace culprit
