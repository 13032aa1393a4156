// SPDX-License-Identifier: Apache-2.0
// Lanes' addresses, followed through what nvcc made of kernels and through invented code.
#include "profiler/code/lane_addresses.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "profiler/code/strides.h"
#include "tests/support/assembled.h"
#include "tests/support/invented_samples.h"

namespace culprit {
namespace {

using namespace testing;

struct Followed {
  std::vector<SassInstruction> decoded;
  std::vector<LaneValue> addresses;
};
Followed Follow(const MachineCode& code, const BlockShape& block) {
  Followed f;
  const int architecture = ArchitectureOf(code.instructions);
  for (const MachineInstruction& i : code.instructions)
    f.decoded.push_back(DecodeSass(i.low, i.high, i.pc_offset, architecture));
  f.addresses = LaneAddresses(f.decoded, MakeFlowGraph(f.decoded), block);
  return f;
}

// Of every access of that kind.
void ExpectStride(const Followed& f, const std::string& mnemonic, std::int64_t stride) {
  int seen = 0;
  for (std::size_t i = 0; i < f.decoded.size(); ++i) {
    if (f.decoded[i].mnemonic != mnemonic) continue;
    ++seen;
    EXPECT_EQ(StrideOf(f.addresses[i], kWarpLanes), std::optional(stride)) << mnemonic << " at " << i;
    EXPECT_FALSE(f.addresses[i].scaled);
  }
  EXPECT_GT(seen, 0) << mnemonic;
}

TEST(LaneAddresses, AreThoseOfACompiledTranspose) {
  const Followed plain = Follow(SampledCode("transpose_unpadded"), {32, 8, 1});
  ExpectStride(plain, "LDG", 4);
  ExpectStride(plain, "STS", 4);
  ExpectStride(plain, "LDS", 128);
  ExpectStride(plain, "STG", 4);
  ExpectStride(Follow(SampledCode("transpose_padded"), {32, 8, 1}), "LDS", 132);
}

LaneValue AddressOf(const std::vector<Encoded>& instructions, const BlockShape& block, int access) {
  return Follow(Sampled(instructions).code.at(0), block).addresses.at(access);
}

TEST(LaneAddresses, StayAsFarApartRoundALoop) {
  const std::vector<Encoded> code = {S2r(0, kThreadIdX), Imad(2, 0, 4, kRz), Lds(4, 2, 0),
                                     Iadd(2, 2, 512),    BranchTo(4, 2, 0),  Exit()};
  EXPECT_EQ(StrideOf(AddressOf(code, {128, 1, 1}, 2), kWarpLanes), 4);
  // Moved by as much as the lane's number each time they drift apart.
  const std::vector<Encoded> drifting = {S2r(0, kThreadIdX),         Imad(2, 0, 4, kRz), Lds(4, 2, 0),
                                         ImadByRegister(2, 0, 0, 2), BranchTo(4, 2, 0),  Exit()};
  EXPECT_FALSE(AddressOf(drifting, {128, 1, 1}, 2).IsKnown());
}

TEST(LaneAddresses, TakeRowsOfABlockNarrowerThanAWarp) {
  // 16 threads along x: a warp is two rows.
  const std::vector<Encoded> code = {S2r(0, kThreadIdX), S2r(1, kThreadIdY), Imad(2, 1, 1024, kRz),
                                     Imad(2, 0, 4, 2),   Lds(4, 2, 0),       Exit()};
  const LaneValue address = AddressOf(code, {16, 16, 1}, 4);
  ASSERT_TRUE(address.IsKnown());
  EXPECT_EQ(address.lanes[15], 60);
  EXPECT_EQ(address.lanes[16], 1024);
  EXPECT_EQ(RowOf(address, 4, kWarpLanes), 1024);
  // Rows of 24 threads begin elsewhere in every warp.
  EXPECT_FALSE(AddressOf(code, {24, 16, 1}, 4).IsKnown());
  EXPECT_FALSE(AddressOf(code, {}, 4).IsKnown());
}

TEST(LaneAddresses, AreNotFollowedThroughMemoryOrOtherLanes) {
  const std::vector<Encoded> loaded = {S2r(0, kThreadIdX), Imad(2, 0, 4, kRz), Lds(4, 2, 0), Lds(5, 4, 0), Exit()};
  EXPECT_TRUE(AddressOf(loaded, {64, 1, 1}, 2).IsKnown());
  EXPECT_FALSE(AddressOf(loaded, {64, 1, 1}, 3).IsKnown());
  const std::vector<Encoded> shuffled = {S2r(0, kThreadIdX), Shfl(2, 0), Lds(4, 2, 0), Exit()};
  EXPECT_FALSE(AddressOf(shuffled, {64, 1, 1}, 2).IsKnown());
}

TEST(Strides, CountTheSectorsThatLanesMeet) {
  Lanes lanes;
  for (int l = 0; l < kWarpLanes; ++l) lanes[l] = 4 * l;
  EXPECT_EQ(SectorsOf(LaneValue::OfLanes(lanes), 4, kWarpLanes).met, 4);
  for (int l = 0; l < kWarpLanes; ++l) lanes[l] = 64 * l;
  const Sectors apart = SectorsOf(LaneValue::OfLanes(lanes), 4, kWarpLanes);
  EXPECT_EQ(apart.met, 32);
  EXPECT_EQ(apart.needed, 4);
  EXPECT_EQ(SectorsOf(LaneValue::OfLanes(lanes), 4, 8).met, 8);
  EXPECT_EQ(SectorsOf(LaneValue::OfLanes({}), 4, kWarpLanes).met, 1);
}

}  // namespace
}  // namespace culprit
