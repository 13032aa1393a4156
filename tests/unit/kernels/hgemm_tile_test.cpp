// SPDX-License-Identifier: Apache-2.0
// Where the half-precision stages put their tiles: every chunk has a place of its own, and which layouts let 8 lanes
// reach all 32 banks at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/hgemm/block_tile.h"
#include "kernels/stage.h"
#include "tests/unit/kernels/changed_factors.h"

namespace culprit {
namespace {

constexpr int kWarps = kHgemmThreads / 32, kSteps = kHgemmTileK / kHgemmStepK, kBlocks16 = 4;  // of 64 rows or columns

// Wavefronts of 8 chunks that are wanted together, named by where they begin, in halves: how many of them fall on the
// same 4 banks.
int Wavefronts(const std::array<int, 8>& chunks) {
  std::array<int, 8> on_banks = {};
  for (const int first_half : chunks) ++on_banks[first_half / kChunkHalves % 8];
  return *std::ranges::max_element(on_banks);
}

// The most and the fewest wavefronts that any 8 neighbouring lanes of any warp need, over all rounds of a copy or steps
// of a multiplication: `at(thread)` is where the thread's chunk begins.
struct Range {
  int fewest = 8, most = 0;
  template <class At>
  void AddAllWarps(At at) {
    for (int thread = 0; thread < kHgemmThreads; thread += 8) {
      std::array<int, 8> chunks;
      for (int i = 0; i < 8; ++i) chunks[i] = at(thread + i);
      const int wavefronts = Wavefronts(chunks);
      fewest = std::min(fewest, wavefronts);
      most = std::max(most, wavefronts);
    }
  }
  bool operator==(const Range&) const = default;
};
constexpr Range kAlways1{1, 1}, kAlways2{2, 2}, kAlways4{4, 4}, kAlways8{8, 8};
void PrintTo(const Range& range, std::ostream* out) { *out << range.fewest << " to " << range.most; }

template <class Layout>
Range StoresOfA() {
  Range range;
  for (int round = 0; round < kACopyRounds; ++round)
    range.AddAllWarps([&](int t) { return Layout::A(ACopied(t, round).row, ACopied(t, round).chunk); });
  return range;
}

template <class Layout>
Range StoresOfB() {
  Range range;
  for (int round = 0; round < kBCopyRounds; ++round)
    range.AddAllWarps([&](int t) { return Layout::B(BCopied(t, round).row, BCopied(t, round).chunk); });
  return range;
}

template <class Layout>
Range LoadsOfA() {
  Range range;
  for (int step = 0; step < kSteps; ++step)
    for (int i = 0; i < kBlocks16; ++i)
      range.AddAllWarps([&](int t) { return Layout::A(ALoaded(t, i, step).row, ALoaded(t, i, step).chunk); });
  return range;
}

template <class Layout>
Range LoadsOfB() {
  Range range;
  for (int step = 0; step < kSteps; ++step)
    for (int j = 0; j < kBlocks16; ++j)
      range.AddAllWarps([&](int t) { return Layout::B(BLoaded(t, j, step).row, BLoaded(t, j, step).chunk); });
  return range;
}

TEST(RowMajorTiles, StoreWithoutConflictAndLoadWithConflicts) {
  EXPECT_EQ(StoresOfA<RowMajorTiles>(), kAlways1);
  EXPECT_EQ(StoresOfB<RowMajorTiles>(), kAlways1);
  EXPECT_EQ(LoadsOfA<RowMajorTiles>(), kAlways4);
  EXPECT_EQ(LoadsOfB<RowMajorTiles>(), kAlways8);
}

TEST(PaddedTiles, LoadWithoutConflictAndPayWhenStoringA) {
  EXPECT_EQ(StoresOfA<PaddedTiles>(), kAlways2);
  EXPECT_EQ(StoresOfB<PaddedTiles>(), kAlways1);
  EXPECT_EQ(LoadsOfA<PaddedTiles>(), kAlways1);
  EXPECT_EQ(LoadsOfB<PaddedTiles>(), kAlways1);
}

TEST(PermutedTiles, NeitherStoreNorLoadWithConflicts) {
  EXPECT_EQ(StoresOfA<PermutedTiles>(), kAlways1);
  EXPECT_EQ(StoresOfB<PermutedTiles>(), kAlways1);
  EXPECT_EQ(LoadsOfA<PermutedTiles>(), kAlways1);
  EXPECT_EQ(LoadsOfB<PermutedTiles>(), kAlways1);
}

TEST(PermutedTiles, KeepEveryChunkInItsRow) {
  for (int row = 0; row < kHgemmTileM; ++row) {
    std::set<int> places;
    for (int chunk = 0; chunk < kAChunks; ++chunk) places.insert(PermutedTiles::AChunk(row, chunk));
    EXPECT_EQ(places.size(), std::size_t{kAChunks}) << row;
    EXPECT_TRUE(*places.begin() == 0 && *places.rbegin() == kAChunks - 1) << row;
  }
  for (int row = 0; row < kHgemmTileK; ++row) {
    std::set<int> places;
    for (int chunk = 0; chunk < kBChunks; ++chunk) places.insert(PermutedTiles::BChunk(row, chunk));
    EXPECT_EQ(places.size(), std::size_t{kBChunks}) << row;
    EXPECT_TRUE(*places.begin() == 0 && *places.rbegin() == kBChunks - 1) << row;
  }
}

template <class Layout>
class Tiles : public ::testing::Test {};
using Layouts = ::testing::Types<RowMajorTiles, PaddedTiles, PermutedTiles>;
TYPED_TEST_SUITE(Tiles, Layouts);

// `first` holds where each chunk begins: none may reach into another or beyond the tile.
void ExpectApart(std::vector<int> first, int halves) {
  std::ranges::sort(first);
  for (std::size_t i = 1; i < first.size(); ++i) EXPECT_GE(first[i] - first[i - 1], kChunkHalves);
  EXPECT_GE(first.front(), 0);
  EXPECT_LE(first.back() + kChunkHalves, halves);
  for (const int half : first) EXPECT_EQ(half % kChunkHalves, 0) << "16-byte accesses want 16-byte addresses";
}

TYPED_TEST(Tiles, GiveEveryChunkAPlaceOfItsOwn) {
  std::vector<int> a, b;
  for (int row = 0; row < kHgemmTileM; ++row)
    for (int chunk = 0; chunk < kAChunks; ++chunk) a.push_back(TypeParam::A(row, chunk));
  for (int row = 0; row < kHgemmTileK; ++row)
    for (int chunk = 0; chunk < kBChunks; ++chunk) b.push_back(TypeParam::B(row, chunk));
  ExpectApart(a, kHgemmTileM * TypeParam::kARow);
  ExpectApart(b, kHgemmTileK * TypeParam::kBRow);
}

TEST(Copy, MovesEveryChunkOnce) {
  std::set<std::pair<int, int>> a, b;
  for (int thread = 0; thread < kHgemmThreads; ++thread) {
    for (int round = 0; round < kACopyRounds; ++round)
      a.emplace(ACopied(thread, round).row, ACopied(thread, round).chunk);
    for (int round = 0; round < kBCopyRounds; ++round)
      b.emplace(BCopied(thread, round).row, BCopied(thread, round).chunk);
  }
  EXPECT_EQ(a.size(), std::size_t{kHgemmTileM * kAChunks});
  EXPECT_EQ(*a.rbegin(), (std::pair{kHgemmTileM - 1, kAChunks - 1}));
  EXPECT_EQ(b.size(), std::size_t{kHgemmTileK * kBChunks});
  EXPECT_EQ(*b.rbegin(), (std::pair{kHgemmTileK - 1, kBChunks - 1}));
}

TEST(Warps, ShareTheTileOfC) {
  std::set<std::pair<int, int>> corners;
  for (int warp = 0; warp < kWarps; ++warp) corners.emplace(WarpRow(32 * warp), WarpColumn(32 * warp));
  EXPECT_EQ(corners.size(), std::size_t{kWarps});
  for (const auto& [row, column] : corners) {
    EXPECT_TRUE(row % kHgemmWarpM == 0 && row < kHgemmTileM) << row;
    EXPECT_TRUE(column % kHgemmWarpN == 0 && column < kHgemmTileN) << column;
  }
}

// PTX ISA: register r of lane l holds, of matrix r of ldmatrix, elements 2 (l % 4) and the next of row l / 4; and
// mma.m16n8k16 wants in register r of A row l / 4 (+ 8 for odd r), columns 2 (l % 4) and the next (+ 8 for r >= 2).
TEST(LoadedFragments, OfAAreWhatTheMultiplicationWants) {
  for (int thread = 0; thread < kHgemmThreads; ++thread) {
    const int lane = thread % 32, first = thread - lane;
    for (int step = 0; step < kSteps; ++step)
      for (int i = 0; i < kBlocks16; ++i)
        for (int r = 0; r < 4; ++r) {
          const TileChunk named = ALoaded(first + 8 * r + lane / 4, i, step);
          EXPECT_EQ(named.row, WarpRow(thread) + 16 * i + lane / 4 + 8 * (r % 2));
          EXPECT_EQ(named.chunk * kChunkHalves + 2 * (lane % 4), 16 * step + 2 * (lane % 4) + 8 * (r / 2));
        }
  }
}

// With .trans: column l / 4 of rows 2 (l % 4) and the next. The multiplication wants in register r of B rows
// 2 (l % 4) and the next (+ 8 for r = 1) of column l / 4; registers 2 and 3 are those of the next 8 columns.
TEST(LoadedFragments, OfBAreWhatTheMultiplicationWants) {
  for (int thread = 0; thread < kHgemmThreads; ++thread) {
    const int lane = thread % 32, first = thread - lane;
    for (int step = 0; step < kSteps; ++step)
      for (int j = 0; j < kBlocks16; ++j)
        for (int r = 0; r < 4; ++r)
          for (int element = 0; element < 2; ++element) {
            const TileChunk named = BLoaded(first + 8 * r + 2 * (lane % 4) + element, j, step);
            EXPECT_EQ(named.row, 16 * step + 2 * (lane % 4) + element + 8 * (r % 2));
            EXPECT_EQ(named.chunk * kChunkHalves + lane / 4, WarpColumn(thread) + 16 * j + 8 * (r / 2) + lane / 4);
          }
  }
}

// Of a whole warp, as Stage::shared_accesses states it.
int Wavefronts(const SharedAccess& access) {
  int total = 0;
  for (int lane = 0; lane < kWarpLanes; lane += 8) {
    std::array<int, 8> chunks;
    for (int i = 0; i < 8; ++i) chunks[i] = static_cast<int>(access.address[lane + i] / 2);
    total += Wavefronts(chunks);
  }
  return total;
}

TEST(HgemmStages, StateTheWavefrontsThatTheirLayoutsNeed) {
  using Named = std::vector<std::pair<std::string, int>>;
  const auto stated = [](const char* id) {
    Named wavefronts;
    for (const SharedAccess& access : FindStage(id)->shared_accesses) {
      EXPECT_EQ(access.lane_bytes, 16) << id;
      wavefronts.emplace_back(access.name, Wavefronts(access));
    }
    return wavefronts;
  };
  EXPECT_EQ(stated("hgemm_wmma"), (Named{{"store A", 4}, {"store B", 4}, {"ldmatrix A", 16}, {"ldmatrix B", 32}}));
  EXPECT_EQ(stated("hgemm_wmma_padded"), (Named{{"store A", 8}, {"store B", 4}, {"ldmatrix A", 4}, {"ldmatrix B", 4}}));
  EXPECT_EQ(stated("hgemm_mma"), (Named{{"store A", 4}, {"store B", 4}, {"ldmatrix A", 16}, {"ldmatrix B", 32}}));
  EXPECT_EQ(stated("hgemm_mma_swizzle"), (Named{{"store A", 4}, {"store B", 4}, {"ldmatrix A", 4}, {"ldmatrix B", 4}}));
}

TEST(HgemmStages, ChangeOneFactorAStep) {
  const struct {
    const char *id, *parent, *factor;
  } edges[] = {{"hgemm_wmma_padded", "hgemm_wmma", "smem padding"},
               {"hgemm_mma", "hgemm_wmma", "matrix API"},
               {"hgemm_mma_swizzle", "hgemm_mma", "smem permutation"}};
  for (const auto& edge : edges) {
    EXPECT_EQ(FindStage(edge.id)->parent, edge.parent) << edge.id;
    EXPECT_THAT(ChangedFactors(edge.id), ::testing::ElementsAre(edge.factor)) << edge.id;
  }
}

TEST(HgemmStages, TouchSharedMemoryAlikeThroughBothMatrixApis) {
  EXPECT_EQ(FindStage("hgemm_mma")->shared_accesses, FindStage("hgemm_wmma")->shared_accesses);
  EXPECT_NE(FindStage("hgemm_mma_swizzle")->shared_accesses, FindStage("hgemm_mma")->shared_accesses);
}

}  // namespace
}  // namespace culprit
