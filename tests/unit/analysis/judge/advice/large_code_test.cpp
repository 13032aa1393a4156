// SPDX-License-Identifier: Apache-2.0
// Generated kernels have tens of thousands of instructions: what grows with their square takes minutes there, which the
// time limit of ctest notices.
#include <gtest/gtest.h>

#include <vector>

#include "analysis/judge/advice/advice.h"
#include "tests/support/assembled.h"

namespace culprit {
namespace {

using namespace testing;

constexpr int kInstructions = 20'000;

TEST(LargeCode, OfManyBarriersIsSharedOut) {
  std::vector<Encoded> code;
  for (int i = 0; i < kInstructions; ++i)
    code.push_back(i % 10 == 0 ? Bar().Samples("barrier", 5) : Fadd(4, 5, 6).Samples("not_selected", 2));
  code.push_back(Exit());
  const KernelCosts costs = CostsOf(100, Sampled(code));
  double blamed = 0;
  for (const InstructionCost& cost : costs.functions.at(0).costs) blamed += cost.Blamed();
  EXPECT_NEAR(blamed, 100, 1e-6);
}

// Each loop's addresses are made of what all loops before it computed.
TEST(LargeCode, OfManyLoopsIsExamined) {
  std::vector<Encoded> code;
  for (int loop = 0; loop < kInstructions / 8; ++loop) {
    const int first = static_cast<int>(code.size());
    code.push_back(Ldg(10 + loop % 8, 2, 0).Sets(0).Line(loop + 1));
    code.push_back(Fadd(20, 20, 10 + loop % 8).Waits(0).Samples("long_scoreboard", 10).Line(loop + 1));
    for (int i = 0; i < 5; ++i) code.push_back(IaddRegister(30 + (loop + i) % 60, 2, 30 + (loop * 7 + i) % 60));
    code.back().To(2);
    code.push_back(BranchTo(first + 7, first, 0).Line(loop + 1));
  }
  code.push_back(Exit());
  const KernelCosts costs = CostsOf(100, Sampled(code));
  const Examined examined = Examine({.costs = costs, .counted = {}, .block = {128, 1, 1}});
  EXPECT_FALSE(examined.shown.empty());
}

}  // namespace
}  // namespace culprit
