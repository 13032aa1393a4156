// SPDX-License-Identifier: Apache-2.0
// Arithmetic pipes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/causes/movement.h"
#include "analysis/judge/causes/rooms.h"
#include "analysis/number/format.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

// In db/recorded, cuBLAS keeps the lanes busy for 75 % of the cycles at 2048 and for 77 % at 4096. The best other
// kernel reaches 62 %. From 70 % on, there is little left to gain.
constexpr double kNearPeakPct = 70;
// GeForce chips execute FP64 at 1/64 of the FP32 rate, so 1 % of the instructions can take half of the time.
constexpr double kFp64Share = 0.01;
// The XU pipe issues at 1/8 of the FMA rate (16 against 128 lanes per SM). At the full issue rate, 5 % of the
// instructions keep it busy for 40 % of the time.
constexpr double kXuShare = 0.05;

constexpr std::array<std::string_view, 1> kXuCause = {"sfu_pipe"}, kFp64Cause = {"fp64_pipe"};
// Conversions are the only instructions in this waiting that belong to no other cause.
constexpr std::array<std::string_view, 1> kConversionCause = {kInstructionCount};

std::optional<Opinion> JudgeFma(const Sharing& k) {
  const double peak = k.At("sm_cycles_elapsed_max") * k.At("sm_count") * k.At("fp32_lanes_per_sm");
  if (peak == 0) return std::nullopt;
  const double pct = 100 * k.At("ffma_thread_inst") / peak;
  if (!(pct >= kNearPeakPct)) return std::nullopt;
  const double alone = pct / 100 * k.At("time_us");
  return Opinion{
      fmt::format("Good: the FFMA lanes are busy for {} of the cycles; at their peak this work alone needs {}.",
                  Format(pct, Unit::kPercent), Format(alone, Unit::kTimeUs)),
      alone, fmt::format("FFMA lanes busy for {} of the cycles", Format(pct, Unit::kPercent)), true};
}

std::optional<Opinion> JudgeFp64(const Sharing& k) {
  const double all = k.At("inst_executed"), fp64 = k.At("pipe_fp64_inst");
  if (!(fp64 >= kFp64Share * all) || fp64 == 0) return std::nullopt;
  const double wait = k.WaitUs({"math_pipe_throttle", "selected", "wait"}, kFp64Cause);
  return Opinion{
      fmt::format(
          "{} instructions ({}) go to the FP64 pipe, and {} is spent on issuing them and on waiting for their pipe.",
          Format(fp64, Unit::kCount), Format(100 * fp64 / all, Unit::kPercent), Format(wait, Unit::kTimeUs)),
      wait, fmt::format("{} of the instructions are FP64", Format(100 * fp64 / all, Unit::kPercent))};
}

std::optional<Opinion> JudgeXu(const Sharing& k) {
  // The instructions of the XU pipe without conversions.
  const double all = k.At("inst_executed"), xu = k.Least(k.demand().special);
  if (!(xu >= kXuShare * all) || xu == 0) return std::nullopt;
  const double wait =
      k.WaitUs({"mio_throttle", "short_scoreboard", "math_pipe_throttle", "selected", "wait"}, kXuCause);
  return Opinion{
      fmt::format(
          "{} instructions ({}) go to the XU pipe (special functions, bit counts) and are no conversions, and {} is "
          "spent on them and on waiting for them.",
          Format(xu, Unit::kCount), Format(100 * xu / all, Unit::kPercent), Format(wait, Unit::kTimeUs)),
      wait, fmt::format("{} of the instructions go to the XU pipe", Format(100 * xu / all, Unit::kPercent))};
}

// A warp instruction takes an issue slot, and its pipe for the time that its lanes need.
Range InPipe(Wait wait, const Asker& a, Pipe pipe, const Range& instructions, double lanes) {
  if (IsPerInstruction(wait)) return instructions;
  return wait == Wait::kPipe && a.IsOf(pipe) ? instructions * Machine::CyclesOf(lanes) : 0.0;
}
Range AsksFma(Wait wait, const Asker& a) { return InPipe(wait, a, Pipe::kFma, a.demand.fp32, a.machine.fp32); }
Range AsksFp16(Wait wait, const Asker& a) { return InPipe(wait, a, Pipe::kFp16, a.demand.fp16, a.machine.fp16_pairs); }
Range AsksFp64(Wait wait, const Asker& a) {
  if (wait == Wait::kFixed) return a.demand.fp64 * a.machine.Fp64OverFp32Latency();
  return InPipe(wait, a, Pipe::kFp64, a.demand.fp64, a.machine.fp64);
}

