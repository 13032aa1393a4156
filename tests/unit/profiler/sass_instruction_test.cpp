// SPDX-License-Identifier: Apache-2.0
// Instructions of our own kernels as ptxas of CUDA 13.0 encodes them for sm_90.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "profiler/code/instruction.h"

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

// What ptxas 13.0 makes of one PTX instruction each, for sm_90a.
TEST(SassInstruction, TellsAsynchronousInstructionsOfOneOpcodeApart) {
  const auto name = [](std::uint64_t low, std::uint64_t high) { return DecodeSass(low, high, 0, 90).opcode; };
  EXPECT_EQ(name(0x00000000ff0075a7, 0x000e220008000144), "SYNCS.PHASECHK.TRYWAIT") << "mbarrier.try_wait";
  EXPECT_EQ(name(0x00000000ff0075a7, 0x000e220008000044), "SYNCS.PHASECHK") << "mbarrier.test_wait";
  EXPECT_EQ(name(0x000000ffffff79a7, 0x000fe20008100004), "SYNCS.ARRIVE.A1T0") << "mbarrier.arrive";
  EXPECT_EQ(name(0x000000ffffff79a7, 0x000fe20008100404), "SYNCS.ARRIVE.A1T0") << "of another block's";
  EXPECT_EQ(name(0x00000000ffff79a7, 0x000fe20008000004), "SYNCS.ARRIVE") << "with expect_tx";
  EXPECT_EQ(name(0x00000004063f75b2, 0x0001e40008000100), "SYNCS.EXCH") << "mbarrier.init";
  EXPECT_EQ(name(0x00000000000079c5, 0x000fcc0000000000), "WARPGROUP.ARRIVE") << "wgmma.fence";
  EXPECT_EQ(name(0x00008000000079c5, 0x000fe40000010000), "WARPGROUP.DEPBAR") << "wgmma.wait_group 0";
  EXPECT_EQ(DecodeSass(0x00008000000079c5, 0x000fe40000010300, 0, 90).operands, "gsb0, 0x3") << "wgmma.wait_group 3";
  EXPECT_EQ(name(0x00000000000079c7, 0x000fe20008000000), "UCGABAR_ARV") << "barrier.cluster.arrive";
  EXPECT_EQ(name(0x0000000000007dc7, 0x000fe20008000000), "UCGABAR_WAIT") << "barrier.cluster.wait";
  EXPECT_EQ(DecodeSass(0x0000000000007dc7, 0x000fe20008000000, 0, 120).opcode, "") << "seen on sm_90 alone";
}

struct Example {
  int architecture;
  std::uint64_t low, high;
  const char* opcode;
  std::vector<RegisterRange> writes, reads;
};

