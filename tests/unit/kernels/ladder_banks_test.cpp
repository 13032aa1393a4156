// SPDX-License-Identifier: Apache-2.0
// What the ladder states of its shared accesses, against the published bank tables and against counts from an H100.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sgemm/transposed_tile.h"
#include "kernels/stage.h"
#include "tests/unit/kernels/wavefronts.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

const SharedAccess& Access(const std::string& stage, const std::string& name) {
  for (const SharedAccess& access : FindStage(stage)->shared_accesses) {
    if (access.name == name) return access;
  }
  throw std::runtime_error(stage + " states no " + name);
}

// The lanes whose 16 bytes begin at `bank`.
std::vector<int> LanesAt(int bank, const Addresses& lanes) {
  std::vector<int> at;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if (lanes[lane] % kBanks == bank) at.push_back(lane);
  }
  return at;
}

// The published table of banks, its first row: 8 lanes at each of banks 0, 8, 16 and 24.
TEST(ZOrderLoads, LieOnTheBanksOfThePublishedTable) {
  const Addresses b = Floats(Access("sgemm_zorder", "load B"));
  EXPECT_THAT(LanesAt(0, b), ElementsAre(0, 2, 4, 6, 16, 18, 20, 22));
  EXPECT_THAT(LanesAt(8, b), ElementsAre(1, 3, 5, 7, 17, 19, 21, 23));
  EXPECT_THAT(LanesAt(16, b), ElementsAre(8, 10, 12, 14, 24, 26, 28, 30));
  EXPECT_THAT(LanesAt(24, b), ElementsAre(9, 11, 13, 15, 25, 27, 29, 31));
  const Addresses a = Floats(Access("sgemm_zorder", "load A"));
  EXPECT_THAT(LanesAt(0, a), ElementsAre(0, 1, 8, 9, 16, 17, 24, 25));
  EXPECT_THAT(LanesAt(8, a), ElementsAre(2, 3, 10, 11, 18, 19, 26, 27));
  EXPECT_THAT(LanesAt(16, a), ElementsAre(4, 5, 12, 13, 20, 21, 28, 29));
  EXPECT_THAT(LanesAt(24, a), ElementsAre(6, 7, 14, 15, 22, 23, 30, 31));
}

// The table's second row, 16 bytes further, for every thread of the block and every k.
TEST(ZOrderLoads, ReadTheOtherFourBanksFurther) {
  using Tile = TransposedTile<ZOrderLanes, 8, 4>;
  for (int thread = 0; thread < Tile::kThreads; ++thread) {
    for (int k = 0; k < Tile::kTileK; ++k) {
      EXPECT_EQ(Tile::LoadA(thread, k, 4), Tile::LoadA(thread, k, 0) + 4);
      EXPECT_EQ(Tile::LoadB(thread, k, 4), Tile::LoadB(thread, k, 0) + 4);
    }
  }
}

// "0-16-1-17-...-15-31"
TEST(PaddedStores, FallIntoTheBanksThatThePublishedTextLists) {
  std::vector<int> expected, banks;
  for (int i = 0; i < 16; ++i) {
    expected.push_back(i);
    expected.push_back(16 + i);
  }
  for (const int word : Floats(Access("sgemm_padded", "store A"))) banks.push_back(word % kBanks);
  EXPECT_THAT(banks, ElementsAreArray(expected));
}

TEST(UnpaddedStores, PutEvenAndOddLanesIntoOneBank) {
  const Addresses lanes = Floats(Access("sgemm_float4", "store A"));
  for (int lane = 0; lane < kWarpLanes; lane += 2) {
    EXPECT_EQ(lanes[lane] % kBanks, lanes[lane + 1] % kBanks);
    EXPECT_NE(lanes[lane], lanes[lane + 1]);
  }
}

TEST(LadderAccesses, NeedTheWavefrontsThatTheirHeadersPredict) {
  const struct {
    const char* stage;
    int store_a, store_b, load_a, load_b;
  } expected[] = {
      {"sgemm_smem", 1, 1, 2, 1},        {"sgemm_smem_swapped", 32, 32, 2, 1}, {"sgemm_smem_no_unroll", 1, 1, 2, 1},
      {"sgemm_tile_1d", 2, 1, 2, 1},     {"sgemm_tile_2d", 2, 8, 2, 8},        {"sgemm_tile_2d_kinner", 2, 8, 2, 8},
      {"sgemm_tile_2d_reg", 2, 8, 2, 8}, {"sgemm_float4", 2, 4, 2, 8},         {"sgemm_padded", 1, 4, 2, 8},
      {"sgemm_quadrants", 2, 4, 2, 4},   {"sgemm_zorder", 1, 4, 2, 2},         {"sgemm_double_buffer", 2, 4, 2, 8},
      {"sgemm_pingpong", 4, 4, 2, 4}};
  for (const auto& e : expected) {
    EXPECT_EQ(Wavefronts(Access(e.stage, "store A")), e.store_a) << e.stage;
    EXPECT_EQ(Wavefronts(Access(e.stage, "store B")), e.store_b) << e.stage;
    EXPECT_EQ(Wavefronts(Access(e.stage, "load A")), e.load_a) << e.stage;
    EXPECT_EQ(Wavefronts(Access(e.stage, "load B")), e.load_b) << e.stage;
  }
}

