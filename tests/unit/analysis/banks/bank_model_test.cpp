// SPDX-License-Identifier: Apache-2.0
#include "analysis/banks/bank_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "db/error.h"
#include "kernels/sgemm/lane_map.h"
#include "tests/support/warp_access.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using testing::Load;
using ::testing::Pair;
using testing::Store;
using ::testing::ThrowsMessage;
using testing::WarpAccess;

// {wavefronts, ideal} as the SASS metric counts
std::pair<int, int> Cost(const SharedAccess& access) {
  const BankCost cost = Model(access);
  return {cost.sass_wavefronts, cost.ideal};
}

TEST(BankModel, AsksEachBankOncePerWordFor32Bits) {
  EXPECT_THAT(Cost(Load(4, [](int lane) { return lane * 4; })), Pair(1, 1));
  EXPECT_THAT(Cost(Load(4, [](int lane) { return lane * 8; })), Pair(2, 1));
  EXPECT_THAT(Cost(Load(4, [](int lane) { return lane * 12; })), Pair(1, 1)) << "3 and 32 have no common divisor";
  EXPECT_THAT(Cost(Load(4, [](int lane) { return lane * 128; })), Pair(32, 1));
  EXPECT_THAT(Cost(Load(4, [](int lane) { return lane * 132; })), Pair(1, 1));
}

TEST(BankModel, BroadcastsAWordToAllLanesThatWantIt) {
  EXPECT_THAT(Cost(Load(4, [](int) { return 64; })), Pair(1, 1));
  EXPECT_THAT(Cost(Load(4, [](int lane) { return lane % 4 * 128; })), Pair(4, 1));
}

TEST(BankModel, ServesHalfWarpsOneByOneFor64Bits) {
  EXPECT_THAT(Cost(Load(8, [](int lane) { return lane * 8; })), Pair(2, 2));
  EXPECT_THAT(Cost(Load(8, [](int lane) { return lane * 16; })), Pair(4, 2));
  EXPECT_THAT(Cost(Load(8, [](int lane) { return lane % 16 * 8; })), Pair(2, 2)) << "equal halves do not pair up";
}

TEST(BankModel, ServesAWarpWhoseLanesPairUpAtOnceFor64Bits) {
  EXPECT_THAT(Cost(Load(8, [](int lane) { return lane / 2 * 8; })), Pair(1, 1));
  EXPECT_THAT(Cost(Load(8, [](int lane) { return ((lane & 1) | lane >> 2 << 1) * 8; })), Pair(1, 1));
  EXPECT_THAT(Cost(Load(8, [](int lane) { return lane / 2 * 16; })), Pair(2, 2)) << "one wavefront cannot serve it";
}

TEST(BankModel, ServesQuarterWarpsOneByOneFor128Bits) {
  EXPECT_THAT(Cost(Load(16, [](int lane) { return lane * 16; })), Pair(4, 4));
  EXPECT_THAT(Cost(Load(16, [](int lane) { return lane * 32; })), Pair(8, 4));
  EXPECT_THAT(Cost(Store(16, [](int lane) { return lane * 16; })), Pair(4, 4));
}

TEST(BankModel, ServesAHalfWarpWhoseLanesPairUpAtOnceFor128Bits) {
  EXPECT_THAT(Cost(Load(16, [](int lane) { return lane / 2 * 16; })), Pair(2, 2));
  EXPECT_THAT(Cost(Load(16, [](int lane) { return ((lane & 1) | lane >> 2 << 1) * 16; })), Pair(2, 2));
  EXPECT_THAT(Cost(Load(16, [](int) { return 0; })), Pair(2, 2)) << "the halves stay apart";
  EXPECT_THAT(Cost(Load(16, [](int lane) { return lane < 16 ? lane / 2 * 16 : lane * 16; })), Pair(3, 3))
      << "each half decides for itself";
}

TEST(BankModel, MergesNoStores) {
  EXPECT_THAT(Cost(Store(8, [](int lane) { return lane / 2 * 8; })), Pair(2, 2));
  EXPECT_THAT(Cost(Store(8, [](int) { return 0; })), Pair(2, 2));
  EXPECT_THAT(Cost(Store(16, [](int lane) { return lane / 2 * 16; })), Pair(4, 4));
  EXPECT_EQ(Model(Store(16, [](int) { return 0; })).wavefronts, 4);
}

