// SPDX-License-Identifier: Apache-2.0
// What machine code shows of a cause: loads under way, loops around barriers, lanes apart, where doubles begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/judge/advice/advice.h"
#include "tests/support/assembled.h"

namespace culprit {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<ShownCode> ShownOf(const std::string& cause, const std::vector<Encoded>& code,
                               const std::vector<InstructionRecord>& counted = {}) {
  const KernelCosts costs = CostsOf(100, Sampled(code), counted);
  std::vector<ShownCode> all = Examine({.costs = costs, .counted = counted, .block = {128, 1, 1}}).shown;
  std::erase_if(all, [&](const ShownCode& shown) { return shown.cause != cause; });
  return all;
}

// The only one.
ShownCode Only(const std::string& cause, const std::vector<Encoded>& code,
               const std::vector<InstructionRecord>& counted = {}) {
  const std::vector<ShownCode> all = ShownOf(cause, code, counted);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? ShownCode() : all[0];
}

// --- sfu_pipe ---

Encoded Popc(int to, int from) { return Encoded(0x309).To(to).B(from); }

TEST(XuPipe, IsSaidByItsInstructions) {
  const ShownCode shown = Only("sfu_pipe", {Popc(4, 2).Line(12).Samples("selected", 60), Popc(5, 3).Line(12),
                                            Iadd(2, 2, 128).Line(11), BranchTo(3, 0, 0).Line(11), Exit()});
  EXPECT_EQ(shown.at, (SourceFrame{"kernel.cu", 12}));
  EXPECT_EQ(shown.text, "2 POPC a trip of the loop at line 11");
}

// --- exposed_latency ---

Encoded Waiting(Encoded use, int scoreboard) { return use.Waits(scoreboard).Samples("long_scoreboard", 100); }

TEST(LoadsUnderWay, AreCountedBetweenTheirIssueAndTheFirstUse) {
  const ShownCode together =
      Only("exposed_latency", {Ldg(4, 2, 0).Sets(0).Line(12), Ldg(5, 2, 64).Sets(1).Line(12), Iadd(2, 2, 128).Line(11),
                               Waiting(Fadd(8, 8, 4), 0).Line(12), Waiting(Fadd(8, 8, 5), 1).Line(12),
                               BranchTo(5, 0, 0).Line(11), Exit()});
  EXPECT_EQ(together.at, (SourceFrame{"kernel.cu", 12}));
  EXPECT_EQ(together.text,
            "2 LDG a trip of the loop at line 11, at most 2 under way in a warp when the first is needed, 3 "
            "instructions later; none needs what another fetched");
  EXPECT_DOUBLE_EQ(together.us, 100);
  const ShownCode one_by_one =
      Only("exposed_latency",
           {Ldg(4, 2, 0).Sets(0).Line(12), Waiting(Fadd(8, 8, 4), 0).Line(12), Ldg(5, 2, 64).Sets(1).Line(12),
            Waiting(Fadd(8, 8, 5), 1).Line(12), Iadd(2, 2, 128).Line(11), BranchTo(5, 0, 0).Line(11), Exit()});
  EXPECT_THAT(one_by_one.text, HasSubstr("2 LDG a trip of the loop at line 11, at most 1 under way"));
  EXPECT_THAT(one_by_one.text, HasSubstr("1 instruction later"));
}

TEST(LoadsUnderWay, ThatFetchTheNextAddressAreAChain) {
  const ShownCode chain = Only("exposed_latency", {Ldg(4, 2, 0, 8).Sets(0).Line(12), Waiting(Copy(2, 4), 0).Line(12),
                                                   Copy(3, 5).Line(12), BranchTo(3, 0, 0).Line(11), Exit()});
  EXPECT_THAT(chain.text, HasSubstr("; each needs what another fetched"));
}

TEST(LoadsUnderWay, OfStraightCodeAreOneTrip) {
  const ShownCode straight = Only("exposed_latency", {Ldg(4, 2, 0).Sets(0).Line(12), Ldg(5, 2, 64).Sets(0).Line(13),
                                                      Waiting(Fadd(8, 5, 4), 0).Line(14), Exit()});
  EXPECT_THAT(straight.text, HasSubstr("2 LDG, at most 2 under way"));
}

TEST(LoadsUnderWay, NeededATripLaterAreSaidToBe) {
  const ShownCode ahead = Only("exposed_latency", {Ldg(4, 2, 0).Sets(0).Line(10), Waiting(Copy(6, 4), 0).Line(12),
                                                   Ldg(4, 2, 64).Sets(0).Line(12), Fadd(8, 8, 6).Line(12),
                                                   Iadd(2, 2, 64).Line(11), BranchTo(5, 1, 0).Line(11), Exit()});
  EXPECT_THAT(ahead.text, HasSubstr("1 LDG a trip of the loop at line 11, all needed a trip later"));
}

// --- exposed_shared ---

Encoded WaitingShared(Encoded use, int scoreboard) { return use.Waits(scoreboard).Samples("short_scoreboard", 100); }

TEST(SharedLoadsUnderWay, AreCountedAsThoseFromMemoryAre) {
  const ShownCode together =
      Only("exposed_shared", {Lds(4, 2, 0).Sets(0).Line(12), Lds(5, 2, 64).Sets(1).Line(12).Samples("mio_throttle", 20),
                              Iadd(2, 2, 128).Line(11), WaitingShared(Fadd(8, 8, 4), 0).Line(12),
                              WaitingShared(Fadd(8, 8, 5), 1).Line(12), BranchTo(5, 0, 0).Line(11), Exit()});
  EXPECT_EQ(together.text,
            "2 LDS a trip of the loop at line 11, at most 2 under way in a warp when the first is needed, 3 "
            "instructions later; none needs what another fetched");
  EXPECT_DOUBLE_EQ(together.us, 100) << "in the queue and for the result";
}

TEST(SharedLoadsUnderWay, ThatFetchTheNextAddressAreAChain) {
  const ShownCode chain = Only("exposed_shared", {WaitingShared(Lds(2, 2, 0), 0).Sets(0).Line(12),
                                                  Iadd(5, 5, 1).Line(11), BranchTo(2, 0, 0).Line(11), Exit()});
  EXPECT_THAT(chain.text, HasSubstr("; each needs what another fetched"));
}

TEST(SharedLoadsUnderWay, AreNotThoseFromMemory) {
  EXPECT_THAT(ShownOf("exposed_shared", {Ldg(4, 2, 0).Sets(0).Line(12), Waiting(Fadd(8, 8, 4), 0).Line(12),
                                         BranchTo(2, 0, 0).Line(11), Exit()}),
              IsEmpty());
}

// --- barrier ---

TEST(MetBarriers, SayInWhichLoopTheyStand) {
  const auto shown = ShownOf("barrier", {Bar().Line(5), Fadd(4, 4, 4).Line(6).Samples("barrier", 30),  // once
                                         Iadd(6, 6, 1).Line(10), Iadd(7, 7, 1).Line(11), Bar().Line(12),
                                         Fadd(4, 4, 4).Line(13).Samples("barrier", 70), BranchTo(6, 3, 0).Line(11),
                                         BranchTo(7, 2, 1).Line(10), Exit()});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].at.line, 12);
  EXPECT_EQ(shown[0].text, "1 BAR a trip of the loop at line 11, which lies in 1 other");
  EXPECT_DOUBLE_EQ(shown[0].us, 70);
  EXPECT_EQ(shown[1].at.line, 5);
  EXPECT_EQ(shown[1].text, "1 BAR outside of loops");
}

