// SPDX-License-Identifier: Apache-2.0
// Each kind of advice on a few instructions that give rise to it, and on a few that nearly do.
#include "analysis/judge/advice/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "analysis/judge/blame/lines.h"
#include "tests/support/assembled.h"

namespace culprit {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr double kTimeUs = 100;

struct Launch {
  BlockShape block = {128, 1, 1};
  double warps_per_sm = 16, bytes_under_way = 13000;
  std::vector<InstructionRecord> counted = {};
};

std::vector<Advice> Advise(const std::vector<Encoded>& code, const Launch& launch = {}) {
  const SamplingRecord sampling = Sampled(code);
  const KernelCosts costs = CostsOf(kTimeUs, sampling, launch.counted);
  return AdviceOn({costs, launch.counted, launch.block, launch.warps_per_sm, launch.bytes_under_way});
}

// The only advice; one without an id where there is another number of them.
Advice Only(const std::vector<Encoded>& code, const Launch& launch = {}) {
  std::vector<Advice> all = Advise(code, launch);
  std::string ids;
  for (const Advice& a : all) ids += std::string(a.id) + " ";
  EXPECT_EQ(all.size(), 1u) << ids;
  return all.size() == 1 ? all[0] : Advice{.id = ""};
}

InstructionRecord Counted(int instruction, double executed, const std::string& metric, double each, double ideal) {
  InstructionRecord record;
  record.function = "kernel";
  record.pc_offset = 16 * instruction;
  record.counts = {{"sass_inst", executed}, {metric, each * executed}, {metric + "_ideal", ideal * executed}};
  return record;
}

// for (int i = 0; ...; i += 4) array[i] += ...: the loop counts the index.
std::vector<Encoded> ArrayCode() {
  return {Mov(8, 0),
          Iadd(6, 1, 16),
          ImadByRegister(4, 8, kRz, 6).Line(12),
          Imad(4, 8, 1, 6).Line(12),
          Ldl(5, 4, 0).Sets(0).Line(12),
          Fadd(5, 5, 5).Waits(0).Line(12).Samples("long_scoreboard", 600),
          Stl(4, 0, 5).Line(12),
          Iadd(8, 8, 4).Line(11),
          BranchTo(8, 3, 0).Line(11).Samples("selected", 400),
          Exit()};
}

TEST(LocalArrayAdvice, NamesTheLoopThatCountsTheIndex) {
  const Advice advice = Only(ArrayCode());
  EXPECT_EQ(advice.id, "local_array");
  EXPECT_EQ(advice.at, (SourceFrame{"kernel.cu", 12}));
  EXPECT_EQ(advice.instructions, "1 LDL, 1 STL a trip of the loop at line 11");
  EXPECT_THAT(advice.finding, HasSubstr("its index comes from the loop at line 11"));
  EXPECT_THAT(advice.action, HasSubstr("#pragma unroll"));
  EXPECT_DOUBLE_EQ(advice.us, 60);
  EXPECT_TRUE(advice.certain);
}

TEST(LocalArrayAdvice, SaysOfAnIndexOfTheLaunchThatItMustBecomeConstant) {
  const std::vector<Encoded> code = {Parameter(8, 0x210, 4), Imad(4, 8, 4, 1), Ldl(5, 4, 0).Sets(0).Line(7),
                                     Fadd(5, 5, 5).Waits(0).Samples("long_scoreboard", 100), Exit()};
  const Advice advice = Only(code);
  EXPECT_EQ(advice.id, "local_array");
  EXPECT_THAT(advice.finding, HasSubstr("only the launch knows"));
  EXPECT_THAT(advice.action, HasSubstr("make the index a constant"));
}

TEST(LocalArrayAdvice, IsNotGivenForWhatTakesNoTime) {
  std::vector<Encoded> code = ArrayCode();
  code[8].Samples("selected", 20000);
  EXPECT_TRUE(Advise(code).empty());
}

TEST(SpillAdvice, IsAboutConstantPlacesOfTheStack) {
  const std::vector<Encoded> code = {Stl(1, 8, 5).Line(20),
                                     Stl(1, 12, 6).Line(20),
                                     Ldl(5, 1, 8).Sets(0).Line(21),
                                     Ldl(6, 1, 12).Sets(0).Line(21),
                                     Fadd(5, 5, 6).Waits(0).Line(22).Samples("long_scoreboard", 100),
                                     Exit()};
  const Advice advice = Only(code);
  EXPECT_EQ(advice.id, "spill");
  EXPECT_EQ(advice.at.line, 22);  // where the values are used
  EXPECT_THAT(advice.finding, HasSubstr("2 values"));
  EXPECT_THAT(advice.action, HasSubstr("__launch_bounds__"));
}

// A warp reads a column of rows `row` bytes apart.
std::vector<Encoded> ColumnCode(int row) {
  return {S2r(0, kThreadIdX), Imad(2, 0, row, kRz), Lds(4, 2, 0).Sets(0).Line(30),
          Fadd(4, 4, 4).Waits(0).Samples("short_scoreboard", 100), Exit()};
}

TEST(BankConflictAdvice, ProposesALayoutThatTheModelChecked) {
  const Advice advice = Only(ColumnCode(128), {.block = {32, 1, 1}});
  EXPECT_EQ(advice.id, "bank_conflicts");
  EXPECT_EQ(advice.at.line, 30);
  EXPECT_THAT(advice.finding, HasSubstr("neighbouring lanes are 128 bytes apart"));
  EXPECT_THAT(advice.finding, HasSubstr("32 wavefronts where 1 would do"));
  EXPECT_THAT(advice.action, HasSubstr("leave 4 bytes (1 word) free behind every 128"));
  EXPECT_THAT(advice.action, HasSubstr("offset ^ (offset >> 5 & 0x7c)"));
}

TEST(BankConflictAdvice, IsNotGivenForRowsThatArePadded) { EXPECT_TRUE(Advise(ColumnCode(132)).empty()); }

TEST(BankConflictAdvice, SaysMayWhereOnlyTheLaunchKnowsTheDistance) {
  std::vector<Encoded> code = {S2r(0, kThreadIdX),
                               Parameter(3, 0x218, 4),
                               ImadByRegister(2, 0, 3, kRz),
                               Lds(4, 2, 0).Sets(0),
                               Fadd(4, 4, 4).Waits(0).Samples("short_scoreboard", 100),
                               Exit()};
  const Advice advice = Only(code);
  EXPECT_EQ(advice.id, "bank_conflicts");
  EXPECT_FALSE(advice.certain);
  EXPECT_THAT(advice.finding, HasSubstr("may meet in banks"));
  // Counted, it is known.
  EXPECT_TRUE(Advise(code, {.counted = {Counted(3, 10, "sass_shared_wavefronts", 1, 1)}}).empty());
  EXPECT_TRUE(Only(code, {.counted = {Counted(3, 10, "sass_shared_wavefronts", 8, 1)}}).certain);
}

// Each thread reads a float from a record of so many bytes.
std::vector<Encoded> RecordCode(int bytes) {
  return {S2r(0, kThreadIdX),
          Parameter(6, 0x210, 8),
          ImadWide(2, 0, bytes, 6),
          Ldg(4, 2, 8).Sets(0).Line(40),
          Fadd(4, 4, 4).Waits(0).Samples("long_scoreboard", 100),
          Exit()};
}

TEST(UncoalescedAdvice, TellsTheStrideAndTheSectors) {
  const Advice advice = Only(RecordCode(32), {.warps_per_sm = 64, .bytes_under_way = 100});
  EXPECT_EQ(advice.id, "uncoalesced");
  EXPECT_EQ(advice.at.line, 40);
  EXPECT_THAT(advice.finding, HasSubstr("neighbouring lanes are 32 bytes apart"));
  EXPECT_THAT(advice.finding, HasSubstr("meets 32 sectors of 32 bytes where 4 would"));
  EXPECT_TRUE(advice.certain);
}

TEST(UncoalescedAdvice, IsNotGivenForNeighbours) {
  EXPECT_TRUE(Advise(RecordCode(4), {.warps_per_sm = 64, .bytes_under_way = 100}).empty());
  // All lanes want the same.
  EXPECT_TRUE(Advise({Parameter(6, 0x210, 8), Ldg(4, 6, 8).Sets(0),
                      Fadd(4, 4, 4).Waits(0).Samples("long_scoreboard", 100), Exit()})
                  .empty());
}

// Four floats of a thread from a record of so many bytes.
std::vector<Encoded> FourFloats(int record, int first = 0) {
  return {S2r(0, kThreadIdX),
          Imad(2, 0, record, kRz),
          Lds(4, 2, first).Line(50),
          Lds(5, 2, first + 4).Line(50),
          Lds(6, 2, first + 8).Line(50),
          Lds(7, 2, first + 12).Sets(0).Line(50),
          Fadd(4, 4, 5).Waits(0).Samples("short_scoreboard", 100),
          Exit()};
}

TEST(NarrowAdvice, ProvesNeighboursAndTheirAlignment) {
  // All lanes want the same four: 16 bytes each, no conflict at any width.
  std::vector<Encoded> code = FourFloats(16);
  code[1] = Mov(2, 1024);
  const Advice advice = Only(code);
  EXPECT_EQ(advice.id, "narrow");
  EXPECT_EQ(advice.at.line, 50);
  EXPECT_EQ(advice.instructions, "4 LDS");
  EXPECT_THAT(advice.finding, HasSubstr("4 accesses of 4 bytes lie beside each other; 1 of up to 16 bytes"));
  EXPECT_TRUE(advice.certain);
}

TEST(NarrowAdvice, IsNotGivenWhereLanesOverlapOrAreNotAligned) {
  EXPECT_TRUE(Advise(FourFloats(4)).empty());  // a window that moves on by a float from lane to lane
  std::vector<Encoded> code = FourFloats(16, 4);
  code[1] = Mov(2, 1026);
  EXPECT_TRUE(Advise(code).empty());
  // From a place that a number of the launch, of 64 bits as a pointer is, says in floats.
  std::vector<Encoded> anywhere = FourFloats(16);
  anywhere[0] = Parameter(8, 0x218, 8);
  anywhere[1] = Imad(2, 8, 4, kRz);
  EXPECT_TRUE(Advise(anywhere).empty());
}

TEST(NarrowAdvice, IsNotGivenAcrossAStoreOrAnotherAddress) {
  const auto between = [](const Encoded& other) {
    return std::vector<Encoded>{Mov(2, 1024),
                                Lds(4, 2, 0).Sets(0),
                                other,
                                Lds(5, 2, 4).Sets(0),
                                Fadd(4, 4, 5).Waits(0).Samples("short_scoreboard", 100),
                                Exit()};
  };
  EXPECT_THAT(Only(between(Fadd(9, 9, 9))).finding,
              HasSubstr("2 accesses of 4 bytes lie beside each other; 1 of up to 8"));
  EXPECT_TRUE(Advise(between(Sts(9, 0, 8))).empty());
  EXPECT_TRUE(Advise(between(Bar())).empty());
  EXPECT_TRUE(Advise(between(Iadd(2, 2, 64))).empty());
}

// A block walks through one array, a float a thread and trip.
std::vector<Encoded> WalkCode(int step) {
  return {S2r(0, kThreadIdX),
          Parameter(6, 0x210, 8),
          ImadWide(2, 0, 4, 6),
          Ldg(4, 2, 0).Sets(0).Line(60),
          Iadd(2, 2, step),
          Fadd(5, 4, 5).Waits(0).Line(61).Samples("long_scoreboard", 900),
          BranchTo(6, 3, 0).Line(59).Samples("selected", 100),
          Exit()};
}

std::vector<std::string> Ids(const std::vector<Advice>& all) {
  std::vector<std::string> ids;
  for (const Advice& a : all) ids.emplace_back(a.id);
  return ids;
}

TEST(NarrowAdvice, SaysMayOfElementsThatAThreadCouldTakeTogether) {
  const std::vector<Advice> all = Advise(WalkCode(512));
  EXPECT_THAT(Ids(all), ::testing::UnorderedElementsAre("narrow", "load_early"));
  for (const Advice& a : all)
    if (a.id == "narrow") {
      EXPECT_FALSE(a.certain);
      EXPECT_THAT(a.action, HasSubstr("may take 4 neighbours"));
    }
  // The address is copied and moved in another register.
  std::vector<Encoded> copied = WalkCode(512);
  copied[3] = Ldg(4, 8, 0).Sets(0).Line(60);
  copied.insert(copied.begin() + 3, {Copy(8, 2), Copy(9, 3)});
  copied[8] = BranchTo(8, 3, 0).Line(59).Samples("selected", 100);
  EXPECT_THAT(Ids(Advise(copied)), ::testing::UnorderedElementsAre("narrow", "load_early"));
  // By how much a parameter moves it the code does not say; 0x200 is where the parameter lies.
  std::vector<Encoded> by_parameter = WalkCode(512);
  by_parameter[4] = IaddParameter(2, 2, 0x200);
  EXPECT_THAT(Ids(Advise(by_parameter)), ::testing::ElementsAre("load_early"));
  // Nor by how much a register does, beside a number.
  std::vector<Encoded> by_register = WalkCode(512);
  by_register.insert(by_register.begin() + 5, IaddRegister(2, 2, 9));
  by_register[7] = BranchTo(7, 3, 0).Line(59).Samples("selected", 100);
  EXPECT_THAT(Ids(Advise(by_register)), ::testing::ElementsAre("load_early"));
  // Rows that are further apart than the block is wide are no piece.
  EXPECT_THAT(Ids(Advise(WalkCode(4096))), ::testing::ElementsAre("load_early"));
}

TEST(EarlyLoadAdvice, IsGivenWhereTooLittleIsUnderWay) {
  const Advice advice = Only(WalkCode(4096));
  EXPECT_EQ(advice.id, "load_early");
  EXPECT_EQ(advice.at.line, 60);
  EXPECT_EQ(advice.instructions, "1 LDG a trip of the loop at line 59");
  EXPECT_THAT(advice.finding, HasSubstr("needed 2 instructions later"));
  EXPECT_THAT(advice.finding, HasSubstr("the 16 warps of an SM 2.0 KB"));
  EXPECT_TRUE(advice.certain);
  // As many warps as hide it.
  EXPECT_TRUE(Advise(WalkCode(4096), {.warps_per_sm = 64, .bytes_under_way = 8000}).empty());
}

TEST(EarlyLoadAdvice, IsNotGivenWhereWarpsHardlyWaitForLoads) {
  std::vector<Encoded> code = WalkCode(4096);
  code[6].Samples("selected", 9000);
  EXPECT_TRUE(Advise(code).empty());
}

TEST(EarlyLoadAdvice, NamesStoresThatLoadsMayNotPass) {
  const std::vector<Encoded> code = {S2r(0, kThreadIdX),
                                     Parameter(6, 0x210, 8),
                                     ImadWide(2, 0, 4, 6),
                                     Ldg(4, 2, 0).Sets(0),
                                     Fadd(5, 4, 5).Waits(0).Samples("long_scoreboard", 400),
                                     Stg(6, 0, 5),
                                     Ldg(4, 2, 4096).Sets(0),
                                     Fadd(5, 4, 5).Waits(0).Samples("long_scoreboard", 400),
                                     Stg(6, 4096, 5),
                                     Iadd(2, 2, 8192),
                                     BranchTo(10, 3, 0).Samples("selected", 100),
                                     Exit()};
  const Advice advice = Only(code);
  EXPECT_EQ(advice.id, "load_early");
  EXPECT_THAT(advice.action, HasSubstr("__restrict__"));
}

TEST(LoadChainAdvice, IsAboutAnAddressThatALoadFetched) {
  const std::vector<Encoded> code = {Parameter(2, 0x210, 8),
                                     Ldg(2, 2, 0, 8).Sets(0).Line(70).Waits(0).Samples("long_scoreboard", 900),
                                     BranchTo(2, 1, 0).Samples("selected", 100), Exit()};
  const Advice advice = Only(code);
  EXPECT_EQ(advice.id, "load_chain");
  EXPECT_EQ(advice.at.line, 70);
  // The upper register of the address was a load's result before, and is written anew each trip.
  const std::vector<Encoded> reused = {Parameter(6, 0x210, 8),
                                       Copy(3, 7),
                                       Copy(2, 6),
                                       Ldg(3, 2, 0).Sets(0),
                                       Iadd(6, 6, 64),
                                       Fadd(5, 3, 5).Waits(0).Samples("long_scoreboard", 900),
                                       BranchTo(6, 1, 0).Samples("selected", 100),
                                       Exit()};
  EXPECT_EQ(Only(reused).id, "load_early");
}

std::vector<Encoded> DoubleCode() {
  return {Parameter(2, 0x210, 8),
          Ldg(4, 2, 0).Sets(0),
          ToDouble(6, 4).Waits(0).Line(80),
          Mov(8, 0),
          Mov(9, 0x3fe00000),
          Dfma(10, 6, 8, 6).Line(81).Samples("math_pipe_throttle", 500),
          ToFloat(4, 10).Line(82),
          Stg(2, 0, 4),
          Exit()};
}

TEST(DoubleAdvice, IsGivenWhereDoublesBeginAndEndAsFloats) {
  const Advice advice = Only(DoubleCode());
  EXPECT_EQ(advice.id, "double");
  EXPECT_EQ(advice.at.line, 81);
  EXPECT_THAT(advice.action, HasSubstr("0.5f"));
}

TEST(DoubleAdvice, IsGivenOfIntegersToo) {
  std::vector<Encoded> code = DoubleCode();
  code[2] = IntegerToDouble(6, 4).Waits(0).Line(80);
  EXPECT_EQ(Only(code).id, "double");
}

TEST(DoubleAdvice, IsNotGivenWhereDoublesAreLoadedOrStored) {
  std::vector<Encoded> loaded = DoubleCode();
  loaded[3] = Ldg(8, 2, 16, 8).Sets(0);
  loaded[4] = Copy(20, 21);
  EXPECT_TRUE(Advise(loaded).empty());
  std::vector<Encoded> stored = DoubleCode();
  stored[7] = Stg(2, 0, 10, 8);
  EXPECT_TRUE(Advise(stored).empty());
}

std::vector<Encoded> BarrierCode(const Encoded& other) {
  return {other,
          Bar().Line(90).Samples("barrier", 100),
          Fadd(4, 4, 4).Samples("barrier", 300),
          Fadd(5, 4, 4).Samples("selected", 600),
          BranchTo(4, 0, 0).Line(89),
          Exit()};
}

TEST(BarrierAdvice, SaysWhatWarpsWaitedThere) {
  const Advice advice = Only(BarrierCode(Sts(9, 0, 5)));
  EXPECT_EQ(advice.id, "barrier_in_loop");
  EXPECT_EQ(advice.at.line, 90);
  EXPECT_DOUBLE_EQ(advice.waited_us, 40);
  EXPECT_LT(advice.us, 40) << "most is the cost of lines that make warps late";
  EXPECT_THAT(advice.finding, HasSubstr("until the last one comes they wait 40.00 us, seen at the next instruction"));
  EXPECT_THAT(advice.finding, HasSubstr("more than half of that is the cost of the lines that make warps late"));
  EXPECT_EQ(advice.instructions, "1 BAR a trip of the loop at line 89");
  EXPECT_FALSE(advice.certain);
}

TEST(BarrierAdvice, TakesABarrierOutOfALoopThatWritesNothing) {
  const Advice advice = Only(BarrierCode(Lds(7, 9, 0)));
  EXPECT_THAT(advice.finding, HasSubstr("nothing in the loop writes"));
  EXPECT_THAT(advice.action, HasSubstr("out of the loop"));
  EXPECT_TRUE(advice.certain);
}

TEST(BarrierAdvice, IsNotGivenOutsideLoopsOrWhereNobodyWaits) {
  EXPECT_TRUE(Advise({Bar().Samples("barrier", 100), Sts(9, 0, 5), Exit()}).empty());
  std::vector<Encoded> code = BarrierCode(Sts(9, 0, 5));
  code[3].Samples("selected", 20000);
  EXPECT_TRUE(Advise(code).empty());
}

// Warps wait long at the barrier of line 90 for what line 91 makes them late by; line 91 has a spill as well.
TEST(Advice, OnTheLineThatCostsMostComesFirstAndNeverExceedsIt) {
  std::vector<Encoded> code = {Sts(9, 0, 5).Line(88),
                               Bar().Line(90).Samples("barrier", 100),
                               Stl(1, 8, 5).Line(91),
                               Ldl(5, 1, 8).Sets(0).Line(91),
                               Fadd(5, 5, 6).Waits(0).Line(91).Samples("long_scoreboard", 250).Samples("barrier", 400),
                               Fadd(4, 4, 4).Line(91).Samples("selected", 300),
                               BranchTo(6, 0, 0).Line(89),
                               Exit()};
  const KernelCosts costs = CostsOf(kTimeUs, Sampled(code));
  const std::vector<Advice> all = AdviceOn({.costs = costs, .counted = {}, .block = {128, 1, 1}});
  ASSERT_THAT(Ids(all), ::testing::ElementsAre("spill", "barrier_in_loop"));
  EXPECT_GT(all[1].waited_us, all[0].us) << "by what warps waited it would lead";
  for (const CostLine& line : LinesOf(costs))
    for (const Advice& a : all)
      if (line.at == a.at) {
        EXPECT_LE(a.us, line.cost.blamed_us) << a.id;
        EXPECT_DOUBLE_EQ(a.line_us, line.cost.blamed_us) << a.id;
      }
}

TEST(Advice, ComesWithTheMostMicrosecondsFirst) {
  std::vector<Encoded> code = BarrierCode(Sts(9, 0, 5));
  code.insert(code.end() - 1,
              {Stl(1, 8, 5), Ldl(5, 1, 8).Sets(0), Fadd(5, 5, 6).Waits(0).Samples("long_scoreboard", 5000)});
  const std::vector<Advice> all = Advise(code);
  EXPECT_THAT(Ids(all), ::testing::ElementsAre("spill", "barrier_in_loop"));
  for (const Advice& a : all) EXPECT_NE(std::ranges::count(AdviceKinds(), a.id, &AdviceKind::id), 0) << a.id;
}

// Code that no compiler makes: registers, numbers, branches and operands as they fall.
TEST(Advice, ComesToAnEndOnAnyCode) {
  std::mt19937_64 random(1);
  constexpr std::uint64_t kOpcodes[] = {0x919, 0x802, 0x202, 0x824, 0x224, 0x825, 0x225, 0x810, 0x210, 0x812, 0x212,
                                        0x819, 0x811, 0x211, 0xb82, 0x981, 0x986, 0x984, 0x988, 0x983, 0x987, 0x221,
                                        0x310, 0x22b, 0xb1d, 0xf89, 0x947, 0x94d, 0x7ae, 0xab9, 0x890, 0x98f};
  std::size_t given = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Encoded> code;
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t opcode = kOpcodes[random() % std::size(kOpcodes)];
      Encoded instruction(opcode);
      instruction.low = (random() & ~std::uint64_t{0xfff}) | opcode;
      instruction.high = random();
      if (opcode == 0x947) instruction = BranchTo(i, static_cast<int>(random() % 40), static_cast<int>(random() % 8));
      // Few registers, so that they meet.
      if (random() % 2 == 0) instruction.To(static_cast<int>(random() % 8)).A(static_cast<int>(random() % 8));
      if (random() % 2 == 0) instruction.If(7);
      for (const char* reason : {"long_scoreboard", "short_scoreboard", "barrier", "selected"})
        if (random() % 4 == 0) instruction.Samples(reason, static_cast<std::int64_t>(random() % 1000));
      code.push_back(instruction.Line(static_cast<int>(random() % 9)));
    }
    const BlockShape blocks[] = {{128, 1, 1}, {16, 16, 1}, {7, 3, 2}, {1, 1, 1}, {}};
    given += Advise(code, {.block = blocks[round % std::size(blocks)]}).size();
  }
  EXPECT_GT(given, 100u);
}

}  // namespace
}  // namespace culprit
