// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/judge/blame/lines.h"
#include "tests/support/invented_samples.h"
#include "tests/support/sass_builder.h"

namespace culprit {
namespace {

using testing::Assemble;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::Sass;

std::vector<InstructionCost> CostsOf(const std::vector<SassInstruction>& code,
                                     const std::vector<ReasonSamples>& samples, double us_per_sample = 1) {
  const FlowGraph graph = MakeFlowGraph(code);
  std::vector<double> issued;
  for (const ReasonSamples& s : samples) issued.push_back(s.contains("selected") ? s.at("selected") : 0);
  const std::vector<std::optional<double>> counted(code.size());
  std::vector<double> passes;
  for (const SassInstruction& i : code) passes.push_back(PassesOf(i, nullptr));
  return ShareCosts(code, graph, TripsOf(graph, counted, issued), passes, samples, us_per_sample);
}

TEST(Costs, WaitingStaysWhereItIsAndBlameGoesToTheProducer) {
  const auto costs = CostsOf(Assemble({Sass("LDG").Sets(0), Sass("FADD").Waits(0), Sass("EXIT")}),
                             {{}, {{"long_scoreboard", 30}, {"selected", 2}}, {}}, 0.5);
  EXPECT_THAT(costs[0].waiting_us, IsEmpty());
  EXPECT_THAT(costs[0].blamed_us, ElementsAre(Pair("long_scoreboard", 15)));
  EXPECT_EQ(costs[1].Waiting(), 16);
  EXPECT_THAT(costs[1].blamed_us, ElementsAre(Pair("selected", 1)));
}

TEST(Costs, AtABarrierWhatTheLateWarpsWaitedForIsBlamed) {
  // Both barriers: warps wait at the second one for those that still wait for the load.
  const auto costs = CostsOf(
      Assemble({Sass("MUFU"), Sass("BAR"), Sass("LDG").Sets(0), Sass("FADD").Waits(0), Sass("BAR"), Sass("EXIT")}),
      {{{"selected", 50}}, {}, {}, {{"long_scoreboard", 8}}, {{"barrier", 100}}, {}});
  EXPECT_THAT(costs[2].blamed_us, ElementsAre(Pair("barrier", 100), Pair("long_scoreboard", 8)));
  EXPECT_THAT(costs[0].blamed_us, ElementsAre(Pair("selected", 50)));
  EXPECT_EQ(costs[4].Blamed(), 0);
}

TEST(Costs, OfABarrierAreTheSameWhereItsWaitIsSeenBehindIt) {
  const auto costs = CostsOf(
      Assemble({Sass("BAR"), Sass("LDG").Sets(0), Sass("FADD").Waits(0), Sass("BAR"), Sass("MUFU"), Sass("EXIT")}),
      {{}, {}, {{"long_scoreboard", 8}}, {}, {{"barrier", 100}, {"selected", 1}}, {}});
  EXPECT_THAT(costs[1].blamed_us, ElementsAre(Pair("barrier", 100), Pair("long_scoreboard", 8)));
  EXPECT_THAT(costs[4].blamed_us, ElementsAre(Pair("selected", 1))) << "nobody waited for what stands behind it";
}

TEST(Costs, OfAFullQueueAreThoseOfWhatKeepsItBusy) {
  // The wide store takes four times as long as the narrow one; both run as often.
  Sass wide("STS");
  wide.access_bytes = 16;
  const auto costs = CostsOf(Assemble({Sass("STS"), wide, Sass("FADD"), Sass("EXIT")}),
                             {{{"mio_throttle", 100}}, {}, {{"not_selected", 40}}, {{"selected", 4}}});
  EXPECT_THAT(costs[0].blamed_us, ElementsAre(Pair("mio_throttle", 20), Pair("not_selected", 10)));
  EXPECT_THAT(costs[1].blamed_us, ElementsAre(Pair("mio_throttle", 80), Pair("not_selected", 10)));
  EXPECT_THAT(costs[2].blamed_us, ElementsAre(Pair("not_selected", 10)));
}

TEST(Costs, WhatFewWarpsDoBeforeABarrierCountsForMore) {
  // One warp in eight takes the arm 2..3 and is as long there as each is in 0: with as few samples, as it is one.
  const std::vector<SassInstruction> code =
      Assemble({Sass("FFMA"), Sass("BRA").If().To(4), Sass("MUFU"), Sass("MUFU"), Sass("BAR"), Sass("EXIT")});
  const auto costs = CostsOf(code, {{{"wait", 80}, {"selected", 80}},
                                    {{"selected", 80}},
                                    {{"selected", 10}, {"wait", 10}},
                                    {{"selected", 10}},
                                    {{"barrier", 1000}, {"selected", 80}},
                                    {{"selected", 80}}});
  // By warp: 240 / 80 in the first block, 30 / 10 in the arm.
  const double arm = costs[2].blamed_us.at("barrier") + costs[3].blamed_us.at("barrier");
  EXPECT_NEAR(arm, 500, 1e-9);
}

TEST(Costs, ABarrierWithNothingBeforeItIsToBlameItself) {
  const auto costs = CostsOf(Assemble({Sass("BAR"), Sass("EXIT")}), {{{"barrier", 7}}, {}});
  EXPECT_EQ(costs[0].blamed_us.at("barrier"), 7);
}

SamplingRecord OneInstruction(std::int64_t known, std::int64_t elsewhere, std::int64_t all) {
  SamplingRecord sampling;
  sampling.samples = all;
  sampling.rows = {{"k", 0, "selected", known, 0}, {"k", 160, "selected", elsewhere, 0}, {"gone", 0, "wait", 1, 0}};
  sampling.code = {{"k", "", {MachineInstruction{}}}};
  return sampling;
}

TEST(Costs, SamplesWithoutAKnownInstructionAreToldApart) {
  const KernelCosts costs = culprit::CostsOf(100, OneInstruction(60, 19, 100));
  EXPECT_EQ(costs.functions.at(0).costs.at(0).Waiting(), 60);
  EXPECT_NEAR(costs.unknown_us, 40, 1e-9);
  const KernelCosts none = culprit::CostsOf(100, {});
  EXPECT_EQ(none.unknown_us, 100);
}

TEST(Costs, ACountOfAllSamplesThatIsTooSmallMakesNothingNegative) {
  const KernelCosts costs = culprit::CostsOf(100, OneInstruction(60, 19, 3));
  EXPECT_NEAR(costs.unknown_us, 25, 1e-9);
  EXPECT_NEAR(costs.functions.at(0).costs.at(0).Waiting(), 75, 1e-9);
}

TEST(Costs, TakeConflictsThatWereCounted) {
  // One load twice; of the second one 30 of 31 wavefronts are conflicts.
  SamplingRecord sampling;
  sampling.samples = 64;
  sampling.rows = {{"k", 0, "mio_throttle", 64, 0}};
  MachineInstruction load = testing::SampledCode("transpose_unpadded").instructions.at(0x270 / 16);
  load.pc_offset = 0;
  MachineInstruction again = load;
  again.pc_offset = 16;
  sampling.code = {{"k", "", {load, again}}};
  InstructionRecord counted[2];
  for (InstructionRecord& i : counted) {
    i.function = "k";
    i.counts = {{"sass_inst", 10}, {"sass_shared_wavefronts", 10}};
  }
  counted[1].pc_offset = 16;
  counted[1].counts["sass_shared_wavefronts"] = 310;
  const KernelCosts costs = culprit::CostsOf(64, sampling, counted);
  ASSERT_EQ(costs.functions.at(0).decoded.at(0).mnemonic, "LDS");
  EXPECT_NEAR(costs.functions[0].costs[0].Blamed(), 2, 1e-9);
  EXPECT_NEAR(costs.functions[0].costs[1].Blamed(), 62, 1e-9);
}

TEST(Trips, AreThoseCountedAndElseInTheirProportion) {
  const FlowGraph graph = MakeFlowGraph(Assemble({Sass("LDG"), Sass("BRA").If().To(0), Sass("FADD"), Sass("EXIT")}));
  const std::vector<std::optional<double>> counted = {1000, std::nullopt, std::nullopt, std::nullopt};
  const auto trips = TripsOf(graph, counted, std::vector<double>{40, 60, 4, 6});
  EXPECT_TRUE(trips[0].exact);
  EXPECT_EQ(trips[0].trips, 1000);
  EXPECT_FALSE(trips[1].exact);
  EXPECT_NEAR(trips[1].trips, 100, 1e-9);
}

TEST(Lines, GatherByTheFirstLineOfTheUsersOwnWithTheCallsBeneath) {
  KernelCosts costs;
  FunctionCosts function;
  const SourceFrame toolkit{"cuda_fp16.hpp", 7}, helper{"src/helper.h", 3}, kernel{"src/k.cu", 9};
  for (const auto& frames : std::vector<std::vector<SourceFrame>>{{toolkit, kernel}, {kernel}, {helper, kernel}, {}}) {
    MachineInstruction instruction;
    instruction.frames = frames;
    function.code.instructions.push_back(instruction);
    function.decoded.push_back(Sass("FADD"));
    InstructionCost cost;
    cost.waiting_us["wait"] = 1;
    cost.blamed_us["wait"] = 2;
    function.costs.push_back(cost);
  }
  function.graph = MakeFlowGraph(function.decoded);
  costs.functions = {function};
  const std::vector<CostLine> lines = LinesOf(costs);
  ASSERT_EQ(lines.size(), 3);
  EXPECT_EQ(lines[0].at, kernel);
  EXPECT_EQ(lines[0].cost.blamed_us, 4);
  ASSERT_EQ(lines[0].chains.size(), 2);
  EXPECT_THAT(lines[0].chains[0].frames, ElementsAre(toolkit, kernel));
  EXPECT_EQ(lines[1].at, SourceFrame());
  EXPECT_EQ(lines[2].at, helper);
  EXPECT_EQ(lines[0].by_operation.at(Operation::kFp32).waiting_us, 2);
}

// --- any code, any samples ---

struct AnyBlock {
  std::vector<Sass> body;
  int next = 0, other = -1;  // blocks; -1: it exits, or there is no other way
};

Sass AnyInstruction() {
  static const std::vector<std::string> opcodes = {"LDG.E",  "STG.E", "LDS",       "STS",      "LDL",       "STL",
                                                   "FFMA",   "IADD3", "MUFU",      "BAR.SYNC", "MEMBAR.SC", "HGMMA",
                                                   "LDGSTS", "ATOMG", "DEPBAR.LE", "LDGDEPBAR"};
  Sass sass(*rc::gen::elementOf(opcodes));
  if (sass.mnemonic == "DEPBAR") sass = sass.Operands("SB0, 0x" + std::to_string(*rc::gen::inRange(0, 3)));
  sass.write_scoreboard = *rc::gen::inRange(-1, 3);
  sass.read_scoreboard = *rc::gen::inRange(-1, 3);
  sass.wait_mask = *rc::gen::inRange(0U, 8U);
  sass.stall_cycles = *rc::gen::inRange(0, 16);
  sass.access_bytes = *rc::gen::element(0, 4, 8, 16);
  return sass.Writes(*rc::gen::inRange(0, 16)).Reads(*rc::gen::inRange(0, 16), *rc::gen::inRange(1, 3));
}

std::vector<AnyBlock> AnyBlocks() {
  std::vector<AnyBlock> blocks(*rc::gen::inRange(1, 7));
  const int all = static_cast<int>(blocks.size());
  for (AnyBlock& block : blocks) {
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) block.body.push_back(AnyInstruction());
    block.next = *rc::gen::inRange(-1, all);
    block.other = *rc::gen::inRange(-1, all);
  }
  return blocks;
}

struct Laid {
  std::vector<SassInstruction> code;
  std::vector<std::pair<int, int>> place;  // block and place in it, of each instruction
};

// With the blocks in that order; the first of `order` is the entry.
Laid LaidOut(const std::vector<AnyBlock>& blocks, const std::vector<int>& order) {
  std::vector<int> begin(blocks.size());
  int at = 0;
  for (const int b : order) {
    begin[b] = at;
    at += static_cast<int>(blocks[b].body.size()) + 2;
  }
  std::vector<Sass> code;
  Laid laid;
  for (const int b : order) {
    const AnyBlock& block = blocks[b];
    for (const Sass& sass : block.body) code.push_back(sass);
    code.push_back(block.other < 0 ? Sass("NOP") : Sass("BRA").If().To(begin[block.other]));
    code.push_back(block.next < 0 ? Sass("EXIT") : Sass("BRA").To(begin[block.next]));
    for (int i = 0; i < static_cast<int>(block.body.size()) + 2; ++i) laid.place.emplace_back(b, i);
  }
  laid.code = Assemble(code);
  return laid;
}

using SamplesAt = std::map<std::pair<int, int>, ReasonSamples>;

SamplesAt AnySamples(const Laid& laid) {
  static const std::vector<std::string> reasons = {
      "selected",           "not_selected", "wait",      "long_scoreboard",  "short_scoreboard", "barrier", "membar",
      "lg_throttle",        "mio_throttle", "sleeping",  "branch_resolving", "no_instruction",   "drain",   "gmma",
      "math_pipe_throttle", "tex_throttle", "new_reason"};
  SamplesAt samples;
  for (const auto& place : laid.place)
    for (int n = *rc::gen::inRange(0, 4); n > 0; --n)
      samples[place][*rc::gen::elementOf(reasons)] += *rc::gen::inRange(0, 1000);
  return samples;
}

std::map<std::pair<int, int>, InstructionCost> CostsAt(const Laid& laid, SamplesAt samples) {
  std::vector<ReasonSamples> in_order;
  for (const auto& place : laid.place) in_order.push_back(samples[place]);
  const std::vector<InstructionCost> costs = CostsOf(laid.code, in_order, 0.25);
  std::map<std::pair<int, int>, InstructionCost> at;
  for (std::size_t i = 0; i < costs.size(); ++i) at[laid.place[i]] = costs[i];
  return at;
}

std::vector<int> InOrder(std::size_t n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void AssertSame(const std::map<std::pair<int, int>, InstructionCost>& a,
                const std::map<std::pair<int, int>, InstructionCost>& b) {
  for (const auto& [place, cost] : a) {
    RC_ASSERT(cost.waiting_us == b.at(place).waiting_us);
    RC_ASSERT(cost.blamed_us.size() == b.at(place).blamed_us.size());
    for (const auto& [reason, us] : cost.blamed_us) RC_ASSERT(std::abs(us - b.at(place).blamed_us.at(reason)) < 1e-6);
  }
}

RC_GTEST_PROP(Costs, LoseNothingAndAreNeverNegative, ()) {
  const std::vector<AnyBlock> blocks = AnyBlocks();
  const Laid laid = LaidOut(blocks, InOrder(blocks.size()));
  const SamplesAt samples = AnySamples(laid);
  ReasonSamples all, waiting, blamed;
  for (const auto& [place, by_reason] : samples)
    for (const auto& [reason, n] : by_reason) all[reason] += 0.25 * n;
  for (const auto& [place, cost] : CostsAt(laid, samples)) {
    for (const auto& [reason, us] : cost.waiting_us) waiting[reason] += us;
    for (const auto& [reason, us] : cost.blamed_us) {
      RC_ASSERT(us >= 0);
      blamed[reason] += us;
    }
  }
  for (const auto& [reason, us] : all) {
    RC_ASSERT(std::abs(waiting[reason] - us) < 1e-6);
    RC_ASSERT(std::abs(blamed[reason] - us) < 1e-6);
  }
}

RC_GTEST_PROP(Costs, DoNotDependOnTheOrderOfTheBlocks, ()) {
  const std::vector<AnyBlock> blocks = AnyBlocks();
  std::vector<int> order = InOrder(blocks.size());
  const Laid laid = LaidOut(blocks, order);
  for (std::size_t i = order.size(); i > 2; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(1, i)]);
  SamplesAt samples = AnySamples(laid);
  // A warp that waits in EXIT is seen at whatever comes next in the order.
  for (auto& [place, by_reason] : samples) by_reason.erase("drain");
  AssertSame(CostsAt(laid, samples), CostsAt(LaidOut(blocks, order), samples));
}

RC_GTEST_PROP(Costs, DoNotDependOnTheNamesOfRegisters, ()) {
  const std::vector<AnyBlock> blocks = AnyBlocks();
  const Laid laid = LaidOut(blocks, InOrder(blocks.size()));
  Laid renamed = laid;
  const int by = *rc::gen::inRange(1, 200);
  for (SassInstruction& i : renamed.code) {
    for (RegisterRange& r : i.writes) r.first += by;
    for (RegisterRange& r : i.reads) r.first += by;
  }
  const SamplesAt samples = AnySamples(laid);
  AssertSame(CostsAt(laid, samples), CostsAt(renamed, samples));
}

RC_GTEST_PROP(Costs, OfOnePathAreNeverBlamedOnTheOther, ()) {
  std::vector<AnyBlock> blocks(4);
  for (AnyBlock& block : blocks)
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
      block.body.push_back(AnyInstruction());
      block.body.back().read_scoreboard = -1;  // operands are waited for as a queue is
    }
  blocks[0].next = 1;
  blocks[0].other = 2;
  blocks[1].next = blocks[2].next = 3;
  blocks[3].next = -1;
  const Laid laid = LaidOut(blocks, InOrder(4));
  SamplesAt samples = AnySamples(laid);
  std::erase_if(samples, [](const auto& at) { return at.first.first == 2 || at.first.first == 3; });
  // All warps share queues and issue slots, those of the other path too.
  for (auto& [place, by_reason] : samples)
    for (const char* shared :
         {"lg_throttle", "mio_throttle", "tex_throttle", "math_pipe_throttle", "not_selected", "gmma"})
      by_reason.erase(shared);
  for (const auto& [place, cost] : CostsAt(laid, samples)) {
    if (place.first == 2 || place.first == 3) RC_ASSERT(cost.Blamed() == 0);
  }
}

}  // namespace
}  // namespace culprit
