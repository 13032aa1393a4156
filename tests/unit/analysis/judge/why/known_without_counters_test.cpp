// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/known_without_counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/blame/costs.h"
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
      KnownWithoutCounters(KernelView(base.record), KernelView(candidate.record));
  EXPECT_THAT(Texts(known),
              ElementsAre("local memory of a thread: 0 -> 184 byte", "registers of a thread: 128 -> 64 count"));
  EXPECT_EQ(FirstOf(known), "local memory of a thread 0 B -> 184 B, registers of a thread 128 -> 64");
  EXPECT_THAT(KnownWithoutCounters(KernelView(base.record), KernelView(base.record)), IsEmpty());
  EXPECT_EQ(FirstOf({}), "");
}

TEST(KnownWithoutCounters, SaysNothingOfWhatOneKernelDoesNotState) {
  const KernelBuilder base = Kernel(128, 0), candidate("k");
  EXPECT_THAT(KnownWithoutCounters(KernelView(base.record), KernelView(candidate.record)), IsEmpty());
}

SassInstruction Instruction(std::string mnemonic, int bytes = 0) {
  SassInstruction instruction;
  instruction.mnemonic = std::move(mnemonic);
  instruction.access_bytes = bytes;
  return instruction;
}

// Warps wait at the first instruction.
KernelCosts Sampled(std::vector<SassInstruction> code, double time_us, double scoreboard_us) {
  KernelCosts kernel{.time_us = time_us, .samples = 1000};
  FunctionCosts& function = kernel.functions.emplace_back();
  for (std::size_t i = 0; i < code.size(); ++i) code[i].pc_offset = static_cast<std::int64_t>(16 * i);
  function.code.instructions.resize(code.size());
  function.decoded = std::move(code);
  function.graph = MakeFlowGraph(function.decoded);
  function.costs.resize(function.decoded.size());
  function.costs[0].waiting_us = {{"long_scoreboard", scoreboard_us}, {"selected", time_us - scoreboard_us}};
  return kernel;
}

TEST(KnownWithoutCounters, ComparesTheCodeByKindAndWidthAndTheTimeOfStates) {
  const KernelBuilder k = Kernel(32, 0);
  const KernelCosts base =
      Sampled({Instruction("LDG", 16), Instruction("FFMA"), Instruction("FFMA"), Instruction("EXIT")}, 100, 20);
  KernelCosts candidate = Sampled({Instruction("LDG", 4), Instruction("LDG", 4), Instruction("LDG", 4),
                                   Instruction("LDG", 4), Instruction("FFMA"), Instruction("EXIT")},
                                  180, 99);
  const KernelView view(k.record);
  const std::vector<std::string> of_code = {
      "instructions of the code: 4 -> 6 inst", "instructions: global load of 4 bytes: 0 -> 4 inst",
      "instructions: FP32: 2 -> 1 inst", "instructions: global load of 16 bytes: 1 -> 0 inst"};
  std::vector<std::string> with_states = of_code;
  with_states.emplace_back("time in long_scoreboard, by samples: 20 -> 99 us");
  EXPECT_EQ(Texts(KnownWithoutCounters(view, view, &base, &candidate)), with_states);
  candidate.samples = 0;  // its code alone is known
  EXPECT_EQ(Texts(KnownWithoutCounters(view, view, &base, &candidate)), of_code);
  EXPECT_THAT(KnownWithoutCounters(view, view, &base), IsEmpty());
}

TEST(KnownWithoutCounters, NamesTheLinesOfTheKernelThatHasMore) {
  const KernelBuilder k = Kernel(32, 0);
  KernelCosts base = Sampled({Instruction("FFMA"), Instruction("EXIT")}, 100, 20);
  KernelCosts candidate = Sampled({Instruction("LDL", 4), Instruction("LDL", 4), Instruction("LDL", 4),
                                   Instruction("LDL", 4), Instruction("LDL", 4), Instruction("EXIT")},
                                  180, 99);
  std::vector<MachineInstruction>& code = candidate.functions[0].code.instructions;
  const int lines_of_loads[] = {7, 9, 9, 3, 5};
  for (std::size_t i = 0; i < std::size(lines_of_loads); ++i) code[i].frames = {{"relax.cu", lines_of_loads[i]}};
  const KernelView view(k.record);
  const auto lines = [&](const KernelCosts& from, const KernelCosts& to) {
    std::vector<std::string> at;
    for (const KnownDifference& known : KnownWithoutCounters(view, view, &from, &to))
      if (known.what.find("local load") != std::string::npos)
        for (const auto& [file, line, instructions] : known.at)
          at.push_back(fmt::format("{}:{} {}", file, line, instructions));
    return at;
  };
  const std::vector<std::string> most = {"relax.cu:9 2", "relax.cu:3 1", "relax.cu:5 1"};
  EXPECT_EQ(lines(base, candidate), most);
  EXPECT_EQ(lines(candidate, base), most);
}

TEST(KnownWithoutCounters, CountsLoops) {
  const KernelBuilder k = Kernel(32, 0);
  std::vector<SassInstruction> loop = {Instruction("MOV"), Instruction("FFMA"), Instruction("BRA"),
                                       Instruction("EXIT")};
  loop[2].flow = SassFlow::kBranch, loop[2].target = 16, loop[2].guarded = true;
  loop[3].flow = SassFlow::kExit;
  const KernelCosts base =
      Sampled({Instruction("MOV"), Instruction("FFMA"), Instruction("FFMA"), Instruction("EXIT")}, 100, 0);
  const KernelCosts candidate = Sampled(loop, 100, 0);
  const KernelView view(k.record);
  const std::vector<std::string> texts = Texts(KnownWithoutCounters(view, view, &base, &candidate));
  EXPECT_THAT(texts, ::testing::Contains("loops of the code: 0 -> 1 count"));
  EXPECT_THAT(texts, ::testing::Contains("instructions of the longest innermost loop: 0 -> 2 inst"));
}

}  // namespace
}  // namespace culprit