// --- divergence ---

Encoded Bssy(int from, int to) { return Encoded(0x945).Bits(34, 30, static_cast<std::uint64_t>((to - from - 1) * 4)); }

InstructionRecord Counted(int instruction, double executed, double threads) {
  InstructionRecord record;
  record.function = "kernel";
  record.pc_offset = 16 * instruction;
  record.counts = {{"sass_inst", executed}, {"sass_thread_inst", threads}};
  return record;
}

// if (...) line 7 else line 8, then line 9
std::vector<Encoded> BranchingCode() {
  return {Bssy(0, 5).Line(6),
          BranchTo(1, 4, 0).Line(6).Samples("selected", 5),
          Ldg(4, 2, 0).Line(7).Samples("selected", 30),
          BranchTo(3, 5, 7).Line(7).Samples("selected", 5),
          Fadd(4, 4, 4).Line(8).Samples("selected", 40),
          Fadd(5, 4, 4).Line(9).Samples("selected", 20),
          Exit().Line(10)};
}

TEST(LanesApart, AreThoseBehindABranchUntilTheyAreTogetherAgain) {
  const auto shown = ShownOf("divergence", BranchingCode());
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].at.line, 8);
  EXPECT_THAT(shown[0].text, HasSubstr("behind a branch at line 6 at which a warp's lanes may go apart"));
  EXPECT_DOUBLE_EQ(shown[0].us, 40 * 100 / 100.0);
  EXPECT_EQ(shown[1].at.line, 7);
  EXPECT_THAT(shown[1].text, Not(HasSubstr("of 32 lanes"))) << "not counted";
}

TEST(LanesApart, SayHowManyLanesAreAtWorkWhereTheyWereCounted) {
  const auto shown = ShownOf("divergence", BranchingCode(), {Counted(2, 100, 1650)});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_THAT(shown[1].text, HasSubstr("16.5 of 32 lanes come to its accesses to memory"));
  EXPECT_THAT(shown[0].text, Not(HasSubstr("of 32 lanes")));
}

