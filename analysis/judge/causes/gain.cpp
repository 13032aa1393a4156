// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/gain.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/stall_stack.h"

namespace culprit {
namespace {

constexpr CalibratedError kErrors[] = {
#include "analysis/judge/causes/calibrated.inc"
};

// Shares of the resident warp-cycles. All states but `selected` and `not_selected`, of which the model makes the time.
struct WarpTime {
  double issuing = 0, waiting = 0;
};

WarpTime Before(const StallStack& stack) {
  WarpTime time;
  double contention = 0;
  for (const StallPart& part : stack.parts) {
    if (part.reason == "selected") time.issuing = part.share;
    if (part.reason == "not_selected") contention = part.share;
  }
  // Warp-cycles in no state count as waiting that no removal reduces.
  time.waiting = std::max(0.0, std::max(1.0, stack.closure) - time.issuing - contention);
  return time;
}

// `barrier_is_products`: the state `barrier` also includes waiting for products of warpgroups. The tensor pipe ends
// this waiting, not another warp.
WarpTime After(const StallStack& stack, const Removal& removal, bool barrier_is_products) {
  double issuing = 0, waiting = 0, all = 0, kept = 0, barrier = 0;
  for (const StallPart& part : stack.parts) {
    if (part.reason == "not_selected") continue;
    const auto share = removal.waiting.find(part.reason);
    double left = part.share * (share == removal.waiting.end() ? 1 : 1 - std::clamp(share->second, 0.0, 1.0));
    if (ShrinksWithInstructions(part.reason)) left *= 1 - removal.instructions;
    if (part.reason == "barrier") {
      barrier = left;
      continue;
    }
    all += part.share;
    kept += left;
    (part.reason == "selected" ? issuing : waiting) += left;
  }
  const double late = all > 0 && !barrier_is_products ? kept / all : 1;
  return {issuing, waiting + late * barrier + std::max(0.0, 1 - stack.closure)};
}

struct Limit {
  std::string_view unit;
  double time_us = 0;
};

// The share of the time in which SMs have work, after `spread` of their idle time was removed.
double BusyShare(const KernelView& k, double spread) {
  const Measured active = k.Get("smsp_cycles_active") / k.Get("smsp_cycles_elapsed");
  return active ? 1 - std::clamp(spread, 0.0, 1.0) * (1 - *active) : 1;
}

// The time that each unit needs at its peak for the remaining work.
std::vector<Limit> Limits(const Sharing& k, const Removal& removal, double time_us) {
  // If work is spread evenly, the busy SMs lose as much work as the idle SMs get.
  const double sm_us = BusyShare(k.kernel(), removal.idle_sms) * time_us;
  std::vector<Limit> limits;
  const auto add = [&](std::string_view unit, const Measured& pct, double at_100_us, double left) {
    if (pct) limits.push_back({unit, *pct / 100 * at_100_us * (1 - std::clamp(left, 0.0, 1.0))});
  };
  add("issue slots", k.Get("issue_slot_pct"), sm_us, removal.instructions);
  add("the FMA pipe", k.Get("fma_pipe_pct"), sm_us, removal.arithmetic);
  add("the ALU pipe", k.Get("alu_pipe_pct"), sm_us, removal.arithmetic);
  add("the tensor pipe", k.Get("tensor_pipe_pct"), sm_us, removal.arithmetic);
  add("the FP64 pipe", k.Get("fp64_pipe_pct"), sm_us, std::max(removal.arithmetic, removal.fp64));
  add("the XU pipe", k.Get("xu_pipe_pct"), sm_us, std::max(removal.arithmetic, removal.xu));
  add("the load/store unit", k.Get("lsu_pipe_pct"), sm_us, removal.lsu);
  if (const auto busy = SharedBusy(k)) add("shared memory", busy->pct, sm_us, removal.shared);
  if (const auto busy = L1Busy(k)) add("L1", busy->pct, sm_us, removal.l1);
  if (const auto busy = L2Busy(k)) add("L2", busy->pct, time_us, removal.l2);
  if (const auto busy = DramBusy(k)) add("device memory", busy->pct, time_us, removal.dram);
  return limits;
}

}  // namespace

double IssueRate(double warps, double waiting) {
  double rate = 0, one_less = 0, queued = 0, k = 0;
  while (k < warps) {
    k += 1;
    // An arriving warp finds as many queued as there are on average with one warp less.
    const double at_the_slot = 1 + queued;
    one_less = rate;
    rate = k / (waiting + at_the_slot);
    queued = rate * at_the_slot;
  }
  return one_less + (rate - one_less) * (warps - (k - 1));
}

double WaitingAt(double warps, double rate) {
  // Queueing only adds to warps / rate cycles from one instruction of a warp to its next.
  double low = 0, high = std::max(0.0, warps / rate - 1);
  constexpr int kHalvings = 60;  // more than a double can tell apart
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (IssueRate(warps, middle) > rate ? low : high) = middle;
  }
  return high;
}

bool ShrinksWithInstructions(std::string_view state) {
  const auto found = std::ranges::find(WarpStates(), state, &WarpState::name);
  return found != WarpStates().end() && found->per_instruction;
}

Removal PartOf(const Removal& removal, double share) {
  Removal part = removal;
  for (auto& [reason, of] : part.waiting) of *= share;
  for (double Removal::*of : {&Removal::instructions, &Removal::arithmetic, &Removal::fp64, &Removal::xu, &Removal::lsu,
                              &Removal::shared, &Removal::l1, &Removal::l2, &Removal::dram, &Removal::idle_sms})
    part.*of *= share;
  part.warps = 1 + share * (removal.warps - 1);
  return part;
}

std::optional<Gain> EstimateGain(const Sharing& sharing, const Removal& removal) {
  const KernelView& kernel = sharing.kernel();
  const Measured time = kernel.Get("time_us");
  const Measured warps = kernel.Get("warps_active") / kernel.Get("smsp_cycles_active");
  const StallStackResult stalls = MakeStallStack(kernel);
  if (!time || !warps || !stalls.stack) return std::nullopt;
  const bool products = kernel.Get("tensor_gmma_inst").value_or(0) > 0;
  const WarpTime before = Before(*stalls.stack), after = After(*stalls.stack, removal, products);
  if (before.issuing <= 0) return std::nullopt;

  double left_us = 0;
  if (after.issuing > 0) {
    const double was = before.issuing * *warps;
    const double scale = before.waiting > 0 ? WaitingAt(*warps, was) / (before.waiting / before.issuing) : 1;
    const double is = IssueRate(*warps * removal.warps, scale * after.waiting / after.issuing);
    left_us = *time * (after.issuing / before.issuing) * was / is;
  }
  left_us *= BusyShare(kernel, removal.idle_sms);
  Gain gain;
  for (const Limit& limit : Limits(sharing, removal, *time))
    if (limit.time_us > left_us) std::tie(gain.limit, left_us) = std::pair(limit.unit, limit.time_us);
  gain.gain_us = std::max(0.0, *time - left_us);
  return gain;
}

std::optional<Gain> EstimateGain(const KernelView& kernel, const GainRule& rule) {
  const Sharing sharing(kernel);
  const std::optional<Removal> removal = rule.removal(sharing);
  return removal ? EstimateGain(sharing, *removal) : std::nullopt;
}

std::span<const CalibratedError> CalibratedErrors() { return kErrors; }

const CalibratedError* FindCalibratedError(std::string_view cause) {
  const auto* found = std::ranges::find(kErrors, cause, &CalibratedError::cause);
  return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace culprit
