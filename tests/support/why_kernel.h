// SPDX-License-Identifier: Apache-2.0
// Kernels for tests of attribution: the time that warps spend in each state is given, and all else that the time is
// made of follows, so that each factor but the one a test changes stays as it is.
#pragma once
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/why/sampled_pair.h"
#include "tests/support/kernel_builder.h"

namespace culprit::testing {

using Us = std::map<std::string, double>;

// Takes the sum of `us_by_state`, at 2,000 MHz, in 16 equal samples, with work on every SM from start to end. The
// states are all of its resident warp-cycles: 1,000 of them a microsecond. Two such kernels differ in their states
// alone: no parallelism, imbalance, clock or launch. 1,000 instructions of 32 lanes, no access of any kind, everything
// else counted as 0, a grid of many waves of blocks of 256 threads, 8 of which fit an SM.
KernelBuilder Spending(const std::string& stage, const Us& us_by_state);

// The same warp-cycles, but `times` as many cycles for them: SMs hold fewer warps.
KernelBuilder& SpreadOver(KernelBuilder& kernel, double times);

// Sets the time of every sample, and nothing else.
KernelBuilder& Taking(KernelBuilder& kernel, double us);

// By cause, and the sum of what no cause explains as "unexplained" unless that is 0. Fails the test where exchanging
// the two does not flip every sign.
Us Attributed(const KernelBuilder& base, const KernelBuilder& candidate);
// The same with what samples of the two show.
Us Attributed(const KernelBuilder& base, const KernelBuilder& candidate, const SampledPair& sampled);

// What samples show where warps waited so much longer for instructions of one operation in one state.
SampledPair Sampled(const CostByKind& more_us);
// Of the same two kernels the other way round.
SampledPair Exchanged(SampledPair sampled);

// Exactly these causes with these microseconds.
::testing::Matcher<const Us&> AreUs(const Us& expected);

}  // namespace culprit::testing
