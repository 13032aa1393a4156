// SPDX-License-Identifier: Apache-2.0
// What would be gained if the cause of a finding went away: T - T', an estimate from one kernel's own counters.
//
// The model. A cause owns a share of some kinds of waiting, of the instructions, and of the busy time of some units
// (Removal; the shares are those of sharing.h, which the findings rest on). Take them away, and:
//
//   1. Work and waiting shrink. `selected` and the waits that come with instructions (kPerInstruction) keep their size
//      per instruction; the waits that the cause owns lose its share; `barrier` shrinks as the waiting of the warps
//      that everyone waits for does, in proportion to all other states, but for kernels of wgmma, whose products are
//      waited for in the same state.
//   2. What then is the time? Each of the n = W / A warps of a sub-partition alternates between Z cycles of waiting and
//      one issue slot. So the issue rate is X(n, Z), which issue_rate.h states, and
//        T' = T x (1 - instructions that went) x X / X(n', k Z'),
//      where X is the rate that was measured and k makes X(n, k Z) the same. Warps that go from one busy unit to the
//      next come in bursts, meet more often than the model says, and k is above 1; what makes them wait makes the
//      bursts. Waiting that goes makes warps meet at the issue slot instead: `not_selected` comes out of the model and
//      is not scaled. V. Volkov, "Understanding Latency Hiding on GPUs" (PhD thesis, UC Berkeley, 2016): warps over
//      latency until a throughput limit.
//   3. No unit gets faster: T' is at least what each unit needs at its peak for the work that is left (S. Williams et
//      al., "Roofline", CACM 2009, with one roof per unit): issue slots, FMA, ALU, tensor, FP64 and XU pipes,
//      load/store unit, shared memory, L1, L2, device memory. Units of an SM count over the cycles in which it has a
//      warp. `limit` names the unit that stops T'. A unit that was not measured limits nothing.
//
// So 0 <= T - T' <= T, and it grows with the share that goes. K. Zhou et al., "GPA: A GPU Performance Advisor Based on
// Instruction Sampling" (CGO 2021), estimates from samples in a like way, without limits of units.
//
// docs/calibration.md has the errors of these estimates on recorded runs.
#pragma once
#include <optional>
#include <string_view>

#include "analysis/causes/removal.h"
#include "analysis/kernel/kernel_view.h"

namespace culprit {

// `share` of what goes away, 0 to 1: 0 is nothing, 1 all of it.
Removal PartOf(const Removal& removal, double share);

struct Gain {
  double gain_us = 0;
  std::string_view limit;  // what then sets the pace: "L1"; empty: waiting still does
};

// Whether a warp passes through this state for each instruction that it executes, whatever that waits for: then
// Removal::instructions takes it along.
bool ShrinksWithInstructions(std::string_view stall_reason);

// nullopt when the stall stack, the time or what goes away was not measured. For kernels about which the finding has
// spoken: the rule reads what the finding needs.
std::optional<Gain> EstimateGain(const KernelView& kernel, const GainRule& rule);
std::optional<Gain> EstimateGain(const KernelView& kernel, const Removal& removal);
// The same of a kernel whose demand was made already.
std::optional<Gain> EstimateGain(const Sharing& kernel, const Removal& removal);

}  // namespace culprit
