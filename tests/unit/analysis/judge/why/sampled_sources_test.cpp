// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/judge/why/sampled_advice.h"
#include "analysis/judge/why/why.h"
#include "profiler/code/operation.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Line `line` of k.cu, of both kernels.
DifferentLine Line(int line, CostByKind blamed_for, CostByKind waiting_at = {}) {
  DifferentLine different;
  different.base = different.candidate = CodePlace{{"k.cu", line}, ""};
  different.blamed_for = std::move(blamed_for);
  different.waiting_at = std::move(waiting_at);
  for (const auto& [kind, us] : different.blamed_for) different.candidate_us += us;
  return different;
}

// Of a difference of 100 us, of which `cause` is `delta_us`.
std::vector<CauseSource> SourcesOf(const std::string& cause, double delta_us, std::vector<DifferentLine> lines,
                                   SampledPair sampled = {}) {
  CausePart part;
  part.cause = cause;
  part.delta_us = delta_us;
  sampled.lines.lines = std::move(lines);
  return SampledSources(part, sampled, delta_us > 0 ? 100 : -100);
}

auto At(int line) { return Field(&CauseSource::line, line); }

TEST(SampledSources, NameTheLinesWhoseInstructionsAreTheCausesByWhatWarpsWaited) {
  const auto sources = SourcesOf("local_memory_array", 60,
                                 {Line(10, {{{Operation::kLocalLoad, "long_scoreboard"}, 20},
                                            {{Operation::kLocalStore, "lg_throttle"}, 15},
                                            {{Operation::kFp32, "wait"}, 500}}),
                                  Line(20, {{{Operation::kGlobalLoad, "long_scoreboard"}, 70}}),
                                  Line(30, {{{Operation::kLocalLoad, "long_scoreboard"}, 40}})});
  ASSERT_THAT(sources, ElementsAre(At(30), At(10)));
  EXPECT_EQ(sources[1].waited_us, 35);
  EXPECT_EQ(sources[1].what, "local load, local store: +35.0 us of warps' time waited for it");
  EXPECT_EQ(sources[1].kernel, "");
}

TEST(SampledSources, AreThreeAndNoneBelowAHundredthOfTheDifference) {
  std::vector<DifferentLine> lines;
  for (const auto& [line, us] : {std::pair(10, 5.), {20, 0.9}, {30, 7.}, {40, 1.1}, {50, 6.}})
    lines.push_back(Line(line, {{{Operation::kLocalLoad, "long_scoreboard"}, us}}));
  EXPECT_THAT(SourcesOf("local_memory_array", 20, lines), ElementsAre(At(30), At(50), At(10)));
  EXPECT_THAT(SourcesOf("local_memory_array", 20, {lines[1], lines[3]}), ElementsAre(At(40)));
}

TEST(SampledSources, AreTiedWhereSamplesDoNotTellThemApart) {
  std::vector<DifferentLine> lines;
  for (const auto& [line, us] : {std::pair(26, 19.9), {27, 20.}, {28, 20.1}, {29, 19.8}, {40, 15.}}) {
    lines.push_back(Line(line, {{{Operation::kGlobalAtomic, "lg_throttle"}, us}}));
    lines.back().candidate_sampled_us = us;
    lines.back().error_us = 0.2;
  }
  const auto sources = SourcesOf("atomics", 80, lines);
  ASSERT_THAT(sources, ElementsAre(At(28), At(27), At(26), At(29)));
  for (const CauseSource& source : sources) EXPECT_TRUE(source.tied) << source.line;
  for (DifferentLine& line : lines) line.error_us = 0.01;
  for (const CauseSource& source : SourcesOf("atomics", 80, lines)) EXPECT_FALSE(source.tied) << source.line;
}

TEST(SampledSources, AreNoneWhereSamplesShowNothing) {
  EXPECT_THAT(SourcesOf("local_memory_array", 60, {Line(20, {{{Operation::kFp32, "wait"}, 70}})}), IsEmpty());
  EXPECT_THAT(SourcesOf("local_memory_array", 60, {Line(20, {{{Operation::kLocalLoad, "wait"}, -70}})}), IsEmpty())
      << "it became less there";
  DifferentLine nowhere = Line(0, {{{Operation::kLocalLoad, "wait"}, 70}});
  nowhere.candidate->part = "local load outside loops of k";
  EXPECT_THAT(SourcesOf("local_memory_array", 60, {nowhere}), IsEmpty()) << "no line is known";
  EXPECT_THAT(SourcesOf("clock", 60, {Line(20, {{{Operation::kLocalLoad, "wait"}, 70}})}), IsEmpty())
      << "a cause that is no line's";
}

