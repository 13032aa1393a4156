// SPDX-License-Identifier: Apache-2.0
// The instruction stream: the number of instructions, their active lanes, and their way to the pipes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/causes/gain.h"
#include "analysis/judge/causes/movement.h"
#include "analysis/judge/causes/rooms.h"
#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/stall_stack.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// The peak is one instruction per sub-partition and cycle. From 60 % of it on, the number of instructions determines
// the time.
constexpr double kIssueBoundPct = 60;
// Reported if at least half of the instructions neither access memory nor compute with floats. An 8x8 thread tile that
// loads with 128 bits needs only 5 of these for 64 FFMA.
constexpr double kManyOthers = 0.5;
// A full warp has 32 active threads. With 28, one lane in eight is off.
constexpr double kFewThreads = 28;
// Reported if warps wait at least a twentieth of the time. These stalls are near zero in kernels of ordinary size.
constexpr double kMinFrontEndShare = 0.05;

std::optional<Opinion> JudgeCount(const Sharing& k) {
  const double ffma = k.At("ffma_thread_inst") / 32, all = k.At("inst_executed");
  const double issue_pct = k.At("issue_slot_pct");
  // These are no memory accesses and no floating-point work. Conversions belong to them.
  const double other = k.Least(k.demand().other) + k.Least(k.demand().conversion);
  // A kernel without FFMA has another purpose.
  if (ffma == 0 || !(issue_pct >= kIssueBoundPct) || !(other >= kManyOthers * all)) return std::nullopt;
  const double time = issue_pct / 100 * other / all * k.At("time_us");
  const std::string share = Format(100 * other / all, Unit::kPercent);
  return Opinion{
      fmt::format("Issue slots are {} full, and {} of the {} instructions neither access memory nor compute with "
                  "floating-point numbers, {} for each FFMA: they need {} of issue time.",
                  Format(issue_pct, Unit::kPercent), share, Format(all, Unit::kCount),
                  Format(other / ffma, Unit::kRatio), Format(time, Unit::kTimeUs)),
      time, fmt::format("{} of the instructions are overhead", share)};
}

std::optional<Opinion> JudgeDivergence(const Sharing& k) {
  const double threads = k.At("threads_per_inst");
  if (!(threads < kFewThreads)) return std::nullopt;
  // With all lanes active there would be fewer instructions, and less issuing and latency.
  double wait = 0;
  for (const char* state : {"selected", "wait", "math_pipe_throttle", "branch_resolving"})
    wait += (1 - threads / 32) * *k.StallUs(state);
  return Opinion{fmt::format("An instruction runs with {} of 32 threads on average: warps diverge or are not full; "
                             "{} of issuing and its latency would go with full ones.",
                             Format(threads, Unit::kRatio), Format(wait, Unit::kTimeUs)),
                 wait, fmt::format("{} of 32 threads per instruction", Format(threads, Unit::kRatio))};
}

std::optional<Opinion> JudgeInstructionCache(const Sharing& k) {
  return WaitsIn("no_instruction", k, kMinFrontEndShare,
                 "waits for instructions to be fetched: the code misses the instruction cache or jumps too often",
                 "waits for instructions to be fetched");
}
constexpr std::array<std::string_view, 1> kConstantCause = {"constant_cache"};
std::optional<Opinion> JudgeConstantCache(const Sharing& k) {
  // imc_miss belongs only to constants.
  const double wait = *k.StallUs("imc_miss") + k.WaitUs({"short_scoreboard", "mio_throttle"}, kConstantCause);
  return WaitsFor(wait, wait / k.At("time_us"), kMinFrontEndShare,
                  "waits for constants: misses, and lanes of one warp that ask for different ones",
                  "waits for constants");
}
std::optional<Opinion> JudgeDispatch(const Sharing& k) {
  return WaitsIn("dispatch_stall", k, kMinFrontEndShare,
                 "waits because the dispatcher holds back, as it does when operands share a register bank",
                 "is held back by the dispatcher");
}

// The instructions of one pipe that belong to no other cause.
Range OthersInPipe(const Asker& a) {
  const Demand& d = a.demand;
  if (a.pipe == Pipe::kFma) return Above(d.in_fma_pipe, d.fp32) * Machine::CyclesOf(a.machine.fp32);
  if (a.pipe == Pipe::kAlu) return d.in_alu_pipe * Machine::CyclesOf(a.machine.alu);
  return a.pipe == Pipe::kAll ? d.other * Machine::CyclesOf(a.machine.alu) : 0.0;
}
Range AsksIssue(Wait wait, const Asker& a) {
  const Demand& d = a.demand;
  const Range conversions = d.conversion * ConversionCost(wait, a);
  if (IsPerInstruction(wait)) return conversions + d.other;
  if (wait == Wait::kPipe) return conversions + OthersInPipe(a);
  return wait == Wait::kBranch ? d.branch : conversions;
}
Range AsksFetch(Wait wait, const Asker& a) { return wait == Wait::kFetch ? a.demand.instruction_misses : 0.0; }
Range AsksConstants(Wait wait, const Asker& a) {
  if (wait == Wait::kConstant) return a.demand.immediate_misses;
  if ((wait != Wait::kResult && wait != Wait::kQueue) || a.of_unit) return 0.0;
  // If all lanes of a request read the same constant, the request does not wait for the data pipe.
  return a.alone ? Range::Of(a.kernel.Get("idc_replays"), 0, a.demand.constant_requests.high)
                 : a.demand.constant_requests;
}
std::vector<RestShare> TakesDispatch(const Askers&, const Decomposition&) { return {{"dispatch_stall", 1.0}}; }

