// SPDX-License-Identifier: Apache-2.0
// Arithmetic pipes.
#include <fmt/core.h>

#include "analysis/causes/finding_rules.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// Measured on the recorded H100 run: cuBLAS keeps the lanes busy for 75 % of the cycles at 2048 and 77 % at 4096, the
// best kernel after it for 61 %. From 70 % on there is little left.
constexpr double kNearPeakPct = 70;
// GeForce chips have 1/64 of the FP32 rate in FP64: 1 % of the instructions can then be half of the time.
constexpr double kFp64Share = 0.01;
// The XU pipe issues at 1/8 of the FMA rate (16 against 128 lanes per SM): 5 % of the instructions keep it busy 40 % of
// a full issue rate.
constexpr double kXuShare = 0.05;

std::optional<Opinion> JudgeFma(const KernelView& k) {
  const double peak = k.At("sm_cycles_elapsed_max") * k.At("sm_count") * k.At("fp32_lanes_per_sm");
  if (peak == 0) return std::nullopt;
  const double pct = 100 * k.At("ffma_thread_inst") / peak;
  if (!(pct >= kNearPeakPct)) return std::nullopt;
  const double alone = pct / 100 * k.At("time_us");
  return Opinion{
      fmt::format("Good: the FFMA lanes are busy for {} of the cycles; at their peak this work alone needs {}.",
                  Format(pct, Unit::kPercent), Format(alone, Unit::kTimeUs)),
      alone, fmt::format("good: FFMA lanes busy for {} of the cycles", Format(pct, Unit::kPercent))};
}

std::optional<Opinion> JudgeFp64(const KernelView& k) {
  const double all = k.At("inst_executed"), fp64 = k.At("pipe_fp64_inst");
  if (!(fp64 >= kFp64Share * all) || fp64 == 0) return std::nullopt;
  const double wait = *k.StallUs("math_pipe_throttle");
  return Opinion{
      fmt::format("{} instructions ({}) go to the FP64 pipe, and {} waits for a math pipe.", Format(fp64, Unit::kCount),
                  Format(100 * fp64 / all, Unit::kPercent), Format(wait, Unit::kTimeUs)),
      wait, fmt::format("{} of the instructions are FP64", Format(100 * fp64 / all, Unit::kPercent))};
}

std::optional<Opinion> JudgeXu(const KernelView& k) {
  const double all = k.At("inst_executed"), xu = k.At("pipe_xu_inst");
  if (!(xu >= kXuShare * all) || xu == 0) return std::nullopt;
  // Special functions share the memory input/output queue with shared memory.
  const double part = xu / (xu + k.At("shared_load_inst") + k.At("shared_store_inst"));
  const double wait = part * (*k.StallUs("mio_throttle") + *k.StallUs("short_scoreboard"));
  return Opinion{
      fmt::format("{} instructions ({}) are special functions or conversions of the XU pipe, and {} waits for them.",
                  Format(xu, Unit::kCount), Format(100 * xu / all, Unit::kPercent), Format(wait, Unit::kTimeUs)),
      wait, fmt::format("{} of the instructions use the XU pipe", Format(100 * xu / all, Unit::kPercent))};
}

}  // namespace

FindingRule FmaPipeRule() {
  return {
      "fma_pipe", {"ffma_thread_inst", "sm_cycles_elapsed_max", "sm_count", "fp32_lanes_per_sm", "time_us"}, JudgeFma};
}
FindingRule Fp64PipeRule() {
  return {"fp64_pipe",
          {"pipe_fp64_inst", "inst_executed", "stall_math_pipe_throttle", "warps_active", "time_us"},
          JudgeFp64};
}
FindingRule SfuPipeRule() {
  return {"sfu_pipe",
          {"pipe_xu_inst", "inst_executed", "shared_load_inst", "shared_store_inst", "stall_mio_throttle",
           "stall_short_scoreboard", "warps_active", "time_us"},
          JudgeXu};
}

}  // namespace culprit