TEST(SampledSources, OfACauseThatWentAwayStandInTheBase) {
  DifferentLine gone = Line(10, {{{Operation::kLocalLoad, "wait"}, -70}});
  gone.candidate.reset();
  const auto sources = SourcesOf("local_memory_array", -60, {gone});
  ASSERT_THAT(sources, ElementsAre(At(10)));
  EXPECT_EQ(sources[0].waited_us, -70);
}

TEST(SampledSources, AreWhereWarpsStoodForWhatAnInstructionItselfLacks) {
  const CostByKind missed = {{{Operation::kFp32, "imc_miss"}, 30}};
  EXPECT_THAT(SourcesOf("constant_cache", 60, {Line(10, missed, {}), Line(20, {}, missed)}), ElementsAre(At(20)));
  EXPECT_THAT(SourcesOf("constant_cache", 60, {Line(20, {}, missed)})[0].what, HasSubstr("stood there"));
}

// A warp that waits in BAR is seen at the instruction behind it: what is blamed on the barrier tells, not who stood.
TEST(SampledSources, OfAdditionalBarriersAreTheBarriers) {
  const CostByKind behind = {{{Operation::kBranch, "barrier"}, 30}};
  EXPECT_THAT(SourcesOf("barrier", 60, {Line(10, {{{Operation::kBarrier, "barrier"}, 30}}), Line(20, {}, behind)}),
              ElementsAre(At(10)));
}

// --- instructions ---

// A kernel of one function: mnemonic, line and what is blamed on it, or stands at it, of 100 us in 1000 samples.
struct Instruction {
  std::string mnemonic;
  int line = 0;
  std::map<std::string, double> blamed_us = {}, waiting_us = {};
  double met_us = 0;
};
SampledPair Sampled(const std::vector<Instruction>& instructions) {
  SampledKernel kernel;
  kernel.costs.time_us = 100;
  kernel.costs.samples = 1000;
  FunctionCosts& function = kernel.costs.functions.emplace_back();
  function.code.function = "k";
  for (const Instruction& i : instructions) {
    function.code.instructions.emplace_back().frames = {{"k.cu", i.line}};
    SassInstruction& decoded = function.decoded.emplace_back();
    decoded.mnemonic = decoded.opcode = i.mnemonic;
    decoded.operands = "R1";
    decoded.pc_offset = 16 * static_cast<std::int64_t>(function.decoded.size() - 1);
    function.costs.push_back({i.waiting_us, i.blamed_us, i.met_us});
  }
  SampledPair pair;
  pair.candidate = std::make_shared<const SampledKernel>(kernel);
  pair.base = std::make_shared<const SampledKernel>();
  return pair;
}

CauseSource With(const std::string& cause, const std::vector<Instruction>& instructions) {
  DifferentLine line = Line(10, {});
  for (const Instruction& i : instructions) {
    if (i.line != 10) continue;
    const Operation operation = FindOperation(i.mnemonic).operation;
    for (const auto& [reason, us] : i.blamed_us) line.blamed_for[{operation, reason}] += 100 * us;
    for (const auto& [reason, us] : i.waiting_us) line.waiting_at[{operation, reason}] += 100 * us;
  }
  return SourcesOf(cause, 50, {line}, Sampled(instructions)).at(0);
}

auto Is(const char* text, double samples) {
  return ::testing::AllOf(Field(&CauseInstruction::text, text),
                          Field(&CauseInstruction::samples, ::testing::DoubleNear(samples, 1e-9)));
}

TEST(SampledInstructions, AreThoseOfTheLineThatAreTheCausesByTheirSamples) {
  const CauseSource source = With("local_memory_array", {{"LDL", 10, {{"long_scoreboard", 4}, {"lg_throttle", 1}}},
                                                         {"STL", 10, {{"lg_throttle", 9}}},
                                                         {"FFMA", 10, {{"wait", 70}}},
                                                         {"LDL", 11, {{"long_scoreboard", 16}}}});
  EXPECT_THAT(source.instructions, ElementsAre(Is("STL R1", 90), Is("LDL R1", 50)));
  EXPECT_EQ(source.instructions[0].pc_offset, 16);
  EXPECT_EQ(source.instructions[0].function, "k");
  EXPECT_DOUBLE_EQ(source.samples, 140);
}

