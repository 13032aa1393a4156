// SPDX-License-Identifier: Apache-2.0
// Stages whose blocks stay: every step of every tile falls to one block, and who shares a tile knows of each other.
#include "kernels/sgemm/tile_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace culprit {
namespace {

constexpr int kBlocks = 132, kLeast = 4;

struct Extents {
  int rows, columns, steps;
};
const std::vector<Extents> kExtents{{1, 1, 1},   {1, 1, 4000}, {2, 1, 512},  {4, 4, 32},   {5, 4, 65},
                                    {8, 8, 64},  {8, 9, 65},   {3, 17, 49},  {13, 24, 33}, {12, 11, 7},
                                    {17, 32, 8}, {33, 8, 129}, {64, 64, 512}};

TEST(PlanTiles, GivesEachSharedStepToOneBlockAndToEachAsMany) {
  for (const auto& [rows, columns, steps] : kExtents) {
    const TilePlan plan = PlanTiles(rows, columns, steps, kBlocks, kLeast);
    EXPECT_LE(plan.blocks, kBlocks);
    EXPECT_LE(plan.shared, plan.Tiles());
    EXPECT_EQ((plan.Tiles() - plan.shared) % plan.blocks, 0) << "what is not shared is whole waves, or less than one";
    EXPECT_EQ(plan.FirstStep(0), 0);
    EXPECT_EQ(plan.FirstStep(plan.blocks), plan.shared * steps);
    for (int block = 0; block < plan.blocks; ++block) {
      const int run = plan.FirstStep(block + 1) - plan.FirstStep(block), even = plan.shared * steps / plan.blocks;
      EXPECT_TRUE(run == even || run == even + 1) << run;
    }
  }
}

TEST(PlanTiles, CutsNothingShorterThanItShould) {
  EXPECT_EQ(PlanTiles(4, 4, 7, kBlocks, kLeast).shared, 0);
  EXPECT_EQ(PlanTiles(4, 4, 7, kBlocks, kLeast).blocks, 16);
  EXPECT_EQ(PlanTiles(4, 4, 8, kBlocks, kLeast).blocks, 32);
  EXPECT_EQ(PlanTiles(4, 4, 32, kBlocks, kLeast).blocks, 128);
  EXPECT_EQ(PlanTiles(4, 4, 320, kBlocks, kLeast).blocks, kBlocks);
  EXPECT_EQ(PlanTiles(12, 11, 5, kBlocks, kLeast).shared, 0) << "a whole wave";
  EXPECT_EQ(PlanTiles(12, 12, 5, kBlocks, kLeast).shared, 144);
  EXPECT_EQ(PlanTiles(24, 12, 5, kBlocks, kLeast).shared, 288 - 132);
  EXPECT_EQ(PlanTiles(24, 12, 0, kBlocks, kLeast).shared, 0) << "who scales C has to come to every tile";
}

TEST(SharersOf, AreTheBlocksWhoseStepsAreOfTheTile) {
  for (const auto& [rows, columns, steps] : kExtents) {
    const TilePlan plan = PlanTiles(rows, columns, steps, kBlocks, kLeast);
    std::map<int, TileSharers> sharers;
    for (int block = 0; block < plan.blocks; ++block)
      for (int step = plan.FirstStep(block); step < plan.FirstStep(block + 1); ++step) {
        TileSharers& of_tile = sharers.try_emplace(step / steps, TileSharers{block, 0}).first->second;
        of_tile.count = block - of_tile.first + 1;
      }
    EXPECT_EQ(sharers.size(), static_cast<std::size_t>(plan.shared));
    for (const auto& [tile, expected] : sharers) EXPECT_EQ(SharersOf(plan, tile), expected) << tile;
  }
}

// Two parts at most, since a block's run of steps is no gap: the tile that it begins with, and that which it ends with.
TEST(SharersOf, AreSeveralForNoMoreThanTwoTilesOfABlock) {
  for (const auto& [rows, columns, steps] : kExtents) {
    const TilePlan plan = PlanTiles(rows, columns, steps, kBlocks, kLeast);
    for (int block = 0; block < plan.blocks; ++block) {
      int several = 0;
      for (int tile = plan.FirstStep(block) / steps; tile * steps < plan.FirstStep(block + 1); ++tile)
        several += SharersOf(plan, tile).count > 1;
      EXPECT_LE(several, 2) << block;
    }
  }
}

}  // namespace
}  // namespace culprit