// What nvdisasm 11.8 (sm_80, sm_90) and 13.0 (sm_100, sm_120) print of what ptxas 13.0 makes; counts from the shapes.
const std::vector<Example>& Examples() {
  static const std::vector<Example> all{
      {90, 0x00000003ff047435, 0x000fd600000001ff, "HFMA2.MMA", {{kGeneral, 4}}, {}},
      {120,
       0x0000000e0a1c7235,
       0x000fd000078e0200,
       "IADD.64",
       {{kGeneral, 28, 2}},
       {{kGeneral, 10, 2}, {kGeneral, 14, 2}}},
      {90, 0x000004201ed47836, 0x000fe20000000000, "VIADD", {{kGeneral, 212}}, {{kGeneral, 30}}},
      {100,
       0x800000070a0a7246,
       0x000fe4000380010a,
       "VIADDMNMX",
       {{kGeneral, 10}},
       {{kGeneral, 10}, {kGeneral, 7}, {kGeneral, 10}}},
      {100,
       0x0000000b0c0b7276,
       0x001fca0003800009,
       "FMNMX3",
       {{kGeneral, 11}},
       {{kGeneral, 12}, {kGeneral, 11}, {kGeneral, 9}}},
      {80,
       0x0000000408107237,
       0x080fe80000005406,
       "IMMA.8816.S8.S8",
       {{kGeneral, 16, 2}},
       {{kGeneral, 8}, {kGeneral, 4}, {kGeneral, 6, 2}}},
      {80,
       0x0000000408107237,
       0x0c0fe20000444c10,
       "IMMA.16832.U8.S8.SAT",
       {{kGeneral, 16, 4}},
       {{kGeneral, 8, 4}, {kGeneral, 4, 2}, {kGeneral, 16, 4}}},
      {80,
       0x00000408080c723c,
       0x000fe20000005a0c,
       "HMMA.SP.16832.F32",
       {{kGeneral, 12, 4}},
       {{kGeneral, 8, 4}, {kGeneral, 8, 4}, {kGeneral, 12, 4}, {kGeneral, 4}}},
      {80,
       0x00000004080c723c,
       0x080fee000008100c,
       "HMMA.1688.F32.TF32",
       {{kGeneral, 12, 4}},
       {{kGeneral, 8, 4}, {kGeneral, 4, 2}, {kGeneral, 12, 4}}},
      {80,
       0x00000004080c723c,
       0x000fe2000008500c,
       "HMMA.1684.F32.TF32",
       {{kGeneral, 12, 4}},
       {{kGeneral, 8, 2}, {kGeneral, 4}, {kGeneral, 12, 4}}},
      {80,
       0x0000001e1c14723f,
       0x020e360000000014,
       "DMMA.884",
       {{kGeneral, 20, 4}},
       {{kGeneral, 28, 2}, {kGeneral, 30, 2}, {kGeneral, 20, 4}}},
      {90,
       0x000000201008723f,
       0x001e240000003008,
       "DMMA.16x8x16",
       {{kGeneral, 8, 8}},
       {{kGeneral, 16, 16}, {kGeneral, 32, 8}, {kGeneral, 8, 8}}},
      {80,
       0x000000040810723d,
       0x000fe20000015410,
       "BMMA.168256",
       {{kGeneral, 16, 4}},
       {{kGeneral, 8, 4}, {kGeneral, 4, 2}, {kGeneral, 16, 4}}},
      {90,
       0x40e00000081879f0,
       0x000fe60008000818,
       "HGMMA.64x64x16.F32",
       {{kGeneral, 24, 32}},
       {{kUniform, 8, 4}, {kGeneral, 24, 32}}},
      {90,
       0x00000000082079f0,
       0x000fe60008000020,
       "HGMMA.64x8x16.F16",
       {{kGeneral, 32, 2}},
       {{kUniform, 8, 4}, {kGeneral, 32, 2}}},
      {90, 0x000000040500731d, 0x000fec0000002000, "BAR.ARV", {}, {{kGeneral, 5}, {kGeneral, 4}}},
      {90, 0x0040000b0000791d, 0x0005ec0000014400, "BAR.RED.AND.DEFER_BLOCKING", {}, {{kGeneral, 11}, {kPredicate, 0}}},
      {80, 0x0000000500007348, 0x000fe80003800000, "WARPSYNC", {}, {{kGeneral, 5}}},
      {80, 0xfffffee004007949, 0x000fea000383ffff, "BRX", {}, {{kGeneral, 4, 2}}},
      {100, 0x0000000002007343, 0x009fea0003c00000, "CALL", {}, {{kGeneral, 2, 2}}},
      {100, 0x000000001014794e, 0x000fce0000000000, "LEPC", {{kGeneral, 20, 2}}, {}},
      {90,
       0x000000040204798a,
       0x000ea2000810e5ca,
       "ATOM.E.ADD.64.STRONG.GPU",
       {{kPredicate, 0}, {kGeneral, 4, 2}},
       {{kUniform, 10, 2}, {kGeneral, 2, 2}, {kGeneral, 4, 2}}},
      {90,
       0x0000000d0e0979a3,
       0x008ee200081ef1c8,
       "ATOMG.E.ADD.STRONG.GPU",
       {{kGeneral, 9}},
       {{kUniform, 8, 2}, {kGeneral, 14, 2}, {kGeneral, 13}}},
      {100,
       0x80000004020879a8,
       0x000ea200089ef708,
       "ATOMG.E.MIN.S64.STRONG.GPU",
       {{kGeneral, 8, 2}},
       {{kUniform, 8, 2}, {kGeneral, 2, 2}, {kGeneral, 4, 2}}},
      {90,
       0x00000408060673a9,
       0x001ee200001ee50a,
       "ATOMG.E.CAS.64.STRONG.GPU",
       {{kGeneral, 6, 2}},
       {{kGeneral, 6, 2}, {kGeneral, 8, 2}, {kGeneral, 10, 2}}},
      {100,
       0x000000090200798e,
       0x000fe2000c12e104,
       "REDG.E.ADD.STRONG.GPU",
       {},
       {{kUniform, 4, 2}, {kGeneral, 2, 2}, {kGeneral, 9}}},
      {80,
       0x000000060200098e,
       0x0001e2000c10e58a,
       "RED.E.ADD.64.STRONG.GPU",
       {},
       {{kPredicate, 0}, {kUniform, 10, 2}, {kGeneral, 2, 2}, {kGeneral, 6, 2}}},
      {90, 0x000020040f007844, 0x000fe20000000100, "STSM.16.M88.2", {}, {{kGeneral, 15}, {kGeneral, 4, 2}}},
      {90, 0x000000000f04783b, 0x000e280000004200, "LDSM.16.MT88.4", {{kGeneral, 4, 4}}, {{kGeneral, 15}}},
      {90,
       0x00040080020d7fae,
       0x000fe8000b921a44,
       "LDGSTS.64",
       {},
       {{kGeneral, 13}, {kUniform, 4, 2}, {kGeneral, 2, 2}}},
      {120,
       0x00080000020d7fae,
       0x000fe8000b9a1808,
       "LDGSTS.128",
       {},
       {{kGeneral, 13}, {kUniform, 8, 2}, {kGeneral, 2, 2}}},
      {80,
       0x0000000802009385,
       0x0001e80000100b0a,
       "ST.E.64",
       {},
       {{kPredicate, 1}, {kGeneral, 2, 2}, {kGeneral, 10, 2}}},
      {90,
       0x0000000402067981,
       0x000ea8000c1f5b00,
       "LDG.E.64.STRONG.SYS",
       {{kGeneral, 6, 2}},
       {{kUniform, 4, 2}, {kGeneral, 2, 2}}},
      {120, 0x00007200ff0c77ac, 0x000e220008000c00, "LDCU.128", {{kUniform, 12, 4}}, {}},
      {120, 0x0000001004087897, 0x000fc6000fffe0ff, "UIADD3.64", {{kUniform, 8, 2}}, {{kUniform, 4, 2}}},
      {120, 0x0000000800067c82, 0x000fc80008010000, "UMOV.64", {{kUniform, 6, 2}}, {{kUniform, 8, 2}}},
      {80, 0x0000000a00117310, 0x008e620000301000, "F2F.F32.F64", {{kGeneral, 17}}, {{kGeneral, 10, 2}}},
      {80, 0x0000000000007992, 0x000fec000000a000, "MEMBAR.ALL.GPU", {}, {}},
      {90, 0x00000000000075ab, 0x000fec0000000000, "CGAERRBAR", {}, {}},
      {100, 0x0000002508807547, 0x018fec000b800000, "BRA.U", {}, {{kUniformPredicate, 0}}},
  };
  return all;
}

