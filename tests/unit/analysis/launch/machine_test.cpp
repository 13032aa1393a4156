// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/machine_figure.h"

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
  const Machine h100 = KnownMachine(Hopper(3.352e12)), h200 = KnownMachine(Hopper(4.814e12));
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
  EXPECT_EQ(Machine::CyclesOf(KnownMachine(a100).fp32), 2) << "16 lanes of a sub-partition";
  EXPECT_EQ(Machine::CyclesOf(KnownMachine(a100).fp64), 4);
  EXPECT_EQ(Machine::CyclesOf(KnownMachine(rtx).fp64), 64) << "two units an SM";
  EXPECT_EQ(KnownMachine(a100).warpgroup_matrix, 0);
  EXPECT_THAT(KnownMachine(a100).borrowed, HasSubstr("L2 of"));
}

TEST(MachineOf, SaysWhatItBorrowsForAGpuThatNobodyMeasured) {
  Device other = Hopper(0);
  other.cc_major = 42;
  EXPECT_THAT(KnownMachine(other).borrowed, Eq("pipes of an H100, L2 of an H200, device memory of an H100"));
  EXPECT_THAT(KnownMachine({}).borrowed, Eq("pipes of an H100, L2 of an H200, device memory of an H100"));
  EXPECT_GT(KnownMachine({}).DramOverL1(), 1);
}

RunRecord Measuring(Device device, std::vector<MachineFigure> figures) {
  RunRecord run;
  run.device = std::move(device);
  run.machine = std::move(figures);
  return run;
}

TEST(MachineOf, TakesWhatWasMeasuredOnTheVeryGpu) {
  const Machine machine =
      MachineOf(Measuring(Hopper(4.814e12), {{"dram_bytes", 0, 17.5, ""}, {"xu_pipe", 0, 15.9, ""}}));
  EXPECT_EQ(machine.dram_bytes, 17.5);
  EXPECT_EQ(machine.xu, 15.9);
  EXPECT_EQ(machine.l2_bytes, KnownMachine(Hopper(4.814e12)).l2_bytes) << "not measured";
}

TEST(MachineOf, BorrowsNothingWhereEverythingWasMeasured) {
  Device other = Hopper(0);
  other.cc_major = 42;
  std::vector<MachineFigure> figures;
  for (const auto& [name, number] : MeasuredNumbers()) figures.push_back({std::string(name), 0, 7, ""});
  const Machine machine = MachineOf(Measuring(other, figures));
  EXPECT_THAT(machine.borrowed, IsEmpty());
  for (const auto& [name, number] : MeasuredNumbers()) EXPECT_EQ(machine.*number, 7) << name;
  std::erase_if(figures, [](const MachineFigure& f) { return f.name == "l2_bytes"; });
  EXPECT_THAT(MachineOf(Measuring(other, figures)).borrowed, Eq("L2 of an H200"));
}

TEST(MachineOf, TakesNoRateOfNothing) {
  const Machine machine = MachineOf(Measuring(Hopper(4.814e12), {{"dram_bytes", 0, 0, ""}}));
  EXPECT_GT(machine.dram_bytes, 0);
}

TEST(MachineOf, KnowsFiguresByTheNamesThatAreMeasured) {
  for (const auto& [name, number] : MeasuredNumbers()) EXPECT_NE(FindFigureKind(name), nullptr) << name;
}

TEST(NoiseFloor, OfAnUnknownModelIsNotBelowWhatTheRunMeasuredWithinItself) {
  const std::vector<MachineFigure> noisy = {{"cycle_noise", 5, 0.001, ""}, {"cycle_noise", 300, 0.2, ""}};
  EXPECT_EQ(NoiseFloorOf("NVIDIA B300", 200, noisy).change, 0.2);
  EXPECT_EQ(NoiseFloorOf("NVIDIA B300", 200, noisy).source, "of this GPU: measured within the run");
  EXPECT_EQ(NoiseFloorOf("NVIDIA B300", 6, noisy).change, NoiseFloorOf("NVIDIA B300", 6).change);
  EXPECT_EQ(NoiseFloorOf("NVIDIA H100 80GB HBM3", 200, noisy).change, NoiseFloorOf("NVIDIA H100 80GB HBM3", 200).change)
      << "known from several recordings";
}

}  // namespace
}  // namespace culprit
