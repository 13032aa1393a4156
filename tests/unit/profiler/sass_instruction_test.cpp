// SPDX-License-Identifier: Apache-2.0
// Instructions of our own kernels as ptxas of CUDA 13.0 encodes them for sm_90.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "profiler/sass/instruction.h"

namespace culprit {

void PrintTo(const RegisterRange& range, std::ostream* out) {
  *out << "file " << static_cast<int>(range.file) << " register " << range.first << " and " << range.count - 1
       << " more";
}

namespace {

using enum RegisterFile;
using testing::UnorderedElementsAre;

TEST(SassInstruction, ReadsWhenItMayIssue) {
  // MUFU.EX2 R5, R4: stalls 2, sets scoreboard 0, waits for scoreboard 2.
  const SassInstruction it = DecodeSass(0x0000000400057308, 0x004e240000000800, 0);
  EXPECT_EQ(it.opcode, "MUFU.EX2");
  EXPECT_EQ(it.stall_cycles, 2);
  EXPECT_EQ(it.write_scoreboard, 0);
  EXPECT_EQ(it.read_scoreboard, -1);
  EXPECT_EQ(it.wait_mask, 4u);
}

TEST(SassInstruction, CountsTheRegistersOfWideLoadsAndStores) {
  const SassInstruction load = DecodeSass(0x0000000404087981, 0x000ea2000c1e1d00, 0);
  EXPECT_EQ(load.opcode, "LDG.E.128");
  EXPECT_EQ(load.operands, "R8, desc[UR4][R4.64]");
  EXPECT_THAT(load.writes, UnorderedElementsAre(RegisterRange{kGeneral, 8, 4}));
  EXPECT_THAT(load.reads, UnorderedElementsAre(RegisterRange{kGeneral, 4, 2}, RegisterRange{kUniform, 4, 2}));
  EXPECT_EQ(load.access_bytes, 16);
  ASSERT_TRUE(load.address);
  EXPECT_EQ(load.address->base, 4);

  const SassInstruction store = DecodeSass(0x0010000802007986, 0x000fe2000c101d04, 0);  // [R2.64+0x1000], R8
  EXPECT_TRUE(store.writes.empty());
  EXPECT_EQ(store.address->offset, 0x1000);
  EXPECT_THAT(store.reads, testing::Contains(RegisterRange{kGeneral, 8, 4}));
}

TEST(SassInstruction, KnowsPairsOfDoublesAndFragmentsOfMatrices) {
  const SassInstruction fma = DecodeSass(0x0000000804087e2b, 0x0000000000000006, 0);
  EXPECT_EQ(fma.mnemonic, "DFMA");
  EXPECT_THAT(fma.writes, UnorderedElementsAre(RegisterRange{kGeneral, 8, 2}));
  const SassInstruction mma = DecodeSass(0x0000004858b4723c, 0x041fec00000018b4, 0);  // HMMA.16816.F32
  EXPECT_THAT(mma.writes, UnorderedElementsAre(RegisterRange{kGeneral, 180, 4}));
  EXPECT_THAT(mma.reads, UnorderedElementsAre(RegisterRange{kGeneral, 88, 4}, RegisterRange{kGeneral, 72, 2},
                                              RegisterRange{kGeneral, 180, 4}));
}

TEST(SassInstruction, FollowsBranches) {
  const SassInstruction branch = DecodeSass(0x0000000400609947, 0x002fea0003800000, 0x60);  // @!P1 BRA 0x5f0
  EXPECT_EQ(branch.flow, SassFlow::kBranch);
  EXPECT_TRUE(branch.guarded);
  EXPECT_EQ(branch.target, 0x5f0);
  EXPECT_THAT(branch.reads, UnorderedElementsAre(RegisterRange{kPredicate, 1}));
  EXPECT_EQ(DecodeSass(0xfffffffc00fc7947, 0x000fc0000383ffff, 0x500).target, 0x500) << "itself, sm_90";
  EXPECT_EQ(DecodeSass(0xfffffff000007947, 0x000fc0000383ffff, 0x500).target, 0x500) << "itself, sm_80";
  const SassInstruction both = DecodeSass(0x0000011000007945, 0x000fe60003800000, 0xb0);  // BSSY B0, 0x1d0
  EXPECT_EQ(both.flow, SassFlow::kNext);
  EXPECT_EQ(both.target, 0x1d0);
  EXPECT_EQ(DecodeSass(0x000000000000094d, 0x000fea0000800000, 0).flow, SassFlow::kExit);
}

TEST(SassInstruction, SaysNothingOfAnOpcodeThatItDoesNotKnow) {
  const SassInstruction it = DecodeSass(0, 0x004e240000000800, 0);
  EXPECT_EQ(it.mnemonic, "");
  EXPECT_FALSE(it.registers_known);
  EXPECT_TRUE(it.reads.empty() && it.writes.empty());
  EXPECT_EQ(it.write_scoreboard, 0);
}

TEST(SassInstruction, NamesNoRegisterOutsideTheFilesWhateverTheBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t low = random(), high = random();
    const SassInstruction it = DecodeSass(low, high, i * 16);
    for (const auto* list : {&it.writes, &it.reads})
      for (const RegisterRange& range : *list) {
        const int end = range.file == kGeneral ? 255 : range.file == kUniform ? 63 : 7;
        ASSERT_TRUE(range.first >= 0 && range.count > 0 && range.first + range.count <= end) << low << " " << high;
      }
  }
}

}  // namespace
}  // namespace culprit
