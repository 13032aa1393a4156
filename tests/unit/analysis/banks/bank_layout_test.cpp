// SPDX-License-Identifier: Apache-2.0
#include "analysis/banks/bank_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "db/error.h"
#include "tests/support/warp_access.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using testing::Load;
using testing::Store;
using ::testing::ThrowsMessage;
using testing::WarpAccess;

SharedAccess WithRows(int row_bytes, SharedAccess access) {
  access.row_bytes = row_bytes;
  return access;
}

// One 8x8 matrix after the other down a tile of rows of 32 halves.
SharedAccess HalfTileLdmatrix() {
  return WithRows(64, WarpAccess(SharedOp::kLoadMatrix, 16, [](int lane) { return lane * 64; }));
}
// A warp stores 8 whole rows of it.
SharedAccess HalfTileStore() {
  return WithRows(64, Store(16, [](int lane) { return lane * 16; }));
}

TEST(BankLayout, PadsTheHalfTileByEightHalvesAsIsCustom) {
  const SharedAccess access = HalfTileLdmatrix();
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_EQ(proposals.now.conflicts(), 12);
  ASSERT_TRUE(proposals.padding);
  EXPECT_EQ(proposals.padding->padding.bytes, 16);
  EXPECT_EQ(proposals.padding->cost.conflicts(), 0);
}

TEST(BankLayout, SaysThatNoPaddingFreesBothTheStoreAndTheLoadOfTheHalfTile) {
  const SharedAccess accesses[] = {HalfTileStore(), HalfTileLdmatrix()};
  const LayoutProposals proposals = ProposeLayouts(accesses);
  ASSERT_TRUE(proposals.padding);
  EXPECT_GT(proposals.padding->cost.conflicts(), 0) << "the price that the padded kernel pays";
  EXPECT_LT(proposals.padding->cost.conflicts(), proposals.now.conflicts());
  ASSERT_TRUE(proposals.swizzle);
  EXPECT_EQ(proposals.swizzle->cost.conflicts(), 0) << "a permutation frees both";
}

// CUTLASS' layout for such tiles is Swizzle<2, 3, 3> on halves.
TEST(BankLayout, FindsTheSwizzleThatLibrariesUseForTheHalfTile) {
  const SharedAccess accesses[] = {HalfTileStore(), HalfTileLdmatrix()};
  const auto swizzled = ProposeLayouts(accesses).swizzle;
  ASSERT_TRUE(swizzled);
  EXPECT_EQ(swizzled->swizzle, (Swizzle{2, 4, 3}));
  EXPECT_EQ(swizzled->moved_conflicts, 0);
  EXPECT_EQ(swizzled->swizzle.Expression(), "offset ^ (offset >> 3 & 0x30)");
  EXPECT_EQ(swizzled->swizzle.Name(), "Swizzle<2, 4, 3>");
}

// seeds/000: BM + 4 floats; the float4 loads of the same array must stay aligned and free.
TEST(BankLayout, PadsTheTransposedTileByFourFloatsBecauseItsLoadsAreThatWide) {
  const SharedAccess accesses[] = {WithRows(512, Store(4, [](int lane) { return lane * 4 % 8 * 512 + lane / 2 * 4; })),
                                   WithRows(512, Load(16, [](int lane) { return lane / 16 * 32; }))};
  const LayoutProposals proposals = ProposeLayouts(accesses);
  ASSERT_TRUE(proposals.padding);
  EXPECT_EQ(proposals.padding->padding.bytes, 16);
  EXPECT_EQ(proposals.padding->cost.conflicts(), 0);
  ASSERT_TRUE(proposals.swizzle);
  EXPECT_EQ(proposals.swizzle->cost.conflicts(), 0);
  EXPECT_GE(proposals.swizzle->swizzle.base, 4) << "chunks of 16 bytes stay whole";
}

TEST(BankLayout, PadsAColumnOfFloatsByOneFloat) {
  const SharedAccess access = WithRows(128, Load(4, [](int lane) { return lane * 128; }));
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_EQ(proposals.now.conflicts(), 31);
  EXPECT_EQ(proposals.padding->padding.bytes, 4);
  EXPECT_EQ(proposals.swizzle->swizzle, (Swizzle{5, 2, 5}));
}

// The padded kernel of seeds/004: its padding burdens the store, and no other padding or swizzle of padded rows helps.
TEST(BankLayout, TakesAPaddingAwayWhereThatAndASwizzleFreeBoth) {
  const SharedAccess accesses[] = {
      WithRows(80, Store(16, [](int lane) { return lane / 4 * 80 + lane % 4 * 16; })),
      WithRows(80, WarpAccess(SharedOp::kLoadMatrix, 16, [](int lane) { return lane % 16 * 80 + lane / 16 * 16; }))};
  const LayoutProposals proposals = ProposeLayouts(accesses);
  EXPECT_EQ(proposals.data_bytes, 64);
  EXPECT_GT(proposals.now.conflicts(), 0);
  ASSERT_TRUE(proposals.swizzle);
  EXPECT_EQ(proposals.swizzle->row_bytes, 64);
  EXPECT_EQ(proposals.swizzle->cost.conflicts(), 0);
  EXPECT_EQ(proposals.swizzle->swizzle, (Swizzle{2, 4, 3}));
}

