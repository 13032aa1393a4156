// SPDX-License-Identifier: Apache-2.0
#include "analysis/machine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Device Hopper(double dram_bytes_per_s) {
  Device device;
  device.cc_major = 9;
  device.sm_count = 132;
  device.fp32_lanes_per_sm = 128;
  device.sm_clock_mhz = 1980;
  device.dram_bytes_per_s = dram_bytes_per_s;
  return device;
}

TEST(MachineOf, KnowsTheSameSmsBesideAnotherMemory) {
  const Machine h100 = MachineOf(Hopper(3.352e12)), h200 = MachineOf(Hopper(4.814e12));
  EXPECT_THAT(h100.borrowed, IsEmpty());
  EXPECT_THAT(h200.borrowed, IsEmpty());
  EXPECT_EQ(h100.fp64, h200.fp64);
  EXPECT_EQ(h100.l2_bytes, h200.l2_bytes);
  EXPECT_NEAR(h100.dram_bytes, 12.8, 0.1);
  EXPECT_NEAR(h200.DramOverL1() / h100.DramOverL1(), 3.352 / 4.814, 1e-9);
}

TEST(MachineOf, TakesThePipesOfEachComputeCapability) {
  Device a100 = Hopper(2e12), rtx = a100;
  a100.cc_major = rtx.cc_major = 8;
  rtx.cc_minor = 6;
  a100.fp32_lanes_per_sm = 64;
  EXPECT_EQ(Machine::CyclesOf(MachineOf(a100).fp32), 2) << "16 lanes of a sub-partition";
  EXPECT_EQ(Machine::CyclesOf(MachineOf(a100).fp64), 4);
  EXPECT_EQ(Machine::CyclesOf(MachineOf(rtx).fp64), 64) << "two units an SM";
  EXPECT_EQ(MachineOf(a100).warpgroup_matrix, 0);
  EXPECT_THAT(MachineOf(a100).borrowed, HasSubstr("L2 of"));
}

TEST(MachineOf, SaysWhatItBorrowsForAGpuThatNobodyMeasured) {
  Device other = Hopper(0);
  other.cc_major = 42;
  EXPECT_THAT(MachineOf(other).borrowed, Eq("pipes of an H100, L2 of an H200, device memory of an H100"));
  EXPECT_THAT(MachineOf({}).borrowed, Eq("pipes of an H100, L2 of an H200, device memory of an H100"));
  EXPECT_GT(MachineOf({}).DramOverL1(), 1);
}

}  // namespace
}  // namespace culprit
