// SPDX-License-Identifier: Apache-2.0
// Tiles of the wgmma stages: which blocks take which, and where they lie in shared memory.
#include "kernels/hgemm/wgmma_tile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stage.h"
#include "tests/unit/kernels/changed_factors.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TileAt, TakesEveryTileOnce) {
  for (const TileOrder order : {TileOrder::kRows, TileOrder::kGroups})
    for (const auto& [rows, columns] : {std::pair{1, 1}, {8, 8}, {16, 16}, {7, 3}, {9, 5}, {17, 1}, {1, 40}}) {
      std::set<std::pair<int, int>> taken;
      for (int i = 0; i < rows * columns; ++i) {
        const TilePlace place = TileAt(order, i, rows, columns);
        EXPECT_TRUE(place.row >= 0 && place.row < rows && place.column >= 0 && place.column < columns) << i;
        taken.emplace(place.row, place.column);
      }
      EXPECT_EQ(taken.size(), static_cast<std::size_t>(rows) * columns) << rows << 'x' << columns;
    }
}

TEST(TileAt, GoesDownEachColumnOfAGroup) {
  EXPECT_EQ(TileAt(TileOrder::kGroups, 7, 20, 10), (TilePlace{7, 0}));
  EXPECT_EQ(TileAt(TileOrder::kGroups, 8, 20, 10), (TilePlace{0, 1}));
  EXPECT_EQ(TileAt(TileOrder::kGroups, 80, 20, 10), (TilePlace{8, 0}));
  EXPECT_EQ(TileAt(TileOrder::kGroups, 160 + 4, 20, 10), (TilePlace{16, 1})) << "four rows are left";
}

// PTX ISA, "Matrix Descriptor": addresses and distances in units of 16 bytes.
TEST(MatrixDescriptor, PutsEachFieldAtItsBits) {
  EXPECT_EQ(MatrixDescriptor(0x400, 0, 0), 0x4000000000000040u);
  EXPECT_EQ(MatrixDescriptor(0, 8192, 0), 0x4000000002000000u);
  EXPECT_EQ(MatrixDescriptor(0, 0, 1024), 0x4000004000000000u);
}

TEST(MatrixDescriptor, GoesAlongARowOfAAndDownTheRowsOfB) {
  EXPECT_EQ(ADescriptor(0x2000, 3) - ADescriptor(0x2000, 0), 3 * 32 / 16u);
  EXPECT_EQ(BDescriptor(0x2000, 3) - BDescriptor(0x2000, 0), 3 * 16 * 128 / 16u);
}

// A warp stores 8 bytes a lane, 256 in all: two wavefronts when every bank is touched twice.
TEST(CPair, HasAPlaceOfItsOwnAndMeetsEveryBankTwice) {
  std::set<int> places;
  for (int row = 0; row < kCBoxRows; ++row)
    for (int pair = 0; pair < kCBoxColumns / 2; ++pair) {
      EXPECT_EQ(CPair(row, pair) / kBoxRowBytes, row);
      places.insert(CPair(row, pair));
    }
  EXPECT_EQ(places.size(), std::size_t{kCBoxBytes / 8});
  for (int half = 0; half < 2; ++half)
    for (int j = 0; j < kCBoxColumns / 8; ++j) {
      std::array<int, 16> on_banks = {};  // pairs of banks
      for (int lane = 0; lane < 32; ++lane) ++on_banks[CPair(lane / 4 + 8 * half, 4 * j + lane % 4) / 8 % 16];
      EXPECT_THAT(on_banks, ::testing::Each(2));
    }
}

const std::vector<std::string> kStages = {"hgemm_wgmma",   "hgemm_tma_ring", "hgemm_specialised", "hgemm_persistent",
                                          "hgemm_grouped", "hgemm_cluster",  "hgemm_tma_store",   "hgemm_drained"};

