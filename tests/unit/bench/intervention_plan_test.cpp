// SPDX-License-Identifier: Apache-2.0
#include "bench/intervention_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace culprit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(InterventionPlan, GoesFromAllBlocksToOneInAHandfulOfPoints) {
  EXPECT_THAT(SweepPoints(32), ElementsAre(32, 24, 16, 8, 1));
  EXPECT_THAT(SweepPoints(8), ElementsAre(8, 6, 4, 2, 1));
  EXPECT_THAT(SweepPoints(3), ElementsAre(3, 2, 1));
  EXPECT_THAT(SweepPoints(2), ElementsAre(2, 1));
  EXPECT_THAT(SweepPoints(1), ElementsAre(1));
}

TEST(InterventionPlan, BlocksThatAreAllResidentMayWaitForEachOther) {
  EXPECT_TRUE(MayBlocksWait(264, 2, 132));
  EXPECT_FALSE(MayBlocksWait(265, 2, 132)) << "the last begins when another has ended";
}

class Turns : public testing::Test {
 protected:
  // Reports `us` and takes `wall_ms`.
  PlannedSetting Setting(char name, double us, int wall_ms, double growth = 1) {
    return {growth, [this, name, us, wall_ms] {
              order += name;
              clock_ms += wall_ms;
              return us;
            }};
  }
  std::vector<std::vector<double>> Run(const std::vector<PlannedSetting>& settings) {
    return RunInTurn(settings, [this] { return 1e-3 * clock_ms; });
  }
  std::string order;
  int clock_ms = 0;
};

TEST_F(Turns, AreTakenInRoundsAfterOneThatDoesNotCount) {
  const auto times = Run({Setting('a', 10, 0), Setting('b', 20, 0)});
  ASSERT_THAT(times, SizeIs(2));
  EXPECT_THAT(times[0], SizeIs(kMostRounds));
  EXPECT_THAT(times[1], SizeIs(kMostRounds));
  EXPECT_EQ(times[1][0], 20);
  EXPECT_EQ(order.substr(order.size() - 4), "abab") << "what drifts meanwhile meets all settings alike";
}

TEST_F(Turns, EndBeforeASettingThatTheBudgetDoesNotHold) {
  // 100 ms are too many for four rounds of a short launch, and what comes after it would take even longer.
  const auto times = Run({Setting('a', 10, 1), Setting('b', 10, 10), Setting('c', 10, 100, 10), Setting('d', 10, 1)});
  EXPECT_THAT(times[0], SizeIs(5)) << "80 ms hold seven rounds of 11 ms: one to see, and an odd number of others";
  EXPECT_THAT(times[1], SizeIs(5));
  EXPECT_THAT(times[2], IsEmpty());
  EXPECT_THAT(times[3], IsEmpty());
  EXPECT_EQ(order.find('c'), std::string::npos) << "it is not even tried";
}

TEST_F(Turns, OfALongLaunchHaveMoreTime) {
  EXPECT_THAT(Run({Setting('a', kShortLaunchUs, 30)})[0], SizeIs(kMostRounds));
  EXPECT_THAT(Run({Setting('a', kShortLaunchUs, 220)})[0], SizeIs(kLeastRounds));
  EXPECT_THAT(Run({Setting('a', kShortLaunchUs, 230)})[0], IsEmpty()) << "a time limit holds for all of it";
  EXPECT_THAT(Run({Setting('a', kShortLaunchUs - 1, 30)})[0], IsEmpty());
}

}  // namespace
}  // namespace culprit