// Instructions of the XU pipe use the same queue and scoreboards as shared memory.
Range AsksXu(Wait wait, const Asker& a) {
  return wait == Wait::kResult || wait == Wait::kQueue ? a.demand.special * ConversionCost(wait, a)
                                                       : InPipe(wait, a, Pipe::kXu, a.demand.special, a.machine.xu);
}

// The time of a warp's matrix instruction depends on its shape, which no counter has. This assumes m16n8k16.
Range AsksTensor(Wait wait, const Asker& a) {
  if (IsPerInstruction(wait)) return a.demand.tensor;
  // Cycles, not the number of products, because a product of 32 columns takes an eighth of one of 256.
  const bool in_pipe = wait == Wait::kWarpgroup || (wait == Wait::kPipe && a.IsOf(Pipe::kTensor));
  if (!in_pipe) return 0.0;
  const double cycles = Machine::CyclesOf(32 / kWarpMatrixProducts * a.machine.warp_matrix);
  return Above(a.demand.tensor, a.demand.gmma) * cycles + a.demand.gmma_cycles;
}

// A double-precision instruction needs conversions if its operands are not doubles. These are at most four, for three
// operands and the result. Other conversions count as ordinary instructions.
constexpr double kConversionsPerFp64 = 4, kLiteralsPerFp64 = 0.5;
void TakesWhatBelongsToDoubles(Wait wait, const Askers& pair, Movement& m) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  const double cost_from = ConversionCost(wait, pair.base), cost_to = ConversionCost(wait, pair.candidate);
  const auto with_fp64 = [&](double conversions_from, double conversions_to, double fp64_from, double fp64_to) {
    const double converted = conversions_to * cost_to - conversions_from * cost_from;
    const double most = kConversionsPerFp64 * (fp64_to * cost_to - fp64_from * cost_from);
    return Within(most, converted);
  };
  m.Pass(kInstructionCount, "fp64_pipe", AtEnds(with_fp64, from.conversion, to.conversion, from.fp64, to.fp64));
  // A double operation that replaces a float operation saves it. Its literals cannot be operands, so they take
  // instructions of their own: 60 M for 134 M double operations in series_plain_literals on an H200.
  const auto replaced = [](double fp32_from, double fp32_to, double fp64_from, double fp64_to) {
    return Within(fp64_to - fp64_from, fp32_from - fp32_to);
  };
  const Range doubles = AtEnds(replaced, from.fp32, to.fp32, from.fp64, to.fp64);
  m.Pass("fma_pipe", "fp64_pipe", doubles * InPipe(wait, pair.base, Pipe::kFma, -1.0, pair.base.machine.fp32));
  const auto literals = [](double other_from, double other_to, double of) {
    return Within(kLiteralsPerFp64 * of, other_to - other_from);
  };
  if (IsPerInstruction(wait)) m.Pass(kInstructionCount, "fp64_pipe", AtEnds(literals, from.other, to.other, doubles));
}

// Replaces them by as many FP32 instructions, without conversions between the two types.
std::optional<Removal> WithFp32(const Sharing& k) {
  const Measured all = k.Get("inst_executed"), counted = k.Get("conversion_thread_inst") / Measured(32);
  const double conversions = std::min(counted.value_or(0), k.Get("pipe_xu_inst").value_or(0));
  Removal r;
  r.instructions = PartOf(conversions, *all);
  const double beyond = 1 - 1 / MachineOf(k.kernel().record().run.run).Fp64OverFp32Latency();
  const double longer = beyond * PartOf(k.At("pipe_fp64_inst"), *all);
  r.waiting = {{"math_pipe_throttle", 1},
               {"mio_throttle", k.Of(Wait::kQueue, kConversionCause)},
               {"short_scoreboard", k.Of(Wait::kResult, kConversionCause)},
               {"wait", longer}};
  r.fp64 = 1;
  r.xu = PartOf(conversions, k.Get("pipe_xu_inst").value_or(0));
  return r;
}

std::optional<Removal> WithoutXu(const Sharing& k) {
  const double xu = k.Least(k.demand().special);
  Removal r;
  r.waiting = {{"mio_throttle", k.Of(Wait::kQueue, kXuCause)}, {"short_scoreboard", k.Of(Wait::kResult, kXuCause)}};
  r.instructions = PartOf(xu, k.At("inst_executed"));
  r.xu = PartOf(xu, k.At("pipe_xu_inst"));
  return r;
}

}  // namespace