TEST(BankModel, CountsAsPatchedCodeDoesWhereTheHardwareSeesTheWholeWarp) {
  const auto half = Load(16, [](int lane) { return lane < 16 ? lane / 2 * 16 : lane * 16; });
  EXPECT_EQ(Model(half).sass_wavefronts, 3) << "each half decides for itself";
  EXPECT_EQ(Model(half).wavefronts, 4) << "one half that does not pair up keeps the other from it";
  const auto in_one_bank = Load(8, [](int lane) { return lane % 2 * 128; });
  EXPECT_EQ(Model(in_one_bank).sass_wavefronts, 4) << "two words of a bank: the half warps are counted apart";
  EXPECT_EQ(Model(in_one_bank).wavefronts, 2) << "but both are served together";
  const auto plain = Load(16, [](int lane) { return lane * 32; });
  EXPECT_EQ(Model(plain).wavefronts, 8);
  EXPECT_EQ(Model(plain).sass_wavefronts, 8);
}

TEST(BankModel, CallsIdealWhatTheBytesOfTheActiveLanesFill) {
  const auto only = [](auto active) {
    return Store(16, [active](int lane) { return active(lane) ? lane * 16 : kInactiveLane; });
  };
  EXPECT_THAT(Cost(only([](int lane) { return lane % 8 == 0; })), Pair(4, 1)) << "64 bytes, in four quarters";
  EXPECT_THAT(Cost(only([](int lane) { return lane % 2 == 0; })), Pair(4, 2));
  EXPECT_THAT(Cost(only([](int lane) { return lane != 0; })), Pair(4, 4));
}

TEST(BankModel, LetsInactiveLanesCostNothing) {
  EXPECT_THAT(Cost(Load(4, [](int lane) { return lane < 2 ? lane * 128 : kInactiveLane; })), Pair(2, 1));
  EXPECT_THAT(Cost(Load(8, [](int lane) { return lane < 16 ? lane * 8 : kInactiveLane; })), Pair(1, 1));
  EXPECT_THAT(Cost(Load(16, [](int lane) { return lane < 8 ? lane * 16 : kInactiveLane; })), Pair(1, 1));
}

TEST(BankModel, ServesTheEightRowsOfAMatrixTogether) {
  const auto rows = [](SharedOp op, int bytes) {
    return WarpAccess(op, 16, [bytes](int lane) { return lane * bytes; });
  };
  EXPECT_THAT(Cost(rows(SharedOp::kLoadMatrix, 16)), Pair(4, 4));
  EXPECT_THAT(Cost(rows(SharedOp::kLoadMatrix, 64)), Pair(16, 4));
  EXPECT_THAT(Cost(rows(SharedOp::kLoadMatrix, 80)), Pair(4, 4)) << "padded by 16 bytes";
  EXPECT_THAT(Cost(rows(SharedOp::kStoreMatrix, 64)), Pair(16, 4));
  EXPECT_THAT(Cost(WarpAccess(SharedOp::kLoadMatrix, 16, [](int l) { return l < 8 ? l * 16 : kInactiveLane; })),
              Pair(1, 1));
  EXPECT_THAT(Cost(WarpAccess(SharedOp::kLoadMatrix, 16, [](int l) { return l < 16 ? l * 16 : kInactiveLane; })),
              Pair(2, 2));
}

TEST(BankModel, SaysWhichWavefrontServesALane) {
  const BankCost two_rows = Model(Load(4, [](int lane) { return lane < 30 ? lane / 15 * 128 : kInactiveLane; }));
  EXPECT_EQ(two_rows.wavefront_of_lane[0], 0);
  EXPECT_EQ(two_rows.wavefront_of_lane[14], 0);
  EXPECT_EQ(two_rows.wavefront_of_lane[15], 1);
  EXPECT_EQ(two_rows.wavefront_of_lane[31], -1);
  EXPECT_EQ(two_rows.group_of_lane[15], 0);
  const BankCost quarters = Model(Load(16, [](int lane) { return lane * 32; }));
  EXPECT_EQ(quarters.group_of_lane[31], 3);
  EXPECT_EQ(quarters.wavefront_of_lane[27], 6);
  EXPECT_EQ(quarters.wavefront_of_lane[28], 7);
}