TEST(WgmmaStages, HaveABlockForEachTileOrFillTheDevice) {
  for (const std::string& id : kStages) {
    const Stage& stage = *FindStage(id);
    const bool persistent = id != "hgemm_wgmma" && id != "hgemm_tma_ring" && id != "hgemm_specialised";
    const unsigned blocks = stage.config({4096, 4096, 4096}).grid.x;
    if (persistent) {
      EXPECT_TRUE(blocks >= 2 && blocks <= 32 * 16) << id << ' ' << blocks;
      EXPECT_EQ(stage.config({128, 256, 64}).grid.x, id == "hgemm_persistent" || id == "hgemm_grouped" ? 1u : 2u) << id;
    } else {
      EXPECT_EQ(blocks, 32u * 16) << id;
      EXPECT_EQ(stage.config({129, 257, 64}).grid.x, 4u) << id;
    }
    EXPECT_LE(stage.config({4096, 4096, 4096}).dynamic_shared_bytes, 227u * 1024) << id;
  }
}

// hgemm_pingpong's tiles are narrower, and each warpgroup has its own: 32 x 22 of them at 4096.
TEST(WgmmaStages, PingPongHasABlockForEachTileUntilTheDeviceIsFull) {
  const Stage& stage = *FindStage("hgemm_pingpong");
  EXPECT_EQ(stage.config({128, 192, 64}).grid.x, 1u);
  EXPECT_EQ(stage.config({129, 200, 64}).grid.x, 4u);
  EXPECT_LT(stage.config({4096, 4096, 4096}).grid.x, 32u * 22);
  EXPECT_LE(stage.config({4096, 4096, 4096}).dynamic_shared_bytes, 227u * 1024);
  EXPECT_EQ(stage.parent, "hgemm_tma_store");
  EXPECT_EQ(FindStage("hgemm_pingpong_128")->config({128, 192, 64}).grid.x, 2u);
  EXPECT_LE(FindStage("hgemm_pingpong_128")->config({4096, 4096, 4096}).dynamic_shared_bytes, 227u * 1024);
  EXPECT_EQ(FindStage("hgemm_pingpong_128")->parent, "hgemm_pingpong");
  EXPECT_THAT(ChangedFactors("hgemm_pingpong_128"),
              ElementsAre("block tile", "matrix API", "tiles on their way", "warp tile"));
  EXPECT_LE(FindStage("hgemm_pingpong_boxes")->config({4096, 4096, 4096}).dynamic_shared_bytes, 227u * 1024);
  EXPECT_THAT(ChangedFactors("hgemm_pingpong_boxes"), ElementsAre("C stores", "tiles on their way"));
  EXPECT_THAT(ChangedFactors("hgemm_pingpong"), ElementsAre("block tile", "cluster", "matrix API", "tiles on their way",
                                                            "waits for C's stores", "warp tile"));
}

TEST(WgmmaStages, TakeWhatTheTmaTakes) {
  std::vector<std::string> all = kStages;
  all.insert(all.end(),
             {"hgemm_pingpong", "hgemm_pingpong_128", "hgemm_pingpong_boxes", "hgemm_small_tile", "hgemm_best"});
  for (const std::string& id : all) {
    EXPECT_THAT(Refusal(*FindStage(id), {129, 264, 72}), IsEmpty()) << id;
    EXPECT_THAT(Refusal(*FindStage(id), {1, 8, 0}), IsEmpty()) << id;
    EXPECT_THAT(Refusal(*FindStage(id), {128, 256, 65}), Not(IsEmpty())) << id;
    EXPECT_THAT(DeviceRefusal(*FindStage(id), 100), Not(IsEmpty())) << id;
  }
}

TEST(WgmmaStages, ChangeOneFactorAStep) {
  const struct {
    const char *id, *parent, *factor;
  } edges[] = {{"hgemm_tma_ring", "hgemm_wgmma", "tiles on their way"},
               {"hgemm_specialised", "hgemm_tma_ring", "copied by"},
               {"hgemm_persistent", "hgemm_specialised", "blocks"},
               {"hgemm_grouped", "hgemm_persistent", "tile order"},
               {"hgemm_cluster", "hgemm_grouped", "cluster"},
               {"hgemm_tma_store", "hgemm_cluster", "C stores"},
               {"hgemm_drained", "hgemm_tma_store", "waits for C's stores"}};
  for (const auto& edge : edges) {
    EXPECT_EQ(FindStage(edge.id)->parent, edge.parent) << edge.id;
    EXPECT_THAT(ChangedFactors(edge.id), ElementsAre(edge.factor)) << edge.id;
  }
}

}  // namespace
}  // namespace culprit
