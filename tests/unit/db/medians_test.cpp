// SPDX-License-Identifier: Apache-2.0
#include "db/medians.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_run.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Repetitions = std::vector<std::vector<Reading>>;

TEST(Medians, AreTheMiddleOfThreeWhateverTheOrder) {
  const auto medians = Medians(Repetitions{{AReading("a", 9), AReading("b", 1)},
                                           {AReading("a", 2), AReading("b", 3)},
                                           {AReading("a", 4), AReading("b", 2)}});
  ASSERT_THAT(medians, SizeIs(2));
  EXPECT_EQ(medians[0].metric.id, "a");
  EXPECT_EQ(medians[0].value, 4);
  EXPECT_EQ(medians[1].value, 2);
}

TEST(Medians, OfTwoAreTheirMean) {
  EXPECT_EQ(Medians(Repetitions{{AReading("a", 2)}, {AReading("a", 5)}}).at(0).value, 3.5);
}

TEST(Medians, OfOneRepetitionAreItsReadings) {
  const auto medians = Medians(Repetitions{{AReading("a", 2), NotMeasured("b", ReadingStatus::kUnsupported)}});
  ASSERT_THAT(medians, SizeIs(2));
  EXPECT_EQ(medians[0].value, 2);
  EXPECT_EQ(medians[1].status, ReadingStatus::kUnsupported);
  EXPECT_FALSE(medians[1].value);
}

TEST(Medians, LeaveOutARepetitionThatFailedAndKeepTheOthers) {
  const auto medians =
      Medians(Repetitions{{NotMeasured("a", ReadingStatus::kFailed)}, {AReading("a", 10)}, {AReading("a", 12)}});
  ASSERT_THAT(medians, SizeIs(1));
  EXPECT_EQ(medians[0].status, ReadingStatus::kOk);
  EXPECT_EQ(medians[0].value, 11);
}

TEST(Medians, StayUnmeasuredWhereNoRepetitionReadTheMetric) {
  const auto medians =
      Medians(Repetitions{{NotMeasured("a", ReadingStatus::kDenied)}, {NotMeasured("a", ReadingStatus::kFailed)}});
  ASSERT_THAT(medians, SizeIs(1));
  EXPECT_EQ(medians[0].status, ReadingStatus::kDenied);
  EXPECT_FALSE(medians[0].value);
}

TEST(Medians, OfAMeasuredZeroAreZero) {
  const auto medians =
      Medians(Repetitions{{AReading("a", 0)}, {AReading("a", 0)}, {NotMeasured("a", ReadingStatus::kFailed)}});
  EXPECT_EQ(medians.at(0).value, 0);
}

}  // namespace
}  // namespace culprit