// seeds/004: rows of 32 halves, padded by 8; m16n8k8 gives lane L the halves 2 * (L % 4) and its neighbour of row L
// / 4.
TEST(BankModel, ReproducesTheTableOfThePaddedHalfTile) {
  struct Line {
    int lanes, total_bank, inner_bank;
  };
  const std::vector<Line> table = {{0, 0, 0},    {4, 20, 20},  {8, 40, 8},    {12, 60, 28},
                                   {16, 80, 16}, {20, 100, 4}, {24, 120, 24}, {28, 140, 12}};
  const auto fragment = [](int row_halves) {
    return Load(4, [row_halves](int lane) { return (lane / 4 * row_halves + lane % 4 * 2) * 2; });
  };
  const SharedAccess padded = fragment(32 + 8), unpadded = fragment(32);
  for (const Line& line : table) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(padded.address[line.lanes + i] / kBankBytes, line.total_bank + i);
      EXPECT_EQ(BankOf(padded.address[line.lanes + i]), line.inner_bank + i);
      // Without the pad a row has 16 banks, so that every other row comes back to the same ones.
      EXPECT_EQ(BankOf(unpadded.address[line.lanes + i]), line.lanes / 4 % 2 * 16 + i);
    }
  }
  EXPECT_THAT(Cost(padded), Pair(1, 1));
  EXPECT_THAT(Cost(unpadded), Pair(4, 1));
  // The store by whole rows that fill 64 of 80 bytes is the price: free without the pad.
  const auto store = [](int row_bytes) {
    return Store(16, [row_bytes](int lane) { return lane / 4 * row_bytes + lane % 4 * 16; });
  };
  EXPECT_THAT(Cost(store(64)), Pair(4, 4));
  EXPECT_GT(Model(store(80)).excess(), 0);
}

// seeds/000: which lanes read at which bank, for the two LDS.128 of each of B and A.
TEST(BankModel, ReproducesTheTablesOfTheZOrder) {
  struct Column {
    int bank;
    std::vector<int> lanes;
  };
  const std::vector<Column> b = {{0, {0, 2, 4, 6, 16, 18, 20, 22}},
                                 {8, {1, 3, 5, 7, 17, 19, 21, 23}},
                                 {16, {8, 10, 12, 14, 24, 26, 28, 30}},
                                 {24, {9, 11, 13, 15, 25, 27, 29, 31}}};
  const std::vector<Column> a = {{0, {0, 1, 8, 9, 16, 17, 24, 25}},
                                 {8, {2, 3, 10, 11, 18, 19, 26, 27}},
                                 {16, {4, 5, 12, 13, 20, 21, 28, 29}},
                                 {24, {6, 7, 14, 15, 22, 23, 30, 31}}};
  for (const int second : {0, 1}) {
    const auto load_b = Load(16, [&](int lane) { return ZOrderColumn(lane) * 32 + second * 16; });
    const auto load_a = Load(16, [&](int lane) { return ZOrderRow(lane) * 32 + second * 16; });
    for (const auto& [columns, load] : {std::pair(b, load_b), std::pair(a, load_a)}) {
      for (const Column& column : columns)
        for (const int lane : column.lanes) EXPECT_EQ(BankOf(load.address[lane]), column.bank + second * 4) << lane;
      EXPECT_THAT(Cost(load), Pair(2, 2));
    }
  }
}

// Totals of smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared and its _ideal on an H100 at M = N = K = 2048, as recorded.
// The tiles are 128x128x8 and a block has 8 warps, unless said otherwise.
struct Term {
  int times;  // per warp and tile
  SharedAccess access;
};

std::pair<long long, long long> Total(long long warps_times_tiles, const std::vector<Term>& terms) {
  long long wavefronts = 0, ideal = 0;
  for (const Term& term : terms) {
    const BankCost cost = Model(term.access);
    wavefronts += warps_times_tiles * term.times * cost.sass_wavefronts;
    ideal += warps_times_tiles * term.times * cost.ideal;
  }
  return {wavefronts, ideal};
}

constexpr long long kWarpTiles = 2048 / 128 * (2048 / 128) * 8LL * (2048 / 8);