// With fewer active lanes, the same job takes more instructions and more accesses, beyond those from narrower accesses.
void TakesLanes(Wait wait, const Askers& pair, Movement& m) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  const auto by_lanes = [](double a, double b, double width_from, double width_to, double lanes_from, double lanes_to) {
    if (!(a > 0) || !(b > 0) || !(lanes_from > 0) || !(lanes_to > 0)) return 0.0;
    const double left = std::log(b / a) - GrowthByWidth(a, b, width_from, width_to);
    return LogarithmicMean(b, a) * Within(left, std::log(lanes_from / lanes_to));
  };
  const GlobalAccesses accesses = GlobalAccessesOf(wait, pair);
  m.Pass(kL2Traffic, "divergence",
         accesses.cost * AtEnds(by_lanes, accesses.from, accesses.to, from.global_width, to.global_width,
                                from.lanes_besides, to.lanes_besides));
  if (!IsPerInstruction(wait) && wait != Wait::kPipe && wait != Wait::kBranch) return;
  const auto fewer = [](double a, double b, double lanes_from, double lanes_to) {
    const bool known = lanes_from > 0 && lanes_to > 0 && a > 0 && b > 0;
    return known ? LogarithmicMean(b, a) * std::log(lanes_from / lanes_to) : 0.0;
  };
  // The thread that issues bulk copies is no divergence, because the other threads have nothing to do.
  const auto besides = [&](const Range& units, const Demand& d) {
    return IsPerInstruction(wait) ? Above(units, d.by_copying_thread) : units;
  };
  m.Reassign("divergence",
             AtEnds(fewer, besides(m.from(), from), besides(m.to(), to), from.lanes_besides, to.lanes_besides));
}

// FFMA is the kernel's main work if it is at least one instruction in four. With fewer FFMA, the main work is something
// else, such as divisions of 64-bit integers.
constexpr double kFfmaLeadsFrom = 0.25;

// Removes other instructions until one in two is an FFMA. From there on instruction_count has no finding.
std::optional<Removal> WithFewerInstructions(const Sharing& k) {
  const double ffma = PartOf(k.At("ffma_thread_inst") / 32, k.At("inst_executed"));
  if (ffma < kFfmaLeadsFrom) return std::nullopt;
  Removal r;
  r.instructions = std::clamp(1 - 2 * ffma, 0.0, 1.0);
  return r;
}
// A warp with threads in both branches executes both, one after the other, with the waiting of each.
std::optional<Removal> WithFullWarps(const Sharing& k) {
  Removal r;
  const double spared = std::clamp(1 - k.At("threads_per_inst") / 32, 0.0, 1.0);
  r.instructions = r.arithmetic = r.lsu = spared;
  if (const auto stalls = MakeStallStack(k.kernel()); stalls.stack)
    for (const StallPart& part : stalls.stack->parts)
      if (!ShrinksWithInstructions(part.reason)) r.waiting[part.reason] = spared;
  return r;
}
std::optional<Removal> WithCodeInCache(const Sharing&) { return WithoutWaiting("no_instruction"); }
std::optional<Removal> WithConstantsInCache(const Sharing& k) {
  Removal r = WithoutWaiting("imc_miss");
  r.waiting["short_scoreboard"] = k.Of(Wait::kResult, kConstantCause);
  r.waiting["mio_throttle"] = k.Of(Wait::kQueue, kConstantCause);
  return r;
}
std::optional<Removal> WithoutDispatchStall(const Sharing&) { return WithoutWaiting("dispatch_stall"); }

bool IsNotUnrolled(std::string_view v) { return topic::IsNone(v) || v == "no pragma"; }

}  // namespace

