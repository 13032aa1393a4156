// SPDX-License-Identifier: Apache-2.0
// A spill stands where its value is made and used, whatever line the compiler gave it.
#include "profiler/code/spills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/judge/blame/costs.h"
#include "tests/support/assembled.h"

namespace culprit {
namespace {

using namespace testing;
using ::testing::ElementsAre;

constexpr int kR1 = 1, kLost = 99;  // the stack pointer; a line that the compiler gave

// The lines of a function's instructions, without the branch that every function ends in.
std::vector<int> LinesOf(const std::vector<Encoded>& code) {
  std::vector<int> lines;
  const KernelCosts costs = CostsOf(10, Sampled(code));
  for (const MachineInstruction& i : costs.functions.at(0).code.instructions) lines.push_back(i.frames.at(0).line);
  lines.pop_back();
  return lines;
}

TEST(Spills, StandWhereTheValueIsMadeAndUsed) {
  EXPECT_THAT(LinesOf({Ldg(4, 2, 0).Line(3), Stl(kR1, 8, 4).Line(kLost), Ldg(4, 2, 64).Line(4),
                       Ldl(6, kR1, 8).Line(kLost), Fadd(7, 4, 4).Line(5), Fadd(7, 7, 6).Line(6), Exit().Line(7)}),
              ElementsAre(3, 3, 4, 6, 5, 6, 7));
}

TEST(Spills, ThatArePutAwayAgainStandWhereTheyAreUsed) {
  EXPECT_THAT(LinesOf({Stl(kR1, 8, 4).Line(2), Ldl(6, kR1, 8).Line(kLost), Stl(kR1, 16, 6).Line(kLost),
                       Fadd(7, 6, 6).Line(5), Ldl(8, kR1, 16).Line(kLost), Fadd(7, 7, 8).Line(6), Exit().Line(7)}),
              ElementsAre(2, 5, 5, 5, 6, 6, 7));
}

TEST(Spills, AreFollowedRoundALoopUntilTheyAreOverwritten) {
  // Brought back at the loop's end for its next trip; the value behind it overwrites the register before a use.
  EXPECT_THAT(LinesOf({Stl(kR1, 0, 4).Line(1), Fadd(7, 6, 6).Line(3), Ldl(6, kR1, 0).Line(kLost),
                       BranchTo(3, 1, 0).Line(4), Fadd(6, 7, 7).Line(5), Fadd(8, 6, 6).Line(6), Exit().Line(7)}),
              ElementsAre(1, 3, 3, 4, 5, 6, 7));
  EXPECT_THAT(LinesOf({Stl(kR1, 0, 4).Line(1), Ldl(6, kR1, 0).Line(kLost), Fadd(6, 7, 7).Line(5), Fadd(8, 6, 6).Line(6),
                       Exit().Line(7)}),
              ElementsAre(1, kLost, 5, 6, 7));
}

TEST(Spills, StandOnThePathThatIsTakenMost) {
  const auto paths = [](int first, int second) {
    return LinesOf({Stl(kR1, 0, 4).Line(1), Ldl(6, kR1, 0).Line(kLost), BranchTo(2, 5, 0).Line(2),
                    Fadd(7, 6, 6).Line(3).Samples("selected", first), Exit().Line(7),
                    Fadd(7, 6, 6).Line(4).Samples("selected", second), Exit().Line(7)})
        .at(1);
  };
  EXPECT_EQ(paths(100, 10), 3);
  EXPECT_EQ(paths(10, 100), 4);
}

TEST(Spills, AreNotWhatReadsAnArray) {
  EXPECT_THAT(LinesOf({Stl(kR1, 0, 4).Line(1), Ldl(6, 9, 0).Line(2), Fadd(7, 6, 6).Line(3), Exit().Line(7)}),
              ElementsAre(1, 2, 3, 7));
}

}  // namespace
}  // namespace culprit