SharedAccess StoreOfTransposedA(int row_floats) {
  return Store(4, [row_floats](int lane) { return (lane * 4 % 8 * row_floats + lane / 2) * 4; });
}

const SharedAccess kRowOfB = Load(16, [](int lane) { return lane % 16 * 32; });
const SharedAccess kDenseStore = Store(4, [](int lane) { return lane * 4; });
const SharedAccess kDenseStore16 = Store(16, [](int lane) { return lane * 16; });

TEST(BankModel, AgreesWithTheRecordedTotalsOfFloat4) {
  const SharedAccess a = Load(16, [](int lane) { return lane / 16 * 32; });
  EXPECT_THAT(Total(kWarpTiles, {{4, StoreOfTransposedA(128)}, {1, kDenseStore16}, {16, a}, {16, kRowOfB}}),
              Pair(90'177'536, 54'525'952));
}

TEST(BankModel, AgreesWithTheRecordedTotalsOfZOrder) {
  const SharedAccess a = Load(16, [](int lane) { return ZOrderRow(lane) * 32; });
  const SharedAccess b = Load(16, [](int lane) { return ZOrderColumn(lane) * 32; });
  EXPECT_THAT(Total(kWarpTiles, {{4, StoreOfTransposedA(132)}, {1, kDenseStore16}, {16, a}, {16, b}}),
              Pair(37'748'736, 37'748'736));
}

TEST(BankModel, AgreesWithTheRecordedTotalsOfTheVStudy) {
  // v1_6 reads A's rows of 8 floats by 128 bits, v1_7 float by float: two rows 64 apart in one bank.
  const auto a = [](int bytes) { return Load(bytes, [](int lane) { return lane / 16 * 64 * 4; }); };
  EXPECT_THAT(Total(kWarpTiles, {{8, kDenseStore}, {16, a(16)}, {16, kRowOfB}}), Pair(88'080'384, 54'525'952));
  EXPECT_THAT(Total(kWarpTiles, {{8, kDenseStore}, {64, a(4)}, {16, kRowOfB}}), Pair(138'412'032, 71'303'168));
}

TEST(BankModel, AgreesWithTheRecordedTotalsOfTheSquareTile) {
  // 32x32 tiles, 32 warps; A is broadcast by 128 bits, 4 values of k at once.
  const long long warp_tiles = 2048 / 32 * (2048 / 32) * 32LL * (2048 / 32);
  const SharedAccess a = Load(16, [](int) { return 0; }), b = Load(4, [](int lane) { return lane * 4; });
  EXPECT_THAT(Total(warp_tiles, {{2, kDenseStore}, {8, a}, {32, b}}), Pair(419'430'400, 419'430'400));
}

void ExpectRefused(const SharedAccess& access, const char* why) {
  EXPECT_THAT([&] { Model(access); }, ThrowsMessage<Error>(HasSubstr(why)));
}

TEST(BankModel, RefusesWhatTheHardwareCouldNotDo) {
  ExpectRefused(Load(16, [](int lane) { return lane * 8; }), "lane 1 has the address 8, which is not a multiple");
  ExpectRefused(Load(4, [](int lane) { return lane * 4 - 8; }), "lane 0 has the address -8");
  ExpectRefused(Load(4, [](int lane) { return lane * 400'000; }), "lane 1 has the address 400000, but no SM has more");
  ExpectRefused(Load(4, [](int) { return 9223372036854775804; }), "lane 0 has the address 9223372036854775804, but no");
  ExpectRefused(Load(2, [](int lane) { return lane * 2; }), "4, 8 or 16 bytes, not 2");
  ExpectRefused(Load(4, [](int) { return kInactiveLane; }), "no lane is active");
  ExpectRefused(WarpAccess(SharedOp::kLoadMatrix, 8, [](int lane) { return lane * 8; }), "16 bytes, not 8");
  const auto twelve = [](int lane) { return lane < 12 ? lane * 16 : kInactiveLane; };
  ExpectRefused(WarpAccess(SharedOp::kLoadMatrix, 16, twelve), "12 lanes up to lane 11 name rows");
  const auto late = [](int lane) { return lane >= 24 ? lane * 16 : kInactiveLane; };
  ExpectRefused(WarpAccess(SharedOp::kLoadMatrix, 16, late), "8 lanes up to lane 31 name rows");
}

}  // namespace
}  // namespace culprit
