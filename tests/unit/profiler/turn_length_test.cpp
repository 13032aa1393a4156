// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/turn_length.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

using Clock = TurnLength::Clock;
using Next = TurnLength::Next;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTime{300}, kFetch{20};
constexpr Fetched kIdle{.any = true};
constexpr Fetched kBusy{.launched = true, .any = true, .kernels_ran = true, .with_kernels = kFetch};
// Short and rare kernels: one record of the fetch has one.
constexpr Fetched kSparse{.launched = true, .any = true, .kernels_ran = true, .with_kernels = microseconds(254)};
// A list that counts nothing of the kernels that do run.
constexpr Fetched kUncounted{.launched = true, .any = true};

// A turn whose records are fetched every 20 ms.
class Turn {
 public:
  explicit Turn(bool tells_kernels, Clock::duration time = kTime) : length_(time, tells_kernels, now_) {}

  // What follows the last fetch of this time, or of that which ends the turn.
  Next Fetch(const Fetched& fetched, Clock::duration during) {
    Next next = Next::kFetch;
    for (const Clock::time_point until = now_ + during; now_ < until && next != Next::kEnd;) {
      now_ += kFetch;
      next = length_.After(fetched, now_);
      length_.GoOn(now_, false);
    }
    return next;
  }
  void CloseWindow(Clock::duration during) {
    now_ += during;
    length_.GoOn(now_, true);
  }
  // After which the turn ends.
  Clock::duration EndsAfter(const Fetched& fetched) {
    const Clock::time_point from = now_;
    return Fetch(fetched, hours(1)) == Next::kEnd ? now_ - from : hours(1);
  }

 private:
  Clock::time_point now_ = Clock::time_point() + hours(1);
  TurnLength length_;
};

class TurnLengthOf : public ::testing::TestWithParam<bool> {};

TEST_P(TurnLengthOf, EndsWhenKernelsRanForItsTime) { EXPECT_EQ(Turn(GetParam()).EndsAfter(kBusy), kTime); }

// On a chip whose counters CUPTI cannot read.
TEST_P(TurnLengthOf, WithoutRecordsIsToldByLaunches) {
  EXPECT_EQ(Turn(GetParam()).EndsAfter({.launched = true}), kTime);
}

TEST_P(TurnLengthOf, HasNoTimeWhileTheWindowIsClosed) {
  Turn turn(GetParam());
  EXPECT_EQ(turn.Fetch(kBusy, milliseconds(200)), Next::kFetch);
  turn.CloseWindow(hours(1));
  EXPECT_EQ(turn.Fetch(kIdle, kFetch), Next::kFetch) << "a closed window is not a quiet GPU";
  EXPECT_EQ(turn.EndsAfter(kBusy), milliseconds(100));
}

INSTANTIATE_TEST_SUITE_P(TellsKernels, TurnLengthOf, ::testing::Bool());

TEST(TurnLength, OfAListThatTellsKernelsIsNotUsedUpByAnIdleGpu) {
  Turn turn(true);
  EXPECT_EQ(turn.Fetch(kIdle, milliseconds(2980)), Next::kFetch);
  EXPECT_EQ(turn.Fetch(kIdle, kFetch), Next::kRest) << "after 3 s";
  EXPECT_EQ(turn.Fetch(kIdle, seconds(100)), Next::kRest);
  EXPECT_EQ(turn.EndsAfter(kBusy), kTime);
}

TEST(TurnLength, OfAListThatTellsKernelsDoesNotRestWhileAKernelRunsOrSomethingIsLaunched) {
  Turn turn(true);
  EXPECT_EQ(turn.Fetch({.any = true, .kernels_ran = true, .with_kernels = microseconds(10)}, seconds(2)), Next::kFetch);
  EXPECT_EQ(turn.Fetch(kIdle, milliseconds(2980)), Next::kFetch);
  EXPECT_EQ(turn.Fetch(kUncounted, kFetch), Next::kFetch) << "its kernel may come";
  EXPECT_EQ(turn.Fetch(kIdle, milliseconds(2980)), Next::kFetch);
  EXPECT_EQ(turn.Fetch(kIdle, kFetch), Next::kRest);
}

TEST(TurnLength, OfSparseKernelsIsTenTimesTheTime) { EXPECT_EQ(Turn(true).EndsAfter(kSparse), 10 * kTime); }

TEST(TurnLength, OfSparseKernelsIsNotUsedUpByTheIdleTimeBetweenThem) {
  Turn turn(true);
  for (int i = 0; i < 140; ++i) {
    EXPECT_EQ(turn.Fetch(kSparse, kFetch), Next::kFetch) << i;
    EXPECT_EQ(turn.Fetch(kIdle, seconds(1)), Next::kFetch) << i;
  }
  EXPECT_EQ(turn.EndsAfter(kSparse), 10 * kFetch);
}

TEST(TurnLength, OfAnotherListIsTheTimeOfLaunches) { EXPECT_EQ(Turn(false).EndsAfter(kUncounted), kTime); }

TEST(TurnLength, OfAnotherListEndsOnAQuietGpu) { EXPECT_EQ(Turn(false, 10 * kTime).EndsAfter(kIdle), seconds(3)); }

TEST(TurnLength, OfAnotherListIsAtMostTenTimesTheTime) {
  EXPECT_EQ(Turn(false, milliseconds(100)).EndsAfter(kIdle), seconds(1));
}

}  // namespace
}  // namespace culprit