TEST(SassInstruction, CountsTheRegistersOfEveryKindOfInstruction) {
  for (const Example& example : Examples()) {
    SCOPED_TRACE(example.opcode);
    const SassInstruction it = DecodeSass(example.low, example.high, 0, example.architecture);
    EXPECT_EQ(it.opcode, example.opcode);
    EXPECT_TRUE(it.registers_known);
    EXPECT_THAT(it.writes, testing::UnorderedElementsAreArray(example.writes));
    EXPECT_THAT(it.reads, testing::UnorderedElementsAreArray(example.reads));
  }
}

TEST(SassInstruction, ReadsUniformRegistersByTheArchitecture) {
  const auto written = [](int architecture, std::uint64_t low) {
    return DecodeSass(low, 0x000fe200000e0000, 0, architecture).writes;
  };
  EXPECT_THAT(written(100, 0x00000000373f72ca), testing::ElementsAre(RegisterRange{kUniform, 63}));  // R2UR UR63, R55
  EXPECT_THAT(written(90, 0x00000000373f72ca), testing::IsEmpty());
  EXPECT_THAT(written(100, 0x00000000374c72ca), testing::ElementsAre(RegisterRange{kUniform, 76}));
  EXPECT_THAT(written(100, 0x0000000037ff72ca), testing::IsEmpty());
}

TEST(SassInstruction, BranchesOverAMultipleOf4096BytesByTheArchitecture) {
  const std::uint64_t low = 0x0000001000007947, high = 0x000fea0003800000;
  EXPECT_EQ(DecodeSass(low, high, 0, 90).target, 0x1010);
  EXPECT_EQ(DecodeSass(low, high, 0, 80).target, 0x20);
}

TEST(SassInstruction, FindsWhereALoadToSharedMemoryReads) {
  const SassInstruction it = DecodeSass(0x00080f00020d7fae, 0x000fe8000b921c44, 0, 90);
  ASSERT_TRUE(it.address);
  EXPECT_EQ(it.address->base, 2);
  EXPECT_EQ(it.address->offset, -0x100);
  EXPECT_EQ(it.operands, "[R13+0x80], desc[UR4][R2-0x100]");
}

TEST(SassInstruction, TellsTheArchitectureFromAWholeFunction) {
  const auto of = [](std::uint64_t low) {
    MachineInstruction instruction;
    instruction.low = low;
    return ArchitectureOf(std::vector{MachineInstruction{}, instruction});
  };
  EXPECT_EQ(of(0xfffffff000007947), 80);
  EXPECT_EQ(of(0xfffffffc00fc7947), 90);
  EXPECT_EQ(of(0x00007200ff0c77ac), 100);
  EXPECT_EQ(of(0), 0);
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
    const int architecture = std::array{0, 80, 90, 100, 120}[i % 5];
    const SassInstruction it = DecodeSass(low, high, i * 16, architecture);
    for (const auto* list : {&it.writes, &it.reads})
      for (const RegisterRange& range : *list) {
        const int end = range.file == kGeneral ? 255 : range.file == kUniform ? (architecture >= 100 ? 255 : 63) : 7;
        ASSERT_TRUE(range.first >= 0 && range.count > 0 && range.first + range.count <= end) << low << " " << high;
      }
  }
}

}  // namespace
}  // namespace culprit
