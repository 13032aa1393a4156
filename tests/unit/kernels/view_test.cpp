// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/banks/bank_model.h"
#include "kernels/stage.h"
#include "tests/unit/kernels/changed_factors.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

const Stage& Find(const std::string& id) { return *FindStage(id); }

TEST(ViewStages, FormOneChain) {
  std::string last;
  for (const char* id :
       {"view_naive", "view_block_v1", "view_block_v1_32", "view_block_v2", "view_block_v3", "view_block_v4"}) {
    ASSERT_NE(FindStage(id), nullptr) << id;
    EXPECT_EQ(Find(id).family, "view") << id;
    EXPECT_EQ(Find(id).parent, last) << id;
    if (!last.empty()) {
      EXPECT_THAT(ChangedFactors(id), Not(IsEmpty())) << id;
    }
    last = id;
  }
}

TEST(ViewStages, ChangeWhatTheAuthorChanges) {
  EXPECT_THAT(ChangedFactors("view_block_v1"),
              ElementsAre("K tile", "bounds checks", "gmem->smem move", "shared buffers"));
  EXPECT_THAT(ChangedFactors("view_block_v1_32"), ElementsAre("K tile", "block tile"));
  EXPECT_THAT(ChangedFactors("view_block_v2"), ElementsAre("K tile", "block tile", "thread tile"));
  EXPECT_THAT(ChangedFactors("view_block_v3"), ElementsAre("shared buffers"));
}

// The author's two gaps: bank conflicts and edges.
TEST(ViewStages, CloseBothGapsInV4AndKeepItsTiles) {
  EXPECT_THAT(ChangedFactors("view_block_v4"), ElementsAre("A layout", "bounds checks", "gmem->smem move", "lane map",
                                                           "launch bounds", "load width", "thread block", "unroll"));
}

TEST(ViewStages, TakeWhatTheirEdgesAllow) {
  EXPECT_EQ(Describe(Find("view_naive").constraint), "any size");
  EXPECT_EQ(Describe(Find("view_block_v1").constraint), "m % 16 == 0, n % 16 == 0, k % 16 == 0");
  EXPECT_EQ(Describe(Find("view_block_v1_32").constraint), "m % 32 == 0, n % 32 == 0, k % 32 == 0");
  for (const char* id : {"view_block_v2", "view_block_v3"}) {
    EXPECT_EQ(Describe(Find(id).constraint), "m % 128 == 0, n % 128 == 0, k % 8 == 0") << id;
  }
  EXPECT_EQ(Describe(Find("view_block_v4").constraint), "any size");
  for (const GemmShape shape : {GemmShape{1, 1, 1}, {127, 129, 33}, {1, 1, 0}, {257, 1, 7}}) {
    EXPECT_EQ(Refusal(Find("view_block_v4"), shape), "");
    EXPECT_EQ(Refusal(Find("view_naive"), shape), "");
  }
}

TEST(ViewStages, CoverTheLastPartialTile) {
  const LaunchConfig config = Find("view_block_v4").config({129, 257, 3});
  EXPECT_EQ(config.grid.x, 3u);
  EXPECT_EQ(config.grid.y, 2u);
  EXPECT_EQ(config.block.x, 256u);
}

TEST(ViewBlockV4, HasNoBankConflict) {
  EXPECT_THAT(Find("view_block_v4").shared_accesses,
              ElementsAre(Field(&SharedAccess::name, "store A"), Field(&SharedAccess::name, "store B"),
                          Field(&SharedAccess::name, "load A"), Field(&SharedAccess::name, "load B")));
  for (const SharedAccess& access : Find("view_block_v4").shared_accesses) {
    EXPECT_EQ(Model(access).excess(), 0) << access.name;
    EXPECT_EQ(Model(access).wavefronts, access.lane_bytes == 16 ? 2 : 1) << access.name;
  }
}

// The padding is what frees the store of A: without it 8 rows of k begin in one bank.
TEST(ViewBlockV4, WouldStoreAIn8WavefrontsWithoutItsPadding) {
  SharedAccess store = Find("view_block_v4").shared_accesses.front();
  ASSERT_EQ(store.row_bytes, 132 * 4);
  for (std::int64_t& address : store.address) address -= address / store.row_bytes * 16;
  EXPECT_EQ(Model(store).wavefronts, 8);
}

}  // namespace
}  // namespace culprit