// One access stands for all of its kind only if every warp, round, k and half cost the same.
template <class Tile>
void EveryAccessCostsWhatTheFirstDoes() {
  const std::vector<SharedAccess> first = TransposedTileAccesses<Tile>();
  for (int warp = 0; warp < Tile::kThreads / kWarpLanes; ++warp) {
    const auto warp_of = [warp](auto element) {
      return Wavefronts(WarpAccess("", {"", Tile::kARow}, SharedOp::kLoad, 4,
                                   [=](int lane) { return element(warp * kWarpLanes + lane); }));
    };
    for (int round = 0; round < Tile::kRounds; ++round) {
      for (int i = 0; i < 4; ++i) {
        Addresses lanes;
        for (int lane = 0; lane < kWarpLanes; ++lane) lanes[lane] = Tile::StoreA(warp * kWarpLanes + lane, round, i);
        EXPECT_EQ(Wavefronts32(lanes), Wavefronts(first[0]));
      }
      EXPECT_EQ(warp_of([=](int t) { return Tile::StoreB(t, round); }), Wavefronts(first[1]));
    }
    for (int k = 0; k < Tile::kTileK; ++k) {
      for (const int half : {0, 4}) {
        EXPECT_EQ(warp_of([=](int t) { return Tile::LoadA(t, k, half); }), Wavefronts(first[2]));
        EXPECT_EQ(warp_of([=](int t) { return Tile::LoadB(t, k, half); }), Wavefronts(first[3]));
      }
    }
  }
}

TEST(TransposedTile, CostsTheSameForEveryWarpRoundAndK) {
  EveryAccessCostsWhatTheFirstDoes<TransposedTile<RowMajorLanes, 8, 0>>();
  EveryAccessCostsWhatTheFirstDoes<TransposedTile<RowMajorLanes, 8, 4>>();
  EveryAccessCostsWhatTheFirstDoes<TransposedTile<QuadrantLanes, 8, 0>>();
  EveryAccessCostsWhatTheFirstDoes<TransposedTile<ZOrderLanes, 8, 4>>();
  EveryAccessCostsWhatTheFirstDoes<TransposedTile<QuadrantLanes, 16, 0>>();
}

// Every element of both tiles is stored once, and every result of the block belongs to one thread.
template <class Tile>
void CoversBothTilesAndTheBlock() {
  std::set<int> a, b;
  std::set<std::pair<int, int>> c;
  for (int thread = 0; thread < Tile::kThreads; ++thread) {
    for (int round = 0; round < Tile::kRounds; ++round) {
      for (int i = 0; i < 4; ++i) {
        a.insert(Tile::StoreA(thread, round, i));
        b.insert(Tile::StoreB(thread, round) + i);
      }
    }
    for (int r = 0; r < Tile::kThreadM; ++r) {
      for (int column = 0; column < Tile::kThreadN; ++column) {
        c.emplace(Tile::Lanes::Row(thread) + Tile::Step(r), Tile::Lanes::Column(thread) + Tile::Step(column));
      }
    }
  }
  EXPECT_EQ(a.size(), std::size_t{Tile::kTileM * Tile::kTileK});
  EXPECT_LT(*a.rbegin(), Tile::kAFloats);
  EXPECT_EQ(b.size(), std::size_t{Tile::kTileK * Tile::kTileN});
  EXPECT_LT(*b.rbegin(), Tile::kBFloats);
  EXPECT_EQ(c.size(), std::size_t{Tile::kTileM * Tile::kTileN});
}

TEST(TransposedTile, IsStoredAndComputedOnceAndCompletely) {
  CoversBothTilesAndTheBlock<TransposedTile<RowMajorLanes, 8, 4>>();
  CoversBothTilesAndTheBlock<TransposedTile<QuadrantLanes, 16, 0>>();
  CoversBothTilesAndTheBlock<TransposedTile<ZOrderLanes, 8, 4>>();
}

// How often a warp executes each access per tile of the code that nvcc 13.0 makes for sm_90, and
// smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared of the run in tests/recorded, at M = N = K = 4096.
TEST(LadderAccesses, AddUpToTheWavefrontsThatAnH100Counts) {
  const struct {
    const char* stage;
    long long tiles, store_a, store_b, load_a, load_b, wavefronts;
  } measured[] = {{"sgemm_smem", 524288LL * 128, 1, 1, 8, 32, 3355443200},
                  {"sgemm_tile_2d_reg", 8192LL * 256, 8, 8, 128, 32, 1241513984},
                  {"sgemm_float4", 8192LL * 512, 4, 1, 16, 16, 721420288},
                  {"sgemm_zorder", 8192LL * 512, 4, 1, 16, 16, 301989888}};
  for (const auto& e : measured) {
    const auto cost = [&](const char* name) { return Wavefronts(Access(e.stage, name)); };
    EXPECT_EQ(e.tiles * (e.store_a * cost("store A") + e.store_b * cost("store B") + e.load_a * cost("load A") +
                         e.load_b * cost("load B")),
              e.wavefronts)
        << e.stage;
  }
}

// The published pair of counts beside "BM + 4", 50,331,648 for stores and (measured, so not quite exact) 402,657,486
// for loads, belongs to unpadded stores and to lanes split into quadrants.
TEST(LadderAccesses, ExplainThePublishedPairOfCounts) {
  const long long tiles = 8192LL * 512;
  const auto stores = [&](const char* stage) {
    return tiles * (4 * Wavefronts(Access(stage, "store A")) + Wavefronts(Access(stage, "store B")));
  };
  const auto loads = [&](const char* stage) {
    return tiles * 16 * (Wavefronts(Access(stage, "load A")) + Wavefronts(Access(stage, "load B")));
  };
  EXPECT_EQ(stores("sgemm_quadrants"), 50331648);
  EXPECT_EQ(loads("sgemm_quadrants"), 402653184);
  EXPECT_EQ(stores("sgemm_padded"), 33554432);
  EXPECT_EQ(loads("sgemm_padded"), 671088640);
}

}  // namespace
}  // namespace culprit
