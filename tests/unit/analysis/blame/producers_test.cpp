// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/producers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sass_builder.h"

namespace culprit {
namespace {

using testing::Assemble;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using testing::Sass;

// Whom `instruction` waited for. `trips` of each block; none given: all alike.
Producers Of(const std::vector<Sass>& assembly, int instruction, std::string_view reason,
             const std::vector<double>& trips = {}) {
  const std::vector<SassInstruction> code = Assemble(assembly);
  const FlowGraph graph = MakeFlowGraph(code);
  std::vector<BlockTrips> all(graph.blocks.size(), {1, true});
  for (std::size_t b = 0; b < trips.size(); ++b) all.at(b).trips = trips[b];
  return ProducerFinder(code, graph, all).Of(instruction, reason);
}

auto Is(int instruction, double share = 1) { return FieldsAre(instruction, DoubleNear(share, 1e-12)); }

TEST(Producers, OfAScoreboardAreThoseThatSetIt) {
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("LDG").Sets(1), Sass("LDG").Sets(0), Sass("FADD").Waits(0),
                                  Sass("EXIT")};
  EXPECT_THAT(Of(code, 3, "long_scoreboard"), ElementsAre(Is(0, 0.5), Is(2, 0.5)));
}

TEST(Producers, EndAtTheInstructionThatWaitedForTheScoreboardBefore) {
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("FADD").Waits(0), Sass("LDG").Sets(0),
                                  Sass("FADD").Waits(0)};
  EXPECT_THAT(Of(code, 3, "long_scoreboard"), ElementsAre(Is(2)));
  EXPECT_THAT(Of(code, 1, "long_scoreboard"), ElementsAre(Is(0)));
}

TEST(Producers, OneThatWaitsAndSetsAgainIsTheLast) {
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("LDG").Waits(0).Sets(0), Sass("FADD").Waits(0)};
  EXPECT_THAT(Of(code, 2, "long_scoreboard"), ElementsAre(Is(1)));
}

TEST(Producers, AreFoundRoundALoopAndSharedByTrips) {
  // 0 loads for the first trip, 2 for the next ones.
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("FADD").Waits(0), Sass("LDG").Sets(0),
                                  Sass("BRA").If().To(1), Sass("EXIT")};
  EXPECT_THAT(Of(code, 1, "long_scoreboard", {1, 9, 1}), ElementsAre(Is(0, 0.1), Is(2, 0.9)));
}

TEST(Producers, OnTheOtherPathHaveNoShare) {
  // Two arms, each loads and waits; only the load before the branch is common.
  const std::vector<Sass> code = {
      Sass("BRA").If().To(4), Sass("LDG").Sets(0),   Sass("FADD").Waits(0), Sass("BRA").To(6),
      Sass("LDG").Sets(0),    Sass("FADD").Waits(0), Sass("EXIT")};
  EXPECT_THAT(Of(code, 2, "long_scoreboard"), ElementsAre(Is(1)));
  EXPECT_THAT(Of(code, 5, "long_scoreboard"), ElementsAre(Is(4)));
}

TEST(Producers, InCodeThatNothingReachesHaveNoShare) {
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("BRA").To(4), Sass("LDG").Sets(0), Sass("BRA").To(4),
                                  Sass("FADD").Waits(0)};
  EXPECT_THAT(Of(code, 4, "long_scoreboard"), ElementsAre(Is(0)));
}

TEST(Producers, AreOfTheKindThatTheReasonNames) {
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("LDS").Sets(1), Sass("FADD").Waits(0).Waits(1)};
  EXPECT_THAT(Of(code, 2, "long_scoreboard"), ElementsAre(Is(0)));
  EXPECT_THAT(Of(code, 2, "short_scoreboard"), ElementsAre(Is(1)));
}

TEST(Producers, OfAStoreAreThoseThatStillReadItsOperands) {
  const std::vector<Sass> code = {Sass("STG").SetsWhenRead(2), Sass("FADD").Waits(2)};
  EXPECT_THAT(Of(code, 1, "long_scoreboard"), ElementsAre(Is(0)));
}

TEST(Producers, OfDepbarAreTheCopiesBeforeTheGroupsThatItLetsPass) {
  const std::vector<Sass> code = {Sass("LDGSTS"),
                                  Sass("LDGDEPBAR").Sets(0),
                                  Sass("LDGSTS"),
                                  Sass("LDGDEPBAR").Sets(0),
                                  Sass("DEPBAR.LE").Operands("SB0, 0x1"),
                                  Sass("DEPBAR.LE").Operands("SB0, 0x0")};
  EXPECT_THAT(Of(code, 4, "long_scoreboard"), ElementsAre(Is(0)));
  EXPECT_THAT(Of(code, 5, "long_scoreboard"), ElementsAre(Is(0, 0.5), Is(2, 0.5)));
}

// As ptxas of CUDA 13.0 writes it for sm_80 and sm_90.
TEST(Producers, FindTheScoreboardThatADecodedDepbarNames) {
  const SassInstruction depbar = DecodeSass(0x000080400000791a, 0, 32);
  EXPECT_EQ(depbar.opcode, "DEPBAR.LE");
  EXPECT_EQ(depbar.operands, "SB0, 0x1");
  const SassInstruction group = DecodeSass(0x00000000000079af, 0, 16);
  EXPECT_EQ(group.mnemonic, "LDGDEPBAR");
}