TEST(BankLayout, KnowsNoDataWidthWhereOtherWarpsMayTakeTheRest) {
  const SharedAccess half = WithRows(128, Store(16, [](int lane) { return lane / 4 * 128 + lane % 4 * 16; }));
  EXPECT_EQ(DataBytes({&half, 1}), std::nullopt) << "the other half of each row may be another warp's";
  const SharedAccess one_row = WithRows(528, Store(16, [](int lane) { return lane * 16; }));
  EXPECT_EQ(DataBytes({&one_row, 1}), std::nullopt) << "a single row does not show where it ends";
}

TEST(BankLayout, RanksLayoutsByHowOftenAccessesAreExecuted) {
  // No padding frees both: the store wants none, the load wants rows 16 bytes longer.
  const SharedAccess accesses[] = {HalfTileStore(), HalfTileLdmatrix()};
  const double mostly_stores[] = {1000, 1}, mostly_loads[] = {1, 1000};
  EXPECT_FALSE(ProposeLayouts(accesses, mostly_stores).padding);
  EXPECT_TRUE(ProposeLayouts(accesses, mostly_loads).padding);
}

TEST(BankLayout, ProposesNothingWithoutAConflict) {
  const SharedAccess access = HalfTileStore();
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_EQ(proposals.now.conflicts(), 0);
  EXPECT_FALSE(proposals.padding);
  EXPECT_FALSE(proposals.swizzle);
}

// Pairs of lanes share 16 bytes, so a half warp could be one wavefront; a gap between the pairs makes it two. The
// counters see no excess, since 512 bytes would fill 4 wavefronts.
TEST(BankLayout, MakesOneWavefrontOfAHalfWarpThatCouldBeOne) {
  const SharedAccess access = WithRows(128, Load(16, [](int lane) { return lane / 2 * 32; }));
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_EQ(proposals.now.wavefronts(), 4);
  EXPECT_EQ(proposals.now.accesses[0].excess(), 0);
  EXPECT_EQ(proposals.now.conflicts(), 2);
  ASSERT_TRUE(proposals.padding);
  EXPECT_EQ(proposals.padding->cost.wavefronts(), 2);
  ASSERT_TRUE(proposals.swizzle);
  EXPECT_EQ(proposals.swizzle->cost.wavefronts(), 2);
}

TEST(BankLayout, KnowsThatLanesInDifferentQuartersNeedTheirOwnWavefronts) {
  const SharedAccess access =
      WithRows(128, Store(16, [](int lane) { return lane % 8 == 0 ? lane * 16 : kInactiveLane; }));
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_EQ(proposals.now.accesses[0].excess(), 3);
  EXPECT_EQ(proposals.now.conflicts(), 0) << "nothing that a layout could change";
  EXPECT_FALSE(proposals.padding);
}

TEST(BankLayout, ProposesNoPaddingThatDoesNotHelp) {
  // All within one row: moving rows apart moves nothing.
  const SharedAccess access = WithRows(4096, Load(4, [](int lane) { return lane * 128; }));
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_FALSE(proposals.padding);
  EXPECT_TRUE(proposals.swizzle);
}

TEST(BankLayout, ProposesNoPaddingWithoutRows) {
  const SharedAccess access = WithRows(0, Load(4, [](int lane) { return lane * 128; }));
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_FALSE(proposals.padding);
  ASSERT_TRUE(proposals.swizzle);
  EXPECT_FALSE(proposals.swizzle->moved_conflicts) << "rows down of what";
}

TEST(BankLayout, RefusesAccessesThatDisagreeOnTheRow) {
  const SharedAccess accesses[] = {HalfTileStore(), WithRows(128, HalfTileLdmatrix())};
  EXPECT_THAT([&] { ProposeLayouts(accesses); }, ThrowsMessage<Error>(HasSubstr("must agree")));
}

TEST(BankLayout, RefusesRowsThatWouldBreakTheAlignment) {
  const SharedAccess access = WithRows(36, Load(16, [](int lane) { return lane * 16; }));
  EXPECT_THAT([&] { ProposeLayouts({&access, 1}); }, ThrowsMessage<Error>(HasSubstr("give a multiple of 16")));
}

// Rows of 16 bytes that grow to 128 take eight times the memory.
TEST(BankLayout, ProposesNothingThatAnSmHasNoMemoryFor) {
  const SharedAccess access = WithRows(16, Load(16, [](int lane) { return lane * 1024; }));
  const LayoutProposals proposals = ProposeLayouts({&access, 1});
  EXPECT_GT(proposals.now.conflicts(), 0);
  if (proposals.padding) {
    const auto padded = Apply(proposals.padding->padding, {&access, 1});
    EXPECT_LE(padded.front().address.back() + 16, kMostSharedBytes);
  }
}

