// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/known_without_counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/why/sampled_pair.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::KernelBuilder;

std::vector<std::string> Texts(const std::vector<KnownDifference>& known) {
  std::vector<std::string> texts;
  for (const KnownDifference& k : known)
    texts.push_back(fmt::format("{}: {:g} -> {:g} {}", k.what, *k.base, *k.candidate, k.unit));
  return texts;
}

KernelBuilder Kernel(double registers, double local_bytes) {
  return KernelBuilder("k").Attribute("registers", registers).Attribute("local_bytes", local_bytes);
}

TEST(KnownWithoutCounters, NamesLocalMemoryBeforeRegistersAndNothingThatIsAlike) {
  const KernelBuilder base = Kernel(128, 0), candidate = Kernel(64, 184);
  const std::vector<KnownDifference> known =
      KnownWithoutCounters(KernelView(base.record), KernelView(candidate.record), nullptr);
  EXPECT_THAT(Texts(known),
              ElementsAre("local memory of a thread: 0 -> 184 byte", "registers of a thread: 128 -> 64 count"));
  EXPECT_EQ(FirstOf(known), "local memory of a thread 0 B -> 184 B, registers of a thread 128 -> 64");
  EXPECT_THAT(KnownWithoutCounters(KernelView(base.record), KernelView(base.record), nullptr), IsEmpty());
  EXPECT_EQ(FirstOf({}), "");
}

TEST(KnownWithoutCounters, SaysNothingOfWhatOneKernelDoesNotState) {
  const KernelBuilder base = Kernel(128, 0), candidate("k");
  EXPECT_THAT(KnownWithoutCounters(KernelView(base.record), KernelView(candidate.record), nullptr), IsEmpty());
}

SassInstruction Instruction(std::string mnemonic, int bytes = 0) {
  SassInstruction instruction;
  instruction.mnemonic = std::move(mnemonic);
  instruction.access_bytes = bytes;
  return instruction;
}

// Warps wait at the first instruction.
std::shared_ptr<const SampledKernel> Sampled(std::vector<SassInstruction> code, double time_us, double scoreboard_us) {
  SampledKernel kernel;
  kernel.costs.time_us = time_us;
  FunctionCosts& function = kernel.costs.functions.emplace_back();
  for (std::size_t i = 0; i < code.size(); ++i) code[i].pc_offset = static_cast<std::int64_t>(16 * i);
  function.decoded = std::move(code);
  function.graph = MakeFlowGraph(function.decoded);
  function.costs.resize(function.decoded.size());
  function.costs[0].waiting_us = {{"long_scoreboard", scoreboard_us}, {"selected", time_us - scoreboard_us}};
  return std::make_shared<const SampledKernel>(std::move(kernel));
}

TEST(KnownWithoutCounters, ComparesTheCodeByKindAndWidthAndTheTimeOfStates) {
  const KernelBuilder k = Kernel(32, 0);
  SampledPair sampled;
  sampled.base =
      Sampled({Instruction("LDG", 16), Instruction("FFMA"), Instruction("FFMA"), Instruction("EXIT")}, 100, 20);
  sampled.candidate = Sampled({Instruction("LDG", 4), Instruction("LDG", 4), Instruction("LDG", 4),
                               Instruction("LDG", 4), Instruction("FFMA"), Instruction("EXIT")},
                              180, 99);
  const KernelView view(k.record);
  EXPECT_THAT(Texts(KnownWithoutCounters(view, view, &sampled)),
              ElementsAre("instructions of the code: 4 -> 6 inst", "instructions: global load of 4 bytes: 0 -> 4 inst",
                          "instructions: FP32: 2 -> 1 inst", "instructions: global load of 16 bytes: 1 -> 0 inst",
                          "time in long_scoreboard, by samples: 20 -> 99 us"));
}

TEST(KnownWithoutCounters, CountsLoops) {
  const KernelBuilder k = Kernel(32, 0);
  std::vector<SassInstruction> loop = {Instruction("MOV"), Instruction("FFMA"), Instruction("BRA"),
                                       Instruction("EXIT")};
  loop[2].flow = SassFlow::kBranch, loop[2].target = 16, loop[2].guarded = true;
  loop[3].flow = SassFlow::kExit;
  SampledPair sampled;
  sampled.base = Sampled({Instruction("MOV"), Instruction("FFMA"), Instruction("FFMA"), Instruction("EXIT")}, 100, 0);
  sampled.candidate = Sampled(loop, 100, 0);
  const KernelView view(k.record);
  const std::vector<std::string> texts = Texts(KnownWithoutCounters(view, view, &sampled));
  EXPECT_THAT(texts, ::testing::Contains("loops of the code: 0 -> 1 count"));
  EXPECT_THAT(texts, ::testing::Contains("instructions of the longest innermost loop: 0 -> 2 inst"));
}

}  // namespace
}  // namespace culprit