TEST(Producers, OfAFixedLatencyAreTheNearestThatWroteAnOperand) {
  const std::vector<Sass> code = {Sass("FADD").Writes(1).Stall(4), Sass("FADD").Writes(2).Stall(4),
                                  Sass("MOV").Writes(9).Stall(2), Sass("FMUL").Reads(1).Reads(2).Writes(3)};
  EXPECT_THAT(Of(code, 3, "wait"), ElementsAre(Is(1)));
}

TEST(Producers, OfAFixedLatencyAreNotOlderThanAnyLatency) {
  const std::vector<Sass> code = {Sass("FADD").Writes(1).Stall(13), Sass("MOV").Writes(9).Stall(3),
                                  Sass("FMUL").Reads(1)};
  EXPECT_THAT(Of(code, 2, "wait"), ElementsAre(Is(1))) << "the one before asked for the distance";
  const std::vector<Sass> at_once = {Sass("FADD").Writes(1).Stall(15), Sass("MOV").Writes(9), Sass("FMUL").Reads(1)};
  EXPECT_THAT(Of(at_once, 2, "wait"), ElementsAre(Is(2))) << "nobody asked for more than one cycle";
}

TEST(Producers, OfAQueueAreThoseOfTheLoopThatGoThroughIt) {
  const std::vector<Sass> code = {Sass("STS"), Sass("LDS"), Sass("LDG"), Sass("SHFL"), Sass("BRA").If().To(1),
                                  Sass("EXIT")};
  EXPECT_THAT(Of(code, 1, "mio_throttle"), ElementsAre(Is(1, 0.5), Is(3, 0.5)));
  EXPECT_THAT(Of(code, 2, "lg_throttle"), ElementsAre(Is(2)));
}

TEST(Producers, OfAQueueInStraightCodeAreThoseBeforeIt) {
  const std::vector<Sass> code = {Sass("STG"), Sass("LDG"), Sass("FADD"), Sass("LDG"), Sass("STG")};
  EXPECT_THAT(Of(code, 3, "lg_throttle"), ElementsAre(Is(0, 1 / 3.), Is(1, 1 / 3.), Is(3, 1 / 3.)));
}

TEST(Producers, OfAPipeAreThoseOfTheSamePipe) {
  const std::vector<Sass> code = {Sass("FFMA"), Sass("IADD3"), Sass("IMAD"), Sass("DFMA"), Sass("FFMA")};
  EXPECT_THAT(Of(code, 4, "math_pipe_throttle"), ElementsAre(Is(0, 1 / 3.), Is(2, 1 / 3.), Is(4, 1 / 3.)));
  EXPECT_THAT(Of({Sass("LDG"), Sass("LDG")}, 1, "math_pipe_throttle"), ElementsAre(Is(1)));
}

TEST(Producers, OfAFenceOfSleepAndOfABranchMayStandBefore) {
  EXPECT_THAT(Of({Sass("MEMBAR"), Sass("FADD")}, 1, "membar"), ElementsAre(Is(0)));
  EXPECT_THAT(Of({Sass("MEMBAR"), Sass("MEMBAR")}, 1, "membar"), ElementsAre(Is(1)));
  EXPECT_THAT(Of({Sass("NANOSLEEP"), Sass("FADD")}, 1, "sleeping"), ElementsAre(Is(0)));
  EXPECT_THAT(Of({Sass("BRA").If().To(2), Sass("MOV"), Sass("FADD")}, 2, "branch_resolving"), ElementsAre(Is(0)));
  EXPECT_THAT(Of({Sass("STG"), Sass("EXIT")}, 1, "drain"), ElementsAre(Is(0)));
  EXPECT_THAT(Of({Sass("HGMMA"), Sass("FADD")}, 1, "gmma"), ElementsAre(Is(0)));
}

TEST(Producers, OfAnythingElseIsTheInstructionItself) {
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("FADD").Waits(0)};
  for (const char* reason : {"selected", "not_selected", "no_instruction", "dispatch_stall", "imc_miss", "misc", "new"})
    EXPECT_THAT(Of(code, 1, reason), ElementsAre(Is(1))) << reason;
  EXPECT_THAT(Of({Sass("FADD")}, 0, "long_scoreboard"), ElementsAre(Is(0))) << "nothing set a scoreboard";
}

TEST(Producers, BeforeABarrierAreThosePassedSinceTheLast) {
  const std::vector<SassInstruction> code =
      Assemble({Sass("MOV"), Sass("BAR"), Sass("LDS"), Sass("FADD"), Sass("BAR")});
  const FlowGraph graph = MakeFlowGraph(code);
  const std::vector<BlockTrips> trips(graph.blocks.size());
  EXPECT_THAT(ProducerFinder(code, graph, trips).BeforeBarrier(4), ::testing::UnorderedElementsAre(2, 3));
  EXPECT_THAT(ProducerFinder(code, graph, trips).BeforeBarrier(1), ElementsAre(0));
}

}  // namespace
}  // namespace culprit