Cause InstructionCount() {
  return {
      .id = "instruction_count",
      .title = "more instructions",
      .saves = "fewer instructions",
      .explains = "issued instructions (selected), wait, math_pipe_throttle, dispatch_stall",
      .moves = "instructions issued that are no memory access and no floating-point work",
      .remedy = "hoist address and loop arithmetic; unroll",
      .needs = {"inst_issued"},
      .evidence = {"inst_issued", "integer_thread_inst", "pipe_alu_inst", "branch_inst", "issue_slot_pct"},
      .rises = {"inst_issued", "branch_inst", "integer_thread_inst", "conversion_thread_inst", "pipe_alu_inst",
                "pipe_cbu_inst", "pipe_uniform_inst", "pipe_adu_inst", "pipe_lsu_inst"},
      .loads = units::kIssue | units::kFma | units::kAlu | units::kXu,
      .asks = AsksIssue,
      .symptom = {"instructions", "inst_executed"},
      .sampled = SampledAt{{}, {"selected", "not_selected"}},
      .topics = {{"unroll", IsNotUnrolled, false}, {"bounds checks", topic::IsSet, false}},
      .finding = {{"ffma_thread_inst", "inst_executed", "inst_issued", "conversion_thread_inst", "issue_slot_pct",
                   "time_us"},
                  JudgeCount,
                  {"integer_thread_inst"}},
      .gain = {"every other instruction were an FFMA", WithFewerInstructions, "instructions that are no FFMA",
               "not_ffma_inst", true},
  };
}

Cause RegisterBankDispatch() {
  return {
      .id = "register_bank_dispatch",
      .title = "dispatch held back",
      .saves = "dispatch held back less",
      .explains = "dispatch_stall beyond what instructions explain",
      .moves = "none is counted: register bank conflicts among the reasons",
      .remedy = "look at the operands' registers in the machine code",
      .needs = {"stall_dispatch_stall"},
      .evidence = {"stall_dispatch_stall", "inst_issued"},
      .rises = {"stall_dispatch_stall"},
      .takes_rest = TakesDispatch,
      .sampled = SampledAt{{}, {"dispatch_stall"}, true},
      .finding = {{"stall_dispatch_stall", "warps_active", "time_us"}, JudgeDispatch},
      .gain = {"the dispatcher held no warp back", WithoutDispatchStall, "warp-cycles held back by the dispatcher",
               "stall_dispatch_stall", true},
  };
}

Cause InstructionCache() {
  return {
      .id = "instruction_cache",
      .title = "instructions not in the cache",
      .saves = "instructions more often in the cache",
      .explains = "no_instruction",
      .moves = "misses of the SM's instruction cache",
      .remedy = "unroll less",
      .needs = {"stall_no_instruction", "icc_misses"},
      .evidence = {"stall_no_instruction", "icc_requests", "icc_misses", "code_bytes"},
      .rises = {"icc_misses"},
      .asks = AsksFetch,
      .sampled = SampledAt{{}, {"no_instruction"}, true},
      .finding = {{"stall_no_instruction", "warps_active", "time_us"}, JudgeInstructionCache, {"code_bytes"}},
      .gain = {"every instruction were fetched in time", WithCodeInCache, "warp-cycles waiting for instructions",
               "stall_no_instruction", true},
  };
}

Cause ConstantCache() {
  return {
      .id = "constant_cache",
      .title = "constants not at hand",
      .saves = "constants more often at hand",
      .explains = "imc_miss, and short_scoreboard and mio_throttle of indexed ones",
      .moves = "misses, and requests of lanes that ask for different constants",
      .remedy = "index constants uniformly by warp; else use shared memory or registers",
      .needs = {"idc_requests", "idc_replays", "imc_misses"},
      .evidence = {"idc_requests", "idc_replays", "idc_misses", "imc_misses", "stall_imc_miss"},
      .rises = {"idc_requests", "idc_replays", "imc_misses"},
      .loads = units::kIssue | units::kL1,
      .asks = AsksConstants,
      .sampled = SampledAt{.reasons = {"imc_miss"}, .stood_at = true, .own = {Operation::kConstantLoad}},
      .finding = {{"stall_imc_miss", "stall_short_scoreboard", "stall_mio_throttle", "idc_requests", "idc_replays",
                   "warps_active", "time_us"},
                  JudgeConstantCache,
                  {"imc_misses"}},
      .gain = {"every constant were in its cache", WithConstantsInCache, "warp-cycles waiting for constants",
               "stall_imc_miss", true},
  };
}

// With all lanes active, there is less of all work.
Cause Divergence() {
  return {
      .id = "divergence",
      .title = "divergent warps",
      .saves = "less divergent warps",
      .explains = "issued instructions, wait, branch_resolving, and requests of fewer lanes",
      .moves = "fewer active threads per instruction",
      .remedy = "let the lanes of a warp take the same branch: sort or regroup the work",
      .needs = {"threads_per_inst", "inst_issued"},
      .evidence = {"threads_per_inst", "inst_issued", "thread_inst_executed", "divergent_branch_targets"},
      .falls = {"threads_per_inst"},
      .loads = units::kEvery,
      .takes = TakesLanes,
      .sampled = SampledAt{{}, {"selected", "not_selected", "branch_resolving"}},
      .finding = {{"threads_per_inst", "stall_selected", "stall_wait", "stall_math_pipe_throttle",
                   "stall_branch_resolving", "warps_active", "time_us"},
                  JudgeDivergence,
                  {"inst_executed"}},
      .gain = {"every instruction ran with 32 threads, and so fewer of them", WithFullWarps,
               "threads asleep per instruction", "threads_asleep_per_inst"},
  };
}

}  // namespace culprit
