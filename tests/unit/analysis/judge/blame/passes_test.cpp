// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/judge/blame/costs.h"
#include "tests/support/sass_builder.h"

namespace culprit {
namespace {

using testing::Sass;
using Counts = std::map<std::string, double>;

double Passes(const std::string& opcode, int bytes, const Counts& counts = {}) {
  Sass instruction(opcode);
  instruction.access_bytes = bytes;
  InstructionRecord counted;
  counted.counts = {counts.begin(), counts.end()};
  return PassesOf(instruction, counts.empty() ? nullptr : &counted);
}

TEST(Passes, AreOneForEachFourBytesOfAThread) {
  for (const char* opcode : {"LDS", "STS", "LDG.E", "STG.E", "LDL", "STL", "LD", "LDGSTS.E"}) {
    EXPECT_EQ(Passes(opcode, 4), 1) << opcode;
    EXPECT_EQ(Passes(opcode, 16), 4) << opcode;
    EXPECT_EQ(Passes(opcode, 2), 1) << opcode << ": a narrow access takes a whole pass";
    EXPECT_EQ(Passes(opcode, 0), 1) << opcode << ": of which the width is not known";
  }
}

TEST(Passes, OfSharedMemoryAreTheWavefrontsThatWereCounted) {
  const Counts conflicts = {{"sass_inst", 10}, {"sass_shared_wavefronts", 320}};
  EXPECT_EQ(Passes("LDS", 4, conflicts), 32);
  EXPECT_EQ(Passes("STS", 16, conflicts), 32);
  EXPECT_EQ(Passes("ATOMS.ADD", 4, conflicts), 32);
  EXPECT_EQ(Passes("LDS", 4, {{"sass_inst", 10}, {"sass_shared_wavefronts", 2}}), 1) << "predicated off in most warps";
}

TEST(Passes, OfGlobalMemoryGrowByTheSectorsThatNobodyNeeded) {
  const Counts scattered = {{"sass_inst", 10}, {"sass_global_sectors", 320}, {"sass_global_sectors_ideal", 40}};
  EXPECT_EQ(Passes("LDG.E", 4, scattered), 1 + 28);
  EXPECT_EQ(Passes("STG.E.128", 16, scattered), 4 + 28);
  EXPECT_EQ(Passes("LDG.E", 4, {{"sass_inst", 10}, {"sass_global_sectors", 320}}), 1) << "what is ideal is not known";
  EXPECT_EQ(Passes("LDG.E", 4, {{"sass_inst", 10}, {"sass_global_sectors", 20}, {"sass_global_sectors_ideal", 40}}), 1);
}

TEST(Passes, OfLocalMemoryGrowByTheSectorsBeyondThoseOfItsBytes) {
  EXPECT_EQ(Passes("LDL", 4, {{"sass_inst", 10}, {"sass_local_sectors", 40}}), 1);
  EXPECT_EQ(Passes("STL", 4, {{"sass_inst", 10}, {"sass_local_sectors", 320}}), 1 + 28);
  EXPECT_EQ(Passes("LDL.128", 16, {{"sass_inst", 10}, {"sass_local_sectors", 320}}), 4 + 16);
}

TEST(Passes, AreTwoWhereAnSmComputesSixteenACycle) {
  EXPECT_EQ(Passes("MUFU.RCP", 0), 2);
  EXPECT_EQ(Passes("F2F.F64.F32", 0), 2);
  EXPECT_EQ(Passes("FFMA", 0), 1);
}

TEST(Passes, OfWhatNeverRanAreThoseOfItsWidth) {
  EXPECT_EQ(Passes("LDS", 16, {{"sass_inst", 0}, {"sass_shared_wavefronts", 0}}), 4);
  EXPECT_EQ(Passes("LDS", 16, {{"sass_shared_wavefronts", 320}}), 4) << "how often is not known";
}

}  // namespace
}  // namespace culprit