// Counted are lanes that come by, also those that a predicate switches off.
TEST(LanesApart, AreNotKnownOfPredicates) {
  const std::vector<Encoded> code = {Ldg(3, 2, 0).Line(4), Ldg(4, 2, 64).If(0).Line(5).Samples("selected", 60),
                                     Fadd(5, 4, 4).Line(5).Samples("selected", 40), Exit().Line(10)};
  EXPECT_THAT(ShownOf("divergence", code), IsEmpty()) << "nobody knows how many";
  EXPECT_THAT(ShownOf("divergence", code, {Counted(0, 100, 3200), Counted(1, 100, 3200)}), IsEmpty());
  // Of 20 lanes that go round a loop once more, some are switched off besides.
  EXPECT_EQ(Only("divergence", code, {Counted(0, 100, 2000), Counted(1, 100, 2000)}).text,
            "20.0 of 32 lanes come to its accesses to memory; 1 of 2 instructions predicated, which switches lanes off "
            "besides");
}

InstructionRecord WithLanes(int instruction, double executed, double there, double on) {
  InstructionRecord record = Counted(instruction, executed, there);
  record.counts["sass_thread_inst_on"] = on;
  return record;
}

// A branch that took its lanes apart in `apart` of its executions.
InstructionRecord TookApart(int instruction, double executed, double apart) {
  InstructionRecord record = WithLanes(instruction, executed, 32 * executed, 16 * executed);
  if (apart > 0) record.counts["sass_branches_apart"] = apart;
  return record;
}

TEST(LanesApart, SayHowManyAreNotThereAndHowManyAPredicateSwitchesOff) {
  const auto shown =
      ShownOf("divergence", BranchingCode(),
              {TookApart(1, 1000, 900), WithLanes(2, 1000, 23000, 11000), WithLanes(4, 1000, 16000, 16000)});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].at.line, 8);
  EXPECT_EQ(
      shown[0].text,
      "behind a branch at line 6 that took a warp's lanes apart in 900 of 1,000 executions; 16.0 of 32 lanes on: 16.0 "
      "not there (divergence)");
  EXPECT_EQ(shown[1].at.line, 7);
  EXPECT_THAT(shown[1].text, HasSubstr("11.0 of 32 lanes on: 9.0 not there (divergence), 12.0 predicated off"));
}

TEST(LanesApart, AreNotBehindABranchAtWhichTheyWereCountedToStayTogether) {
  EXPECT_THAT(ShownOf("divergence", BranchingCode(), {TookApart(1, 1000, 0), WithLanes(2, 1000, 32000, 32000)}),
              IsEmpty());
}

TEST(LanesApart, ThatComeAndAreSwitchedOffAreOfTheNumberOfInstructions) {
  const std::vector<Encoded> code = {Ldg(4, 2, 64).If(0).Line(5).Samples("selected", 60),
                                     Fadd(5, 4, 4).Line(5).Samples("selected", 40), Exit().Line(10)};
  const std::vector<InstructionRecord> counted = {WithLanes(0, 100, 3200, 400)};
  EXPECT_THAT(ShownOf("divergence", code, counted), IsEmpty());
  // The addition has all 32, as the block's executions say.
  EXPECT_EQ(Only("instruction_count", code, counted).text, "18.0 of 32 lanes on: 14.0 predicated off");
}

// --- fp64_pipe ---

TEST(WhereDoublesBegin, NamesTheLineOfTheLiteralAndItsNumber) {
  // 0.1: 0x3fb99999'9999999a
  const auto shown =
      ShownOf("fp64_pipe", {Mov(8, 0x9999999a).Line(3), Mov(9, 0x3fb99999).Line(3), ToDouble(4, 2).Line(4),
                            Dfma(6, 4, 8, 6).Line(5).Samples("math_pipe_throttle", 80),
                            ToFloat(7, 6).Line(6).Samples("selected", 20), Exit().Line(7)});
  ASSERT_EQ(shown.size(), 2u) << "the conversion of line 4 takes no time";
  EXPECT_EQ(shown[0].at.line, 5);
  EXPECT_EQ(shown[0].text, "1 DFMA; the line holds a number of type double: 0.1");
  EXPECT_EQ(shown[1].at.line, 6);
  EXPECT_EQ(shown[1].text, "1 conversion from double to float");
}

TEST(WhereDoublesBegin, TakesNoVariableForALiteral) {
  const ShownCode loaded = Only(
      "fp64_pipe",
      {Ldg(8, 2, 0, 8).Line(3).Sets(0), Dfma(6, 4, 8, 6).Line(5).Waits(0).Samples("math_pipe_throttle", 80), Exit()});
  EXPECT_EQ(loaded.text, "1 DFMA");
  // One of two numbers, by the path: no literal of the line.
  const ShownCode chosen = Only("fp64_pipe", {Mov(8, 0), Mov(9, 0x3fb99999), BranchTo(2, 4, 0), Mov(9, 0x3ff00000),
                                              Dfma(6, 4, 8, 6).Line(5).Samples("math_pipe_throttle", 80), Exit()});
  EXPECT_EQ(chosen.text, "1 DFMA");
}

}  // namespace
}  // namespace culprit
