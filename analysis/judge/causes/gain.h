// SPDX-License-Identifier: Apache-2.0
// Estimates T - T', the gain if the cause of a finding went away, from one kernel's own counters.
//
// The model. A cause owns a share of some kinds of waiting, of the instructions, and of the busy time of some units
// (Removal). The findings use the same shares (sharing.h). The estimate removes these shares:
//
//   1. Work and waiting shrink. `selected` and the waits that come with instructions (WarpState::per_instruction) keep their size
//      per instruction; the waits that the cause owns lose its share; `barrier` shrinks in proportion to all other
//      states, because it is waiting for other warps; not in kernels with wgmma, where the same state also counts
//      waiting for products.
//   2. What then is the time? Each of the n = W / A warps of a sub-partition alternates between Z cycles of waiting and
//      one issue slot. So the issue rate is X(n, Z), which IssueRate states, and
//        T' = T x (1 - instructions that went) x X / X(n', k Z'),
//      Here X is the measured rate, and k is chosen so that X(n, k Z) equals it. Warps that go from one busy unit to
//      the next come in bursts and collide more often than the model says. This makes k larger than 1. With less
//      waiting, warps collide at the issue slot instead, so the model computes `not_selected` and does not scale it.
//      Compare V. Volkov, "Understanding Latency Hiding on GPUs" (PhD thesis, UC Berkeley, 2016): the rate is warps
//      over latency, up to a throughput limit.
//   3. No unit gets faster. T' is at least the time that each unit needs at its peak for the remaining work
//      (S. Williams et al., "Roofline", CACM 2009, with one roof per unit). Units: issue slots, FMA, ALU, tensor, FP64
//      and XU pipes, load/store unit, shared memory, L1, L2, device memory. For units of an SM, only the cycles count
//      in which the SM has a warp. `limit` names the unit that sets T'. A unit that was not measured is no limit.
//
// So 0 <= T - T' <= T, and the gain grows with the removed share. K. Zhou et al., "GPA: A GPU Performance Advisor Based
// on Instruction Sampling" (CGO 2021), makes similar estimates from samples, without limits of units.
//
// docs/evidence/calibration.md has the errors of these estimates on recorded runs.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "analysis/judge/causes/cause.h"
#include "analysis/launch/kernel_view.h"

namespace culprit {

// This `share` of the removal: 0 is nothing, 1 is all of it.
Removal PartOf(const Removal& removal, double share);

struct Gain {
  double gain_us = 0;
  std::string_view limit;  // the unit that limits the kernel after the removal: "L1"; empty: waiting still does
};

// Whether a warp passes through this state for every instruction, so that Removal::instructions reduces it.
bool ShrinksWithInstructions(std::string_view stall_reason);

// nullopt when the stall stack, the time or the removal was not measured. Call it only for kernels with this finding,
// because it reads the same metrics.
std::optional<Gain> EstimateGain(const KernelView& kernel, const GainRule& rule);
// The same, if `removal` is what goes away.
std::optional<Gain> EstimateGain(const Sharing& kernel, const Removal& removal);

// The error of the estimates for one cause, as it is shown to users: a row of calibrated.inc, which script/update-docs
// makes from the runs in db/recorded with `culprit_evidence calibrate`.
struct CalibratedError {
  std::string_view cause;
  int experiments = 0;  // edges, see CauseError; 0 if only `alone` has some, then there is no ratio
  double median_ratio = 0;
  std::optional<double> error_factor;  // none below kLeastExperiments
  double worst_factor = 0;
  // Over every edge on which only this cause went away, outweighed ones included; see CauseError::alone.
  int alone = 0;
  std::optional<double> alone_factor;
  std::string_view runs;  // "056be927", space-separated
};

// In the order of the file.
std::span<const CalibratedError> CalibratedErrors();
// Null for a cause that no edge has tested.
const CalibratedError* FindCalibratedError(std::string_view cause);

// --- how often a sub-partition issues when its warps wait ---

// Instructions per cycle, 0 to 1, of `warps` warps of which each waits `waiting` cycles after every instruction and
// then needs the one issue slot of its sub-partition for a cycle. About n / (Z + 1) for few warps and 1 for many.
// Between these it is below both, because warps that are ready at the same time wait for each other.
//
// Exact mean value analysis of a closed network with one queue (M. Reiser and S. Lavenberg, "Mean-Value Analysis of
// Closed Multichain Queuing Networks", JACM 27, 1980), linear between whole numbers of warps. Rises with `warps`, falls
// with `waiting`. Both at least 0.
double IssueRate(double warps, double waiting);

// Its inverse: the waiting with which `warps` warps issue at `rate`, above 0; 0 where they issue less even without.
double WaitingAt(double warps, double rate);

}  // namespace culprit
