// SPDX-License-Identifier: Apache-2.0
// Machine code as a database or a trace may have it, with samples: its flow graph, how often each block ran, what its
// instructions cost, what lanes' addresses are, advice, and the difference of its two halves line by line.
//
// The first byte chooses the block and what is known beside the samples. Behind it stand instructions: 16 bytes of
// encoding, and one that says what was sampled there.
#include <array>
#include <cmath>
#include <cstring>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/blame/line_difference.h"
#include "analysis/judge/blame/lines.h"
#include "tests/fuzz/fuzz.h"

namespace culprit {
namespace {

constexpr std::size_t kBytes = 17;
constexpr double kTimeUs = 100;
constexpr std::array kReasons = {
    "selected",     "long_scoreboard",    "short_scoreboard", "wait",          "barrier", "lg_throttle",
    "mio_throttle", "math_pipe_throttle", "not_selected",     "drain",         "gmma",    "membar",
    "sleeping",     "branch_resolving",   "tex_throttle",     "no_instruction"};

struct Half {
  SamplingRecord sampling;
  std::vector<InstructionRecord> counted;
};

Half HalfOf(const std::uint8_t* data, std::size_t instructions, bool has_lines, bool is_counted) {
  Half half;
  half.sampling.period_cycles = 1024;
  half.sampling.launches = 1;
  MachineCode& code = half.sampling.code.emplace_back(MachineCode{"kernel", "00c0ffee", {}});
  for (std::size_t i = 0; i < instructions; ++i, data += kBytes) {
    MachineInstruction& instruction = code.instructions.emplace_back();
    instruction.pc_offset = 16 * static_cast<std::int64_t>(i);
    std::memcpy(&instruction.low, data, 8);
    std::memcpy(&instruction.high, data + 8, 8);
    const unsigned seen = data[16];
    if (has_lines)
      for (unsigned frame = 0; frame <= seen >> 6; ++frame)
        instruction.frames.push_back({frame == 0 ? "kernel.cu" : "header.cuh", 1 + static_cast<int>(i / 4 + frame)});
    const std::int64_t samples = seen >> 4;
    if (samples > 0)
      half.sampling.rows.push_back({"kernel", instruction.pc_offset, kReasons[seen & 15], samples, samples / 2});
    half.sampling.samples += samples;
    if (is_counted)
      half.counted.push_back({"kernel",
                              instruction.pc_offset,
                              "",
                              0,
                              {{"sass_inst", samples * 100.0},
                               {"sass_thread_inst", samples * 1600.0},
                               {"sass_global_sectors", samples * 400.0},
                               {"sass_shared_wavefronts", samples * 200.0}}});
  }
  return half;
}

bool IsTime(double us) { return std::isfinite(us) && us >= 0; }
bool IsNear(double a, double b) { return std::abs(a - b) <= 1e-6 * kTimeUs; }

// Whatever the code, its samples are shared out: all of their time, and no more.
void RequireSharedOut(const KernelCosts& costs) {
  double waiting = 0, blamed = 0, in_lines = 0;
  for (const FunctionCosts& function : costs.functions) {
    fuzz::Require(function.costs.size() == function.decoded.size(), "an instruction without a cost");
    for (const BlockTrips& trips : function.trips) fuzz::Require(IsTime(trips.trips), "trips that are no number");
    for (const InstructionCost& cost : function.costs) {
      fuzz::Require(IsTime(cost.Waiting()) && IsTime(cost.Blamed()) && IsTime(cost.met_us), "a cost that is no time");
      waiting += cost.Waiting();
      blamed += cost.Blamed();
    }
  }
  for (const CostLine& line : LinesOf(costs)) in_lines += line.cost.blamed_us;
  fuzz::Require(IsNear(waiting + costs.unknown_us, kTimeUs), "samples that are nowhere");
  fuzz::Require(IsNear(blamed, waiting), "what was waited for is not what was waited");
  fuzz::Require(IsNear(in_lines, blamed), "lines that do not add up");
}

void RequireGraph(const FlowGraph& graph) {
  for (int b = 0; b < static_cast<int>(graph.blocks.size()); ++b) {
    const BasicBlock& block = graph.blocks[b];
    fuzz::Require(block.first <= block.last && graph.block_of[block.first] == b, "a block without its instructions");
    if (block.reached) fuzz::Require(graph.Dominates(0, b), "a block past the entry");
    if (block.loop >= 0) fuzz::Require(block.reached, "a loop that is not reached");
  }
  for (const CodeLoop& loop : graph.loops)
    for (const int b : loop.blocks) fuzz::Require(graph.Dominates(loop.header, b), "a block of a loop past its header");
}

}  // namespace
}  // namespace culprit

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  if (size < 1 + kBytes) return 0;
  constexpr std::array<BlockShape, 8> kBlocks = {
      {{128, 1, 1}, {0, 0, 0}, {32, 8, 1}, {16, 16, 1}, {8, 8, 8}, {1, 1024, 1}, {7, 5, 3}, {33, 1, 2}}};
  const std::size_t instructions = (size - 1) / kBytes, first = instructions / 2;
  const bool has_lines = (data[0] & 8) != 0, is_counted = (data[0] & 16) != 0;
  const Half whole = HalfOf(data + 1, instructions, has_lines, is_counted);
  const KernelCosts costs = CostsOf(kTimeUs, whole.sampling, whole.counted);
  for (const FunctionCosts& function : costs.functions) RequireGraph(function.graph);
  RequireSharedOut(costs);
  const Examined examined = Examine({.costs = costs, .counted = whole.counted, .block = kBlocks[data[0] & 7]});
  for (const Advice& advice : examined.advice)
    fuzz::Require(IsTime(advice.us) && !advice.finding.empty() && !advice.action.empty(), "advice that says nothing");
  for (const ShownCode& shown : examined.shown) fuzz::Require(IsTime(shown.us), "code shown for no time");

  const Half before = HalfOf(data + 1, first, has_lines, is_counted),
             after = HalfOf(data + 1 + first * kBytes, instructions - first, has_lines, is_counted);
  const KernelCosts base = CostsOf(kTimeUs, before.sampling, before.counted),
                    candidate = CostsOf(kTimeUs / 2, after.sampling, after.counted);
  const double delta = CompareLines(base, candidate, (data[0] & 32) != 0).DeltaUs();
  fuzz::Require(IsNear(delta, candidate.time_us - base.time_us), "lines that are not the difference");
  return 0;
}
