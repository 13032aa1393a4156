// SPDX-License-Identifier: Apache-2.0
// The instruction stream: how many, how full, and how they reach the pipes.
#include <fmt/core.h>

#include "analysis/causes/finding_rules.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// One instruction per sub-partition and cycle is the peak; from 60 % on, instructions are what the time is made of.
constexpr double kIssueBoundPct = 60;
// An 8x8 thread tile that loads with 128 bits needs 64 FFMA and about 5 others per step, so half is far from good code.
constexpr double kPoorFfmaShare = 0.5;
// Full warps have 32; 28 is one lane in eight asleep.
constexpr double kFewThreads = 28;
// A twentieth of the time: these stalls are near zero in kernels of ordinary size.
constexpr double kMinFrontEndShare = 0.05;

std::optional<Opinion> JudgeCount(const KernelView& k) {
  const double ffma = k.At("ffma_thread_inst") / 32, all = k.At("inst_executed");
  const double issue_pct = k.At("issue_slot_pct");
  // A kernel that does no FFMA at all is about something else.
  if (ffma == 0 || !(issue_pct >= kIssueBoundPct) || !(ffma < kPoorFfmaShare * all)) return std::nullopt;
  const double other = issue_pct / 100 * (1 - ffma / all) * k.At("time_us");
  return Opinion{
      fmt::format(
          "Issue slots are {} full, but only {} of the {} instructions are FFMA, {} issue slots for each: the others "
          "need {} of issue time.",
          Format(issue_pct, Unit::kPercent), Format(100 * ffma / all, Unit::kPercent), Format(all, Unit::kCount),
          Format(all / ffma, Unit::kRatio), Format(other, Unit::kTimeUs)),
      other, fmt::format("{} issue slots per FFMA", Format(all / ffma, Unit::kRatio))};
}

std::optional<Opinion> JudgeDivergence(const KernelView& k) {
  const double threads = k.At("threads_per_inst");
  if (!(threads < kFewThreads)) return std::nullopt;
  return Opinion{fmt::format("An instruction runs with {} of 32 threads on average: warps diverge or are not full.",
                             Format(threads, Unit::kRatio)),
                 std::nullopt, fmt::format("{} of 32 threads per instruction", Format(threads, Unit::kRatio))};
}

std::optional<Opinion> FrontEnd(const KernelView& k, std::string_view reason, std::string_view waits_for,
                                std::string_view brief) {
  const double share = *k.StallShare(reason);
  if (!(share >= kMinFrontEndShare)) return std::nullopt;
  const double wait = *k.StallUs(reason);
  return Opinion{
      fmt::format("{} ({}) waits {}.", Format(wait, Unit::kTimeUs), Format(100 * share, Unit::kPercent), waits_for),
      wait, fmt::format("{} {}", Format(100 * share, Unit::kPercent), brief)};
}

std::optional<Opinion> JudgeInstructionCache(const KernelView& k) {
  return FrontEnd(k, "no_instruction",
                  "for instructions to be fetched: the code misses the instruction cache or jumps too often",
                  "waits for instructions to be fetched");
}
std::optional<Opinion> JudgeConstantCache(const KernelView& k) {
  return FrontEnd(k, "imc_miss", "for constants that are not in the immediate constant cache", "waits for constants");
}
std::optional<Opinion> JudgeDispatch(const KernelView& k) {
  return FrontEnd(k, "dispatch_stall",
                  "because the dispatcher holds back, as it does when operands share a register bank",
                  "is held back by the dispatcher");
}

}  // namespace

FindingRule InstructionCountRule() {
  return {"instruction_count",
          {"ffma_thread_inst", "inst_executed", "issue_slot_pct", "time_us"},
          JudgeCount,
          {"integer_thread_inst"}};
}
FindingRule DivergenceRule() { return {"divergence", {"threads_per_inst"}, JudgeDivergence, {"inst_executed"}}; }
FindingRule InstructionCacheRule() {
  return {
      "instruction_cache", {"stall_no_instruction", "warps_active", "time_us"}, JudgeInstructionCache, {"code_bytes"}};
}
FindingRule ConstantCacheRule() {
  return {"constant_cache", {"stall_imc_miss", "warps_active", "time_us"}, JudgeConstantCache};
}
FindingRule RegisterBankDispatchRule() {
  return {"register_bank_dispatch", {"stall_dispatch_stall", "warps_active", "time_us"}, JudgeDispatch};
}

}  // namespace culprit
