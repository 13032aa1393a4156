// SPDX-License-Identifier: Apache-2.0
// The verdict on two kernels as they were recorded: every report of a pair says this one.
#pragma once
#include "analysis/kernel/kernel_view.h"
#include "analysis/verdict/verdict.h"

namespace culprit {

// VerdictOn their samples, at the larger noise floor of the two recordings. Ambiguous where the medians contradict the
// samples as a whole; a difference where single launches that Nsight Compute profiled lie far apart.
Verdict VerdictOnPair(const KernelView& base, const KernelView& candidate);

}  // namespace culprit
