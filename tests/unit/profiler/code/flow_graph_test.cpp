// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/flow_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/sass_builder.h"

namespace culprit {
namespace {

using testing::Assemble;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Sass;

TEST(FlowGraph, StraightCodeIsOneBlockInNoLoop) {
  const FlowGraph graph = MakeFlowGraph(Assemble({Sass("MOV"), Sass("FADD"), Sass("EXIT")}));
  ASSERT_EQ(graph.blocks.size(), 1);
  EXPECT_EQ(graph.blocks[0].last, 2);
  EXPECT_THAT(graph.blocks[0].successors, IsEmpty());
  EXPECT_EQ(graph.DepthOf(1), 0);
  EXPECT_THAT(MakeFlowGraph({}).blocks, IsEmpty());
}

TEST(FlowGraph, AConditionalBranchLeadsBothWaysAndAPlainOneOnlyToItsTarget) {
  const FlowGraph graph =
      MakeFlowGraph(Assemble({Sass("BRA").If().To(3), Sass("FADD"), Sass("BRA").To(4), Sass("FMUL"), Sass("EXIT")}));
  ASSERT_EQ(graph.blocks.size(), 4);
  EXPECT_THAT(graph.blocks[0].successors, ElementsAre(1, 2));
  EXPECT_THAT(graph.blocks[1].successors, ElementsAre(3));
  EXPECT_THAT(graph.blocks[2].successors, ElementsAre(3));
  EXPECT_THAT(graph.blocks[3].predecessors, ElementsAre(1, 2));
  EXPECT_EQ(graph.blocks[3].dominator, 0);
}

TEST(FlowGraph, ABranchThatAsksForDivergenceOrByAnOperandIsConditional) {
  const FlowGraph graph =
      MakeFlowGraph(Assemble({Sass("BRA.DIV").To(3), Sass("BRA").Reads(7).To(3), Sass("FADD"), Sass("EXIT")}));
  EXPECT_THAT(graph.blocks[0].successors, ElementsAre(1, 3));
  EXPECT_THAT(graph.blocks[1].successors, ElementsAre(2, 3));
}

TEST(FlowGraph, AGuardedExitFallsThrough) {
  const FlowGraph graph = MakeFlowGraph(Assemble({Sass("EXIT").If(), Sass("FADD"), Sass("EXIT")}));
  ASSERT_EQ(graph.blocks.size(), 2);
  EXPECT_THAT(graph.blocks[0].successors, ElementsAre(1));
}

TEST(FlowGraph, ACallLeadsBehindItselfAndToItsTarget) {
  const FlowGraph graph =
      MakeFlowGraph(Assemble({Sass("CALL.REL").To(3), Sass("FADD"), Sass("EXIT"), Sass("MUFU"), Sass("RET")}));
  EXPECT_THAT(graph.blocks[0].successors, ElementsAre(1, 2));
  EXPECT_TRUE(graph.blocks[2].reached);
}

TEST(FlowGraph, AnIndirectBranchIsToldAndTakenToLeadToWhatNothingElseLeadsTo) {
  const FlowGraph graph = MakeFlowGraph(
      Assemble({Sass("BRX"), Sass("FADD"), Sass("BRA").To(5), Sass("FMUL"), Sass("BRA").To(5), Sass("EXIT")}));
  EXPECT_EQ(graph.indirect_branches, 1);
  EXPECT_THAT(graph.blocks[0].successors, ElementsAre(1, 2));
}

TEST(FlowGraph, BsyncLeadsToWhereItsBssySays) {
  const FlowGraph graph =
      MakeFlowGraph(Assemble({Sass("BSSY").Operands("B1").To(5), Sass("BRA").If().To(4), Sass("FADD"),
                              Sass("BSYNC").Operands("B1"), Sass("BSYNC").Operands("B1"), Sass("EXIT")}));
  EXPECT_THAT(graph.blocks[graph.block_of[3]].successors, ElementsAre(graph.block_of[5]));
  EXPECT_THAT(graph.blocks[graph.block_of[4]].successors, ElementsAre(graph.block_of[5]));
}

TEST(FlowGraph, LoopsNest) {
  // 0  1:{2:{3}4}  5; the inner loop is 2..3, the outer 1..4
  const FlowGraph graph = MakeFlowGraph(
      Assemble({Sass("MOV"), Sass("MOV"), Sass("FADD"), Sass("BRA").If().To(2), Sass("BRA").If().To(1), Sass("EXIT")}));
  ASSERT_EQ(graph.loops.size(), 2);
  EXPECT_EQ(graph.DepthOf(0), 0);
  EXPECT_EQ(graph.DepthOf(1), 1);
  EXPECT_EQ(graph.DepthOf(2), 2);
  EXPECT_EQ(graph.DepthOf(3), 2);
  EXPECT_EQ(graph.DepthOf(4), 1);
  EXPECT_EQ(graph.DepthOf(5), 0);
  EXPECT_EQ(graph.loops[1].parent, 0);
}

TEST(FlowGraph, TheEndlessLoopBehindTheLastExitIsNone) {
  const FlowGraph graph = MakeFlowGraph(Assemble({Sass("EXIT"), Sass("BRA").To(1), Sass("NOP")}));
  EXPECT_THAT(graph.loops, IsEmpty());
  EXPECT_FALSE(graph.blocks[1].reached);
}

RC_GTEST_PROP(FlowGraph, ABlockDominatesThoseThatTheEntryReachesOnlyThroughIt, ()) {
  const int blocks = *rc::gen::inRange(1, 9);
  std::vector<Sass> code;
  for (int b = 0; b < blocks; ++b) {
    code.push_back(Sass("FADD"));
    code.push_back(Sass("BRA").If().To(3 * *rc::gen::inRange(0, blocks)));
    code.push_back(*rc::gen::arbitrary<bool>() ? Sass("EXIT") : Sass("BRA").To(3 * *rc::gen::inRange(0, blocks)));
  }
  const FlowGraph graph = MakeFlowGraph(Assemble(code));
  const int all = static_cast<int>(graph.blocks.size());
  const auto reached_without = [&](int without) {
    std::vector<bool> reached(all, false);
    std::vector<int> open;
    if (without != 0) open.push_back(0);
    while (!open.empty()) {
      const int b = open.back();
      open.pop_back();
      if (reached[b]) continue;
      reached[b] = true;
      for (const int to : graph.blocks[b].successors)
        if (to != without) open.push_back(to);
    }
    return reached;
  };
  const std::vector<bool> reached = reached_without(-1);
  for (int a = 0; a < all; ++a) {
    RC_ASSERT(graph.blocks[a].reached == reached[a]);
    const std::vector<bool> still = reached_without(a);
    for (int b = 0; b < all; ++b)
      if (reached[a] && reached[b]) RC_ASSERT(graph.Dominates(a, b) == !still[b]);
  }
  for (const CodeLoop& loop : graph.loops)
    for (const int b : loop.blocks) RC_ASSERT(graph.Dominates(loop.header, b));
}

}  // namespace
}  // namespace culprit
