// SPDX-License-Identifier: Apache-2.0
// The score's own arithmetic, on invented parts.
#include "tests/planted/score.h"

#include <gtest/gtest.h>

namespace culprit::testing {
namespace {

TEST(Inconsistency, IsNoneWhereStepsSumToTheWhole) {
  const Parts ab{10, 20, {{"barrier", 10}}}, bc{20, 50, {{"barrier", 10}, {"atomics", 20}}};
  EXPECT_DOUBLE_EQ(InconsistencyOf(ab, bc, {10, 50, {{"barrier", 20}, {"atomics", 20}}}), 0);
}

TEST(Inconsistency, IsTheShareThatIsGivenToAnotherCause) {
  const Parts ab{10, 20, {{"barrier", 10}}}, bc{20, 50, {{"atomics", 30}}};
  EXPECT_DOUBLE_EQ(InconsistencyOf(ab, bc, {10, 50, {{"barrier", 20}, {"atomics", 20}}}), 0.25);
  // A part left unexplained counts like a part given to another cause.
  EXPECT_DOUBLE_EQ(InconsistencyOf(ab, bc, {10, 50, {{"atomics", 30}}}), 0.25);
}

TEST(PartsSaid, FirstIsTheLargestInTheDirectionOfTheChange) {
  EXPECT_EQ((Parts{10, 20, {{"barrier", 4}, {"atomics", 6}, {"clock", -9}}}.First()), "atomics");
  EXPECT_EQ((Parts{20, 10, {{"barrier", 4}, {"clock", -9}}}.First()), "clock");
  EXPECT_EQ((Parts{20, 10, {{"barrier", 4}}}.First()), "");
  EXPECT_DOUBLE_EQ((Parts{10, 20, {{"barrier", 4}}}.UnexplainedUs()), 6);
}

}  // namespace
}  // namespace culprit::testing
