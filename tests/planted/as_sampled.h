// SPDX-License-Identifier: Apache-2.0
// What `culprit record --profile sampled` would have stored of a kernel that was counted and sampled.
#pragma once
#include "db/database.h"

namespace culprit::testing {

// Of the kernel's counters it keeps those that samples of a GPU's counters have (db/sampled_counters.h), each with an
// error of kSampledError, drawn by the kernel's own seed. What samples of instructions tell is added. Everything else
// goes: exact counts, counts of instructions, what the compiler said, other repetitions.
inline constexpr double kSampledError = 0.005;

KernelRecord AsSampled(const KernelRecord& kernel, const SamplingRecord& sampling);

// What `culprit record -k` would have stored of it: what was replayed and counted exactly, the totals of AsSampled
// beside it, and what samples of instructions tell that was not replayed.
KernelRecord AsBoth(const KernelRecord& kernel, const SamplingRecord& sampling);

// A kernel whose counters were sampled, with everything that follows from its totals and samples computed anew, so that
// a recording is judged by today's rules.
KernelRecord DerivedAnew(const KernelRecord& kernel, const SamplingRecord& sampling);

}  // namespace culprit::testing
