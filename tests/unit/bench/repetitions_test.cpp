// SPDX-License-Identifier: Apache-2.0
#include "bench/repetitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/db/small_run.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Medians, AreTheMiddleOfThreeWhateverTheOrder) {
  const auto medians = Medians({{Measured("a", 9), Measured("b", 1)},
                                {Measured("a", 2), Measured("b", 3)},
                                {Measured("a", 4), Measured("b", 2)}});
  ASSERT_THAT(medians, SizeIs(2));
  EXPECT_EQ(medians[0].metric.id, "a");
  EXPECT_EQ(medians[0].value, 4);
  EXPECT_EQ(medians[1].value, 2);
}

TEST(Medians, OfTwoAreTheirMean) { EXPECT_EQ(Medians({{Measured("a", 2)}, {Measured("a", 5)}}).at(0).value, 3.5); }

TEST(Medians, OfOneRepetitionAreItsReadings) {
  const auto medians = Medians({{Measured("a", 2), NotMeasured("b", ReadingStatus::kUnsupported)}});
  ASSERT_THAT(medians, SizeIs(2));
  EXPECT_EQ(medians[0].value, 2);
  EXPECT_EQ(medians[1].status, ReadingStatus::kUnsupported);
  EXPECT_FALSE(medians[1].value);
}

TEST(Medians, LeaveOutARepetitionThatFailedAndKeepTheOthers) {
  const auto medians = Medians({{NotMeasured("a", ReadingStatus::kFailed)}, {Measured("a", 10)}, {Measured("a", 12)}});
  ASSERT_THAT(medians, SizeIs(1));
  EXPECT_EQ(medians[0].status, ReadingStatus::kOk);
  EXPECT_EQ(medians[0].value, 11);
}

TEST(Medians, StayUnmeasuredWhereNoRepetitionReadTheMetric) {
  const auto medians =
      Medians({{NotMeasured("a", ReadingStatus::kDenied)}, {NotMeasured("a", ReadingStatus::kFailed)}});
  ASSERT_THAT(medians, SizeIs(1));
  EXPECT_EQ(medians[0].status, ReadingStatus::kDenied);
  EXPECT_FALSE(medians[0].value);
}

TEST(Medians, OfAMeasuredZeroAreZero) {
  const auto medians = Medians({{Measured("a", 0)}, {Measured("a", 0)}, {NotMeasured("a", ReadingStatus::kFailed)}});
  EXPECT_EQ(medians.at(0).value, 0);
}

// Reads how often it was asked, and fails when it is told to.
class CountingCollector : public Collector {
 public:
  explicit CountingCollector(int fails_at = -1) : fails_at_(fails_at) {}
  std::vector<std::vector<Reading>> Collect(std::span<const Counted> work) override {
    trouble_.reset();
    const bool fails = asked_ == fails_at_;
    if (fails) trouble_ = Warning{"counters_failed", "the second one broke"};
    std::vector<std::vector<Reading>> readings;
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (work[i].prepare) work[i].prepare();
      work[i].launch();
      readings.push_back(
          {fails ? NotMeasured("asked", ReadingStatus::kFailed) : Measured("asked", 100.0 * i + asked_)});
    }
    ++asked_;
    return readings;
  }
  const std::optional<Warning>& Trouble() const override { return trouble_; }

 private:
  int fails_at_;
  int asked_ = 0;
  std::optional<Warning> trouble_;
};

TEST(CollectRepeatedly, ReadsEveryLaunchInEveryRepetitionAndPreparesItEachTime) {
  CountingCollector collector;
  std::string order;
  const std::vector<Counted> work{{[&] { order += 'p'; }, [&] { order += 'a'; }}, {{}, [&] { order += 'b'; }}};
  const auto readings = CollectRepeatedly(collector, work, 3, [](const Warning&) { FAIL(); });
  EXPECT_EQ(order, "pabpabpab");
  ASSERT_THAT(readings, SizeIs(2));
  ASSERT_THAT(readings[1], SizeIs(3));
  for (int r = 0; r < 3; ++r) EXPECT_EQ(readings[1][r].at(0).value, 100 + r);
}

TEST(CollectRepeatedly, SaysWhatWentWrongInOneRepetitionAndKeepsTheOthers) {
  CountingCollector collector(1);
  const std::vector<Counted> work{{{}, [] {}}};
  std::vector<std::string> said;
  const auto readings = CollectRepeatedly(collector, work, 3, [&](const Warning& w) { said.push_back(w.text); });
  EXPECT_THAT(said, ElementsAre("the second one broke"));
  ASSERT_THAT(readings.at(0), SizeIs(3));
  EXPECT_EQ(readings[0][1].at(0).status, ReadingStatus::kFailed);
  EXPECT_EQ(Medians(readings[0]).at(0).value, 1);  // of 0 and 2
}

TEST(CollectRepeatedly, OfNothingIsNothing) {
  CountingCollector collector;
  EXPECT_THAT(CollectRepeatedly(collector, {}, 3, [](const Warning&) { FAIL(); }), IsEmpty());
}

}  // namespace
}  // namespace culprit