TEST(SampledInstructions, AreThreeAndTheLineHasTheSamplesOfAll) {
  const CauseSource source = With("fp64_pipe", {{"DFMA", 10, {{"wait", 1}}},
                                                {"DMUL", 10, {{"wait", 3}}},
                                                {"DADD", 10, {{"wait", 2}}},
                                                {"DSETP", 10, {{"wait", 4}}}});
  EXPECT_THAT(source.instructions, ElementsAre(Is("DSETP R1", 40), Is("DMUL R1", 30), Is("DADD R1", 20)));
  EXPECT_DOUBLE_EQ(source.samples, 100);
}

TEST(SampledInstructions, AreWhereWarpsStoodForWhatAnInstructionItselfLacks) {
  const CauseSource source = With("constant_cache", {{"FFMA", 10, {{"imc_miss", 7}}, {{"imc_miss", 5}}},
                                                     {"LDC", 10, {{"mio_throttle", 6}}, {{"mio_throttle", 2}}}});
  EXPECT_THAT(source.instructions, ElementsAre(Is("LDC R1", 60), Is("FFMA R1", 50)));
}

TEST(SampledInstructions, OfBarriersAreWhatWarpsWaitInThem) {
  const CauseSource source = With("barrier", {{"BAR", 10, {{"barrier", 1}, {"selected", 5}}, {{"barrier", 2}}, 30},
                                              {"FADD", 10, {{"wait", 9}}, {{"barrier", 28}}}});
  EXPECT_THAT(source.instructions, ElementsAre(Is("BAR R1", 300)));
}

TEST(SampledInstructions, AreNoneForAPartOfASample) {
  EXPECT_TRUE(With("fp64_pipe", {{"DFMA", 10, {{"wait", 0.09}}}}).instructions.empty());
  EXPECT_EQ(With("fp64_pipe", {{"DFMA", 10, {{"wait", 0.11}}}}).instructions.size(), 1u);
}

TEST(SampledInstructions, OfACauseThatWentAwayAreTheBases) {
  const auto sources = SourcesOf("fp64_pipe", -50, {Line(10, {{{Operation::kFp64, "wait"}, -40}})},
                                 Sampled({{"DFMA", 10, {{"wait", 1}}}}));
  EXPECT_THAT(sources.at(0).instructions, IsEmpty()) << "the candidate's are not the base's";
}

// --- what the code shows ---

TEST(ShownCode, StandsBesideItsCauseOfTheOneThatHasMoreOfItFirst) {
  Explanation e;
  e.base_us = 100;
  e.candidate_us = 200;
  e.causes.resize(2);
  e.causes[0].cause = "exposed_latency";
  e.causes[0].delta_us = 110;
  e.causes[1].cause = "barrier";
  e.causes[1].delta_us = -10;
  ExaminedPair pair;
  pair.candidate = {{"exposed_latency", {"k.cu", 7}, "one at a time", 90},
                    {"exposed_latency", {"k.cu", 8}, "worth nothing", 1},
                    {"barrier", {"k.cu", 3}, "in no loop", 20}};
  pair.base = {{"exposed_latency", {"k.cu", 7}, "eight at a time", 30},
               {"barrier", {"k.cu", 3}, "in no loop", 20},
               {"barrier", {"k.cu", 4}, "in a loop", 15},
               {"barrier", {}, "on no line that is known", 15}};
  const auto shows = [](const char* text, bool of_base) {
    return ::testing::AllOf(Field(&CauseCode::text, text), Field(&CauseCode::of_base, of_base));
  };
  EXPECT_THAT(CodeOf(e.causes[0], pair, e), ElementsAre(shows("one at a time", false), shows("eight at a time", true)));
  EXPECT_THAT(CodeOf(e.causes[1], pair, e), ElementsAre(shows("in no loop", true), shows("in a loop", true)))
      << "of the candidate it is the same";
}

}  // namespace
}  // namespace culprit
