// SPDX-License-Identifier: Apache-2.0
// Kernels for tests of attribution. A test gives the time that warps spend in each state. All other numbers follow from
// these, so that only the factor that the test changes differs.
#pragma once
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/judge/why/sampled_pair.h"
#include "tests/support/kernel_builder.h"

namespace culprit::testing {

using Us = std::map<std::string, double>;

// A kernel that takes the sum of `us_by_state`, at 2,000 MHz, in 16 equal samples, with work on every SM from start to
// end. The states are all of its resident warp-cycles, 1,000 per microsecond. So two such kernels differ only in their
// states, not in parallelism, imbalance, clock or launch. It has 1,000 instructions of 32 lanes and no memory accesses,
// and all other counts are 0. The grid has many waves of blocks of 256 threads; 8 blocks fit on an SM.
KernelBuilder Spending(const std::string& stage, const Us& us_by_state);

// Keeps the warp-cycles, but spreads them over `times` as many cycles, because fewer warps are resident.
KernelBuilder& SpreadOver(KernelBuilder& kernel, double times);

// Sets the time of every sample, and nothing else.
KernelBuilder& Taking(KernelBuilder& kernel, double us);

// The parts by cause. "unexplained" is the sum of parts without a cause, unless it is 0. Fails the test if exchanging
// the two kernels does not flip every sign.
Us Attributed(const KernelBuilder& base, const KernelBuilder& candidate);
// The same with samples of the two.
Us Attributed(const KernelBuilder& base, const KernelBuilder& candidate, const SampledPair& sampled);

// Samples that show this growth of waiting, by operation and state.
SampledPair Sampled(const CostByKind& more_us);
// The samples of the same two kernels with base and candidate exchanged.
SampledPair Exchanged(SampledPair sampled);

// Matches exactly these causes with these microseconds.
::testing::Matcher<const Us&> AreUs(const Us& expected);

}  // namespace culprit::testing