TEST(BankLayout, TriesRowsFurtherDownOnlyWhereAnSmHasMemory) {
  const auto at = [](std::int64_t first) {
    return WithRows(1024, Load(4, [&](int lane) { return first + lane * 1024; }));
  };
  const SharedAccess top = at(0), middle = at(kMostSharedBytes - 40 * 1024), bottom = at(kMostSharedBytes - 32 * 1024);
  EXPECT_EQ(ProposeLayouts({&top, 1}).swizzle->moved_conflicts, 0);
  EXPECT_EQ(ProposeLayouts({&middle, 1}).swizzle->moved_conflicts, 0);
  EXPECT_EQ(ProposeLayouts({&bottom, 1}).swizzle->moved_conflicts, std::nullopt) << "there is no row below";
}

TEST(BankLayout, RefusesRowsThatNoSmHasMemoryFor) {
  const SharedAccess access = WithRows(2147483632, Load(16, [](int lane) { return lane * 16; }));
  EXPECT_THAT([&] { ProposeLayouts({&access, 1}); }, ThrowsMessage<Error>(HasSubstr("longer than the shared memory")));
}

Swizzle AnySwizzle(int lowest = 2) {
  const int base = *rc::gen::inRange(lowest, 7), bits = *rc::gen::inRange(1, 8 - base);
  return {bits, base, *rc::gen::inRange(bits, 12)};
}

RC_GTEST_PROP(SwizzleProperty, IsItsOwnInverseKeepsAlignmentAndStaysInItsBlock, ()) {
  const Swizzle swizzle = AnySwizzle();
  const std::int64_t address = *rc::gen::inRange<std::int64_t>(0, 1 << 20), to = swizzle.Apply(address);
  RC_ASSERT(swizzle.Apply(to) == address);
  RC_ASSERT(to % (1 << swizzle.base) == address % (1 << swizzle.base));
  RC_ASSERT(to / swizzle.Block() == address / swizzle.Block());
}

RC_GTEST_PROP(SwizzleProperty, PermutesAnArrayOfWholeBlocks, ()) {
  const Swizzle swizzle = AnySwizzle();
  const std::int64_t bytes = swizzle.Block() * *rc::gen::inRange(1, 100);
  std::set<std::int64_t> places;
  for (std::int64_t address = 0; address < bytes; ++address) places.insert(swizzle.Apply(address));
  RC_ASSERT(places.size() == static_cast<std::size_t>(bytes));
  RC_ASSERT(*places.rbegin() == bytes - 1);
}

RC_GTEST_PROP(PaddingProperty, KeepsEveryByteApartAndInItsRow, ()) {
  const Padding padding{*rc::gen::inRange(1, 300), *rc::gen::inRange(1, 128)};
  const std::int64_t address = *rc::gen::inRange<std::int64_t>(0, 10000), to = padding.Apply(address);
  const int row_bytes = padding.row_bytes + padding.bytes;
  RC_ASSERT(to / row_bytes == address / padding.row_bytes);
  RC_ASSERT(to % row_bytes == address % padding.row_bytes);
}

// Whatever the accesses: what is printed was seen by the model on the moved addresses, and is an improvement.
RC_GTEST_PROP(BankLayoutProperty, ProposesOnlyWhatTheModelConfirms, ()) {
  const int row_bytes = 16 * *rc::gen::inRange(1, 40), step = 16 * *rc::gen::inRange(1, 80);
  std::vector<SharedAccess> accesses = {WithRows(row_bytes, Load(16, [&](int lane) { return lane * step; })),
                                        WithRows(row_bytes, Store(4, [&](int lane) { return lane % 7 * row_bytes; }))};
  const LayoutProposals proposals = ProposeLayouts(accesses);
  RC_ASSERT(proposals.now.conflicts() >= 0);
  for (const auto& moved : {Apply(AnySwizzle(4), accesses), Apply(Padding{row_bytes, 16}, accesses)})
    for (std::size_t i = 0; i < moved.size(); ++i) RC_ASSERT(Model(moved[i]).least == proposals.now.accesses[i].least);
  if (proposals.padding) {
    const std::vector<SharedAccess> padded = Apply(proposals.padding->padding, accesses);
    RC_ASSERT(std::ranges::all_of(padded, FitsAnSm));
    const LayoutCost again = ModelAll(padded);
    RC_ASSERT(again.conflicts() == proposals.padding->cost.conflicts());
    RC_ASSERT(again.conflicts() < proposals.now.conflicts());
    for (int bytes = 16; bytes < proposals.padding->padding.bytes; bytes += 16)
      RC_ASSERT(ModelAll(Apply(Padding{row_bytes, bytes}, accesses)).conflicts() > again.conflicts());
  }
  if (proposals.swizzle) {
    const LayoutCost again = ModelAll(Apply(proposals.swizzle->swizzle, accesses));
    RC_ASSERT(again.conflicts() == proposals.swizzle->cost.conflicts());
    RC_ASSERT(again.conflicts() < proposals.now.conflicts());
    RC_ASSERT(proposals.swizzle->swizzle.base >= 4);
    RC_ASSERT(proposals.swizzle->swizzle.shift >= proposals.swizzle->swizzle.bits);
  }
}

}  // namespace
}  // namespace culprit
