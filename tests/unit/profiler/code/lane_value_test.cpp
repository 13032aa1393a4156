// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/lane_value.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

// threadIdx.x of a block of more than one warp: 32 times a number that all lanes share, and the lane.
LaneValue Thread() {
  Lanes lanes;
  for (int l = 0; l < kWarpLanes; ++l) lanes[l] = l;
  LaneValue v = LaneValue::OfLanes(lanes, 5);
  v.below = 256;
  return v;
}

TEST(LaneValue, KeepsTheLanesApartThroughSumsAndProducts) {
  const LaneValue byte = Add(Multiplied(Thread(), LaneValue::Number(12)), LaneValue::Shared());
  ASSERT_TRUE(byte.IsKnown());
  EXPECT_EQ(byte.lanes[0], 0);
  EXPECT_EQ(byte.lanes[7], 84);
  EXPECT_FALSE(byte.scaled);
  EXPECT_FALSE(byte.IsShared());
}

TEST(LaneValue, KnowsAStrideThatOnlyTheLaunchKnowsAsSuch) {
  const LaneValue row = Multiplied(Thread(), LaneValue::Shared());
  EXPECT_TRUE(row.IsKnown());
  EXPECT_TRUE(row.scaled);
  // Such a multiple and the lanes beside it cannot be told apart any more.
  EXPECT_EQ(Add(row, Thread()).kind, LaneValue::Kind::kVaries);
  EXPECT_EQ(Multiplied(Thread(), Thread()).kind, LaneValue::Kind::kVaries);
}

TEST(LaneValue, SplitsAThreadsIndexIntoWarpAndLane) {
  const LaneValue lane = Bitwise(0xc0, Thread(), LaneValue::Number(31), LaneValue::Number(0));
  EXPECT_EQ(lane.lanes[9], 9);
  EXPECT_EQ(lane.shared, 0);
  EXPECT_TRUE(ShiftedRight(Thread(), 5).IsShared());
  const LaneValue eighth = ShiftedRight(Thread(), 3);
  EXPECT_EQ(eighth.lanes[7], 0);
  EXPECT_EQ(eighth.lanes[31], 3);
  EXPECT_EQ(eighth.aligned_bits, 2);
  // Of an index that starts anywhere no lane knows where its eighth begins.
  EXPECT_EQ(ShiftedRight(Add(Thread(), LaneValue::Shared()), 3).kind, LaneValue::Kind::kVaries);
}

TEST(LaneValue, PermutesLanesByExclusiveOr) {
  Lanes rows;
  for (int l = 0; l < kWarpLanes; ++l) rows[l] = l / 8;
  const LaneValue chunk = Bitwise(0x3c, Thread(), LaneValue::OfLanes(rows), LaneValue::Number(0));
  ASSERT_TRUE(chunk.IsKnown());
  EXPECT_EQ(chunk.lanes[8], 8 ^ 1);
  EXPECT_EQ(chunk.lanes[31], 31 ^ 3);
  EXPECT_EQ(Bitwise(0x3c, Thread(), LaneValue::Shared(), LaneValue::Number(0)).kind, LaneValue::Kind::kVaries);
}

TEST(LaneValue, MeetsWhereLanesAreAsFarApartOnAllPaths) {
  const LaneValue further = Add(Thread(), LaneValue::Number(1024));
  const LaneValue joined = Join(Thread(), further);
  EXPECT_EQ(joined.lanes, Thread().lanes);
  EXPECT_FALSE(joined.shared);
  EXPECT_EQ(joined.aligned_bits, 5);
  EXPECT_EQ(Join(Thread(), Multiplied(Thread(), LaneValue::Number(2))).kind, LaneValue::Kind::kVaries);
  EXPECT_EQ(Join(LaneValue::Nothing(), Thread()), Thread());
}

TEST(LaneValue, IsNotFollowedBeyondWhatAnAddressHolds) {
  const LaneValue large = Multiplied(Thread(), LaneValue::Number(std::int64_t{1} << 20));
  EXPECT_TRUE(large.IsKnown());
  EXPECT_EQ(Multiplied(large, LaneValue::Number(std::int64_t{1} << 20)).kind, LaneValue::Kind::kVaries);
}

}  // namespace
}  // namespace culprit
