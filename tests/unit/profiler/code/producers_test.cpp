// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/producers.h"

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

// Whom `instruction` waited for. `trips` of each block and `passes` of each instruction; none given: all alike.
Producers Of(const std::vector<Sass>& assembly, int instruction, std::string_view reason,
             const std::vector<double>& trips = {}, std::vector<double> passes = {}) {
  const std::vector<SassInstruction> code = Assemble(assembly);
  const FlowGraph graph = MakeFlowGraph(code);
  std::vector<BlockTrips> all(graph.blocks.size(), {1, true});
  for (std::size_t b = 0; b < trips.size(); ++b) all.at(b).trips = trips[b];
  passes.resize(code.size(), 1);
  return ProducerFinder(code, graph, all, passes).Of(instruction, reason);
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

TEST(Producers, OfOperandsThatAreNotReadYetAreThoseWhoFillTheQueue) {
  const std::vector<Sass> code = {Sass("LDG").Sets(0), Sass("IADD3").Waits(0), Sass("STG").SetsWhenRead(2),
                                  Sass("FADD").Waits(2), Sass("EXIT")};
  EXPECT_THAT(Of(code, 3, "long_scoreboard", {}, {4, 1, 1, 1, 1}), ElementsAre(Is(0, 0.8), Is(2, 0.2)))
      << "the load of another warp stands before it";
  EXPECT_THAT(Of(code, 1, "long_scoreboard"), ElementsAre(Is(0))) << "a result";
  const std::vector<Sass> both = {Sass("LDG").Sets(1), Sass("LDG").Sets(0), Sass("STG").SetsWhenRead(2),
                                  Sass("FADD").Waits(0).Waits(2)};
  EXPECT_THAT(Of(both, 3, "long_scoreboard"), ElementsAre(Is(1, 300. / 323), Is(2, 23. / 323)))
      << "a result too: by how long each typically takes";
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

TEST(Producers, OfAWaitInDepbarAreTheSameAtTheInstructionBehindIt) {
  const std::vector<Sass> code = {Sass("LDGSTS"),
                                  Sass("LDGDEPBAR").Sets(0),
                                  Sass("LDGSTS"),
                                  Sass("LDGDEPBAR").Sets(0),
                                  Sass("DEPBAR.LE").Operands("SB0, 0x1"),
                                  Sass("BAR"),
                                  Sass("FADD")};
  EXPECT_THAT(Of(code, 5, "long_scoreboard"), ElementsAre(Is(0)));
  EXPECT_THAT(Of(code, 6, "long_scoreboard"), ElementsAre(Is(6))) << "DEPBAR is not at once before it";
  const std::vector<Sass> at_a_jump = {Sass("LDGSTS"),
                                       Sass("LDGDEPBAR").Sets(0),
                                       Sass("DEPBAR.LE").Operands("SB0, 0x0"),
                                       Sass("BRA").If().To(4),
                                       Sass("FADD"),
                                       Sass("EXIT")};
  EXPECT_THAT(Of(at_a_jump, 3, "long_scoreboard"), ElementsAre(Is(0)));
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

TEST(Producers, OfAQueueAreAllOfTheKernelByHowOftenTheyRan) {
  // Other warps fill it, wherever they are: the store before the loop and the shuffle behind it too. Loads of global
  // memory pass the MIO on their way to L1.
  const std::vector<Sass> code = {Sass("STS"),  Sass("LDS"), Sass("LDG"), Sass("BRA").If().To(1),
                                  Sass("SHFL"), Sass("EXIT")};
  const auto of_all = ElementsAre(Is(0, 1 / 28.), Is(1, 9 / 28.), Is(2, 9 / 28.), Is(4, 9 / 28.));
  EXPECT_THAT(Of(code, 1, "mio_throttle", {1, 9, 9}), of_all);
  EXPECT_THAT(Of(code, 0, "mio_throttle", {1, 9, 9}), of_all);
  EXPECT_THAT(Of(code, 3, "mio_throttle", {1, 9, 9}), of_all) << "the reason names the queue, whoever waits";
  EXPECT_THAT(Of(code, 1, "lg_throttle", {1, 9, 9}), ElementsAre(Is(2)));
  EXPECT_THAT(Of(code, 1, "tex_throttle"), ElementsAre(Is(1))) << "nothing goes through it";
}

TEST(Producers, OfAQueueCountForAsLongAsTheyKeepItBusy) {
  const std::vector<Sass> code = {Sass("LDS"), Sass("LDS"), Sass("STG"), Sass("EXIT")};
  EXPECT_THAT(Of(code, 0, "mio_throttle", {}, {1, 31, 32}),
              ElementsAre(Is(0, 1 / 64.), Is(1, 31 / 64.), Is(2, 32 / 64.)));
  EXPECT_THAT(Of(code, 3, "drain", {}, {1, 31, 100}), ElementsAre(Is(2)));
}

TEST(Producers, OfAnEndAreTheStoresOnTheWayThere) {
  // Two ends, each behind stores of its own; the wait in EXIT may be seen behind it, where no path leads.
  const std::vector<Sass> code = {Sass("STL"), Sass("BRA").If().To(4), Sass("STG"), Sass("EXIT"), Sass("RED"),
                                  Sass("STG"), Sass("EXIT"),           Sass("NOP")};
  EXPECT_THAT(Of(code, 3, "drain"), ElementsAre(Is(2)));
  EXPECT_THAT(Of(code, 7, "drain"), ElementsAre(Is(4, 0.5), Is(5, 0.5)));
  EXPECT_THAT(Of(code, 6, "drain", {}, {1, 1, 1, 1, 3, 1, 1, 1}), ElementsAre(Is(4, 0.75), Is(5, 0.25)));
  EXPECT_THAT(Of({Sass("STL"), Sass("EXIT")}, 1, "drain"), ElementsAre(Is(0))) << "there is nothing else";
}

TEST(Producers, OfAPipeAreThoseOfTheSamePipe) {
  const std::vector<Sass> code = {Sass("FFMA"), Sass("IADD3"), Sass("IMAD"), Sass("DFMA"), Sass("FFMA")};
  EXPECT_THAT(Of(code, 4, "math_pipe_throttle"), ElementsAre(Is(0, 1 / 3.), Is(2, 1 / 3.), Is(4, 1 / 3.)));
  EXPECT_THAT(Of(code, 0, "math_pipe_throttle", {}, {1, 1, 1, 1, 2}), ElementsAre(Is(0, .25), Is(2, .25), Is(4, .5)))
      << "those behind it too: other warps are there";
  EXPECT_THAT(Of({Sass("LDG"), Sass("LDG")}, 1, "math_pipe_throttle"), ElementsAre(Is(1)));
}

TEST(Producers, OfAnIssueSlotThatAnotherWarpGotAreAllThatIssue) {
  const std::vector<Sass> code = {Sass("LDS"), Sass("FADD"), Sass("BRA").If().To(1), Sass("EXIT")};
  // However long they take where they go.
  EXPECT_THAT(Of(code, 0, "not_selected", {1, 8, 1}, {32, 1, 1, 1}),
              ElementsAre(Is(0, 1 / 18.), Is(1, 8 / 18.), Is(2, 8 / 18.), Is(3, 1 / 18.)));
}

TEST(Producers, OfABarrierIsTheBarrierWhereverItsWaitIsSeen) {
  const std::vector<Sass> code = {Sass("BAR"), Sass("FADD"), Sass("BAR"), Sass("FADD"), Sass("EXIT")};
  EXPECT_THAT(Of(code, 2, "barrier"), ElementsAre(Is(2)));
  EXPECT_THAT(Of(code, 3, "barrier"), ElementsAre(Is(2))) << "a warp that waits in BAR may stand behind it";
  EXPECT_THAT(Of(code, 1, "barrier"), ElementsAre(Is(0)));
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
  for (const char* reason : {"selected", "no_instruction", "dispatch_stall", "imc_miss", "misc", "new"})
    EXPECT_THAT(Of(code, 1, reason), ElementsAre(Is(1))) << reason;
  EXPECT_THAT(Of({Sass("FADD")}, 0, "long_scoreboard"), ElementsAre(Is(0))) << "nothing set a scoreboard";
}

TEST(Producers, BeforeABarrierAreThosePassedSinceTheLast) {
  const std::vector<SassInstruction> code =
      Assemble({Sass("MOV"), Sass("BAR"), Sass("LDS"), Sass("FADD"), Sass("BAR")});
  const FlowGraph graph = MakeFlowGraph(code);
  const std::vector<BlockTrips> trips(graph.blocks.size());
  const std::vector<double> passes(code.size(), 1);
  EXPECT_THAT(ProducerFinder(code, graph, trips, passes).BeforeBarrier(4), ::testing::UnorderedElementsAre(2, 3));
  EXPECT_THAT(ProducerFinder(code, graph, trips, passes).BeforeBarrier(1), ElementsAre(0));
}

}  // namespace
}  // namespace culprit
