// SPDX-License-Identifier: Apache-2.0
// Counts shared-memory wavefronts of sgemm_zorder's access patterns, and of sgemm_float4's to see that the count can
// differ.
#include "kernels/sgemm/lane_map.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/kernels/wavefronts.h"

namespace culprit {
namespace {

template <class Address>
Addresses Warp(int warp, Address address) {
  Addresses lanes;
  for (int lane = 0; lane < 32; ++lane) lanes[lane] = address(warp * 32 + lane);
  return lanes;
}

TEST(ZOrder, GivesEveryPieceToOneThread) {
  std::set<std::pair<int, int>> pieces;
  for (int thread = 0; thread < 256; ++thread) {
    const int row = ZOrderRow(thread), column = ZOrderColumn(thread);
    EXPECT_TRUE(row >= 0 && row < 16 && column >= 0 && column < 16) << thread;
    pieces.emplace(row, column);
  }
  EXPECT_EQ(pieces.size(), 256u);
}

// The two tables of the bank analysis that the stage follows: lanes that read the first 16 bytes at banks 0, 8, 16, 24.
TEST(ZOrder, PutsTheLanesOnTheBanksOfThePublishedTable) {
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(ZOrderColumn(lane) * 8 % kBanks, 8 * ((lane & 1) + 2 * (lane >> 3 & 1))) << "B, lane " << lane;
    EXPECT_EQ(ZOrderRow(lane) * 8 % kBanks, 8 * (lane / 2 % 4)) << "A, lane " << lane;
  }
}

TEST(ZOrder, LoadsFragmentsInTwoWavefronts) {
  for (int warp = 0; warp < 8; ++warp) {
    for (int k = 0; k < 8; ++k) {
      for (const int half : {0, 4}) {
        EXPECT_EQ(Wavefronts128(Warp(warp, [&](int t) { return k * 132 + ZOrderRow(t) * 8 + half; })), 2);
        EXPECT_EQ(Wavefronts128(Warp(warp, [&](int t) { return k * 128 + ZOrderColumn(t) * 8 + half; })), 2);
      }
    }
  }
}

TEST(RowMajorLanes, NeedMoreThanTwoWavefrontsForB) {
  EXPECT_GT(Wavefronts128(Warp(0, [](int t) { return t % 16 * 8; })), 2);
}

TEST(ZOrder, StoresAWithoutConflictThanksToThePadding) {
  for (int warp = 0; warp < 8; ++warp) {
    for (int i = 0; i < 4; ++i) {
      const auto store = [i](int stride) { return [=](int t) { return (t * 4 % 8 + i) * stride + t * 4 / 8; }; };
      EXPECT_EQ(Wavefronts32(Warp(warp, store(132))), 1);
      EXPECT_EQ(Wavefronts32(Warp(warp, store(128))), 2);
    }
  }
}

// At 4096: 1024 blocks, 8 warps each, 512 tiles of 8 k.
TEST(ZOrder, AddsUpToThePublishedCounts) {
  const long long warps = 1024 * 8;
  EXPECT_EQ(warps * 4096 * 4, 134217728);              // shared loads
  EXPECT_EQ(warps * 4096 * 4 * 2, 268435456);          // their wavefronts; the published 268,441,315 were measured
  EXPECT_EQ(warps * 512 * (4 + 1), 20971520);          // shared stores
  EXPECT_EQ(warps * 512 * (4 * 1 + 1 * 4), 33554432);  // their wavefronts
}

}  // namespace
}  // namespace culprit
