// SPDX-License-Identifier: Apache-2.0
// What goes away with causes that are about latency, balance, pipes and the instruction stream.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "analysis/causes/access_shares.h"
#include "analysis/causes/gain_rules.h"

namespace culprit {
namespace {

// A dependent FFMA can issue after 4 cycles, a DFMA after 8 (Z. Jia et al., "Dissecting the NVIDIA Volta GPU
// Architecture via Microbenchmarking", 2018).
constexpr double kFp64LatencyBeyondFp32 = 0.5;
// One in four: where the others are more than three for each, they are what the kernel does rather than what comes with
// its FFMA, as a division of 64-bit integers is.
constexpr double kLeastFfmaShare = 0.25;

Removal Without(const char* reason, double share = 1) {
  Removal r;
  r.waiting = {{reason, share}};
  return r;
}

std::optional<Removal> WithLoadsInTime(const KernelView& k) { return Without("long_scoreboard", GlobalSectorShare(k)); }

// As many times the blocks per SM, once the limits in `mine` are lifted, as the SM's warps and the grid allow. nullopt
// when that is no more: the limit is none, then.
std::optional<Removal> WithMoreBlocks(const KernelView& k, std::initializer_list<std::string_view> mine) {
  double now = INFINITY, then = INFINITY;
  for (const char* limit :
       {"blocks_per_sm_by_registers", "blocks_per_sm_by_shared", "blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"}) {
    const double blocks = k.At(limit);
    now = std::min(now, blocks);
    if (std::find(mine.begin(), mine.end(), limit) == mine.end()) then = std::min(then, blocks);
  }
  const Measured grid = k.Get("blocks") / k.Get("sm_count");
  Removal r;
  r.warps = std::min({then / now, 1 / k.At("theoretical_occupancy"), grid.value_or(INFINITY) / now});
  if (!(r.warps > 1)) return std::nullopt;
  return r;
}
std::optional<Removal> WithFewerRegisters(const KernelView& k) {
  return WithMoreBlocks(k, {"blocks_per_sm_by_registers"});
}
std::optional<Removal> WithLessShared(const KernelView& k) { return WithMoreBlocks(k, {"blocks_per_sm_by_shared"}); }
std::optional<Removal> WithOtherBlocks(const KernelView& k) {
  return WithMoreBlocks(k, {"blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"});
}

std::optional<Removal> WithoutIdleSms(const KernelView&) {
  Removal r;
  r.idle_sms = 1;
  return r;
}
std::optional<Removal> WithoutLateWarps(const KernelView&) { return Without("barrier"); }

double Part(double one, double all) { return all > 0 ? one / all : 0; }

// Of the queue of the memory input/output unit, which special functions share with shared memory.
double QueuePart(const KernelView& k, double xu) {
  return Part(xu, k.Get("pipe_xu_inst").value_or(xu) + k.Get("shared_load_inst").value_or(0) +
                      k.Get("shared_store_inst").value_or(0));
}

// As many FP32 instructions instead, and no conversion between the two.
std::optional<Removal> WithFp32(const KernelView& k) {
  const Measured all = k.Get("inst_executed"), counted = k.Get("conversion_thread_inst") / Measured(32);
  const double conversions = std::min(counted.value_or(0), k.Get("pipe_xu_inst").value_or(0));
  Removal r;
  r.instructions = Part(conversions, *all);
  const double queue = QueuePart(k, conversions), longer = kFp64LatencyBeyondFp32 * Part(k.At("pipe_fp64_inst"), *all);
  r.waiting = {{"math_pipe_throttle", 1}, {"mio_throttle", queue}, {"short_scoreboard", queue}, {"wait", longer}};
  r.fp64 = 1;
  r.xu = Part(conversions, k.Get("pipe_xu_inst").value_or(0));
  return r;
}

std::optional<Removal> WithoutXu(const KernelView& k) {
  const double xu = k.At("pipe_xu_inst"), queue = QueuePart(k, xu);
  Removal r;
  r.waiting = {{"mio_throttle", queue}, {"short_scoreboard", queue}};
  r.instructions = Part(xu, k.At("inst_executed"));
  r.xu = 1;
  return r;
}

// To one FFMA in two instructions, from where instruction_count is silent.
std::optional<Removal> WithFewerInstructions(const KernelView& k) {
  const double ffma = Part(k.At("ffma_thread_inst") / 32, k.At("inst_executed"));
  if (ffma < kLeastFfmaShare) return std::nullopt;
  Removal r;
  r.instructions = std::clamp(1 - 2 * ffma, 0.0, 1.0);
  return r;
}
std::optional<Removal> WithFullWarps(const KernelView& k) {
  Removal r;
  r.instructions = r.arithmetic = r.lsu = std::clamp(1 - k.At("threads_per_inst") / 32, 0.0, 1.0);
  return r;
}
std::optional<Removal> WithCodeInCache(const KernelView&) { return Without("no_instruction"); }
std::optional<Removal> WithConstantsInCache(const KernelView&) { return Without("imc_miss"); }
std::optional<Removal> WithoutDispatchStall(const KernelView&) { return Without("dispatch_stall"); }

Measured LoadWaiting(const KernelView& k) {
  const Measured global = k.Get("global_sectors");
  return k.Get("stall_long_scoreboard") * global / (global + k.Get("local_sectors"));
}
// 3 at a quarter of the warps, 0 at all of them.
Measured EmptySlots(const KernelView& k) { return Measured(1) / k.Get("theoretical_occupancy") - Measured(1); }
Measured IdleCycles(const KernelView& k) { return k.Get("smsp_cycles_elapsed") - k.Get("smsp_cycles_active"); }
Measured BarrierWaiting(const KernelView& k) { return k.Get("stall_barrier"); }
Measured Fp64(const KernelView& k) { return k.Get("pipe_fp64_inst"); }
Measured Xu(const KernelView& k) { return k.Get("pipe_xu_inst"); }
Measured OtherInstructions(const KernelView& k) {
  return k.Get("inst_executed") - k.Get("ffma_thread_inst") / Measured(32);
}
Measured SleepingThreads(const KernelView& k) { return Measured(32) - k.Get("threads_per_inst"); }
Measured FetchWaiting(const KernelView& k) { return k.Get("stall_no_instruction"); }
Measured ConstantWaiting(const KernelView& k) { return k.Get("stall_imc_miss"); }
Measured DispatchWaiting(const KernelView& k) { return k.Get("stall_dispatch_stall"); }

}  // namespace

std::vector<GainRule> ExecutionGainRules() {
  constexpr std::string_view slots = "empty warp slots per resident warp";
  return {
      {"exposed_latency", "every value from global memory arrived before it was used", WithLoadsInTime,
       "warp-cycles waiting for global memory", LoadWaiting},
      {"occupancy_registers", "registers set no limit and more warps waited no longer each", WithFewerRegisters, slots,
       EmptySlots},
      {"occupancy_shared", "shared memory set no limit and more warps waited no longer each", WithLessShared, slots,
       EmptySlots},
      {"occupancy_block", "the block size set no limit and more warps waited no longer each", WithOtherBlocks, slots,
       EmptySlots},
      {"imbalance_tail", "all SMs had work from start to end", WithoutIdleSms, "cycles without a warp", IdleCycles},
      {"barrier", "no warp came late to a barrier", WithoutLateWarps, "warp-cycles waiting at barriers",
       BarrierWaiting},
      {"fp64_pipe", "every FP64 instruction were an FP32 one and none converted between them", WithFp32,
       "FP64 instructions", Fp64},
      {"sfu_pipe", "the instructions of the XU pipe went away and nothing else took their place", WithoutXu,
       "XU instructions", Xu},
      {"instruction_count", "every other instruction were an FFMA", WithFewerInstructions,
       "instructions that are no FFMA", OtherInstructions},
      {"divergence", "every instruction ran with 32 threads, and so fewer of them", WithFullWarps,
       "threads asleep per instruction", SleepingThreads},
      {"instruction_cache", "every instruction were fetched in time", WithCodeInCache,
       "warp-cycles waiting for instructions", FetchWaiting},
      {"constant_cache", "every constant were in its cache", WithConstantsInCache, "warp-cycles waiting for constants",
       ConstantWaiting},
      {"register_bank_dispatch", "the dispatcher held no warp back", WithoutDispatchStall,
       "warp-cycles held back by the dispatcher", DispatchWaiting},
  };
}

}  // namespace culprit