Cause FmaPipe() {
  return {
      .id = "fma_pipe",
      .title = "more floating-point work",
      .saves = "less floating-point work",
      .explains = "issued instructions, wait, math_pipe_throttle",
      .moves = "single-precision instructions",
      .remedy = "do less arithmetic: factor, reuse, fuse multiply and add",
      .needs = {"ffma_thread_inst", "fp32_thread_inst", "threads_per_inst"},
      .evidence = {"fp32_thread_inst", "ffma_thread_inst", "pipe_fma_inst", "fma_pipe_pct"},
      .rises = {"fp32_thread_inst", "ffma_thread_inst"},
      .loads = units::kIssue | units::kFma,
      .asks = AsksFma,
      .sampled = SampledAt{{Operation::kFp32, Operation::kInteger}},
      .finding = {{"ffma_thread_inst", "sm_cycles_elapsed_max", "sm_count", "fp32_lanes_per_sm", "time_us"}, JudgeFma},
  };
}

Cause Fp16Pipe() {
  return {
      .id = "fp16_pipe",
      .title = "half-precision arithmetic",
      .saves = "less half-precision arithmetic",
      .explains = "issued instructions, wait, math_pipe_throttle",
      .moves = "half-precision instructions",
      .remedy = "compute two halves at once: half2, not half",
      .needs = {"fp16_thread_inst", "threads_per_inst"},
      .evidence = {"fp16_thread_inst", "pipe_fma_inst", "fma_pipe_pct"},
      .rises = {"fp16_thread_inst"},
      .loads = units::kIssue | units::kFma | units::kTensor,
      .asks = AsksFp16,
      .symptom = {"half-precision instructions", "fp16_thread_inst"},
      .sampled = SampledAt{{Operation::kFp16}},
  };
}

Cause Fp64Pipe() {
  return {
      .id = "fp64_pipe",
      .title = "double-precision arithmetic",
      .saves = "less double-precision arithmetic",
      .explains = "issued instructions, wait, math_pipe_throttle, conversions",
      .moves = "FP64 instructions",
      .remedy = "write literals and functions of single precision: 0.5f, not 0.5",
      .needs = {"pipe_fp64_inst"},
      .evidence = {"pipe_fp64_inst", "conversion_thread_inst", "fp32_thread_inst", "fp64_pipe_pct"},
      .rises = {"pipe_fp64_inst"},
      .loads = units::kIssue | units::kFp64 | units::kXu,
      .asks = AsksFp64,
      .takes = TakesWhatBelongsToDoubles,
      .symptom = {"FP64 instructions", "pipe_fp64_inst"},
      .sampled = SampledAt{{Operation::kFp64, Operation::kConversion}},
      .finding = {{"pipe_fp64_inst", "inst_executed", "inst_issued", "stall_math_pipe_throttle", "stall_selected",
                   "stall_wait", "warps_active", "time_us"},
                  JudgeFp64},
      .gain = {"every FP64 instruction were an FP32 one and none converted between them", WithFp32, "FP64 instructions",
               "pipe_fp64_inst"},
  };
}

Cause SfuPipe() {
  return {
      .id = "sfu_pipe",
      .title = "XU pipe: special functions, bit counts",
      .saves = "less for the XU pipe: special functions, bit counts",
      .explains = "issued instructions, short_scoreboard, mio_throttle, math_pipe_throttle",
      .moves = "XU instructions that are no conversions",
      .remedy = "compute them once, or from cheaper instructions",
      .needs = {"pipe_xu_inst", "conversion_thread_inst"},
      .evidence = {"pipe_xu_inst", "conversion_thread_inst", "xu_pipe_pct"},
      .rises = {"pipe_xu_inst"},
      .loads = units::kIssue | units::kXu,
      .asks = AsksXu,
      .symptom = {"XU instructions", "pipe_xu_inst"},
      .sampled = SampledAt{{Operation::kSpecialFunction, Operation::kBitScan}},
      .finding = {{"pipe_xu_inst", "conversion_thread_inst", "inst_executed", "shared_load_inst", "shared_store_inst",
                   "stall_mio_throttle", "stall_short_scoreboard", "stall_math_pipe_throttle", "stall_selected",
                   "stall_wait", "inst_issued", "warps_active", "time_us"},
                  JudgeXu},
      .gain = {"the instructions of the XU pipe went away and nothing else took their place", WithoutXu,
               "XU instructions", "pipe_xu_inst", true},
  };
}

Cause TensorPipe() {
  return {
      .id = "tensor_pipe",
      .title = "more matrix instructions",
      .saves = "fewer matrix instructions",
      .explains = "issued instructions, math_pipe_throttle, gmma, wgmma",
      .moves = "matrix instructions",
      .remedy = "do fewer or larger matrix products",
      .needs = {"tensor_hmma_inst"},
      .evidence = {"pipe_tensor_inst", "tensor_hmma_inst", "tensor_gmma_inst", "tensor_pipe_pct"},
      .rises = {"tensor_hmma_inst", "tensor_gmma_inst", "pipe_tensor_inst"},
      .loads = units::kIssue | units::kTensor,
      .asks = AsksTensor,
      .sampled = SampledAt{{Operation::kTensor}},
  };
}

}  // namespace culprit
