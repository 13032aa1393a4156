// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/roofline.h"

#include <gtest/gtest.h>

#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

Roofline Make(const KernelBuilder& builder) {
  const KernelView view(builder.record);
  return MakeRoofline(view);
}

TEST(Roofline, TakesThePeakAtTheMeasuredClock) {
  const Roofline r = Make(KernelBuilder("k").Time(1000, 1000));
  EXPECT_TRUE(r.clock_measured);
  EXPECT_DOUBLE_EQ(*r.peak_gflops, 2.0 * 128 * 132 * 1.0);  // at 1 GHz
}

TEST(Roofline, TakesTheDriversMaximumWithoutAMeasuredClock) {
  KernelBuilder k("k");
  k.Time(1000);
  for (Sample& s : k.record.samples) s.clock_mhz.reset();
  const Roofline r = Make(k);
  EXPECT_FALSE(r.clock_measured);
  EXPECT_NEAR(*r.peak_gflops, 66908, 1);  // 66.9 TFLOP/s at 1980 MHz
}

TEST(Roofline, HoldsNoTensorKernelAgainstTheFfmaPeak) {
  KernelBuilder k("k");
  k.Time(1000).Metric("dram_read_bytes", 2e9, "byte").Metric("dram_write_bytes", 1e9, "byte");
  k.record.stage.factors["input"] = "fp32";
  EXPECT_TRUE(Make(k).compute_pct);
  k.record.stage.factors["input"] = "fp16";
  const Roofline r = Make(k);
  for (const Measured& none : {r.peak_gflops, r.compute_pct, r.ridge, r.roof_gflops})
    EXPECT_EQ(none.absence(), Absence::kUndefined);
  EXPECT_EQ(r.side, RoofSide::kUnknown);
  EXPECT_TRUE(r.achieved_gflops);
  EXPECT_TRUE(r.memory_pct) << "DRAM is a ceiling for every input";
}

KernelBuilder TensorKernel() {
  KernelBuilder k("k");
  k.Time(1000, 1000).Metric("dram_read_bytes", 2e9, "byte").Metric("dram_write_bytes", 1e9, "byte");
  k.Metric("tensor_hmma_inst", 1e6).Metric("tensor_hfma2_inst", 1e3);
  k.record.stage.factors["input"] = "fp16";
  return k;
}

TEST(Roofline, HoldsATensorKernelAgainstTheTensorPeak) {
  KernelBuilder k = TensorKernel();
  k.record.launch.flop = 6e11;  // 200 FLOP per byte
  const Roofline r = Make(k);
  EXPECT_DOUBLE_EQ(*r.tensor_peak_gflops, 4096.0 * 132 * 1.0);  // at 1 GHz
  EXPECT_NEAR(*r.tensor_pct, 100 * 6e5 / (4096 * 132), 1e-9);
  EXPECT_EQ(r.side, RoofSide::kCompute);  // the ridge is at 161
  EXPECT_DOUBLE_EQ(*r.roof_gflops, *r.tensor_peak_gflops);
  EXPECT_FALSE(r.compute_pct);
}

TEST(Roofline, OfTf32IsHalfAndOfThreeProductsForOneASixth) {
  KernelBuilder k = TensorKernel();
  for (const auto& [input, rate] : {std::pair("bf16", 4096.0), {"tf32", 2048.0}, {"fp32 as 2 x tf32", 2048.0 / 3}}) {
    k.record.stage.factors["input"] = input;
    EXPECT_DOUBLE_EQ(*Make(k).tensor_peak_gflops, rate * 132) << input;
  }
  k.record.stage.factors["input"] = "fp8";
  EXPECT_FALSE(Make(k).tensor_peak_gflops) << "not known";
}

TEST(Roofline, KnowsNoTensorPeakOfAChipThatIsNotInTheTable) {
  KernelBuilder k = TensorKernel();
  k.record.run.run.device->cc_minor = 7;
  EXPECT_EQ(Make(k).tensor_peak_gflops.absence(), Absence::kUndefined);
  EXPECT_EQ(Make(k).side, RoofSide::kUnknown);
}

TEST(Roofline, TakesMovedConstantsForNoMatrices) {
  KernelBuilder k("k");
  k.Time(1000, 1000).Metric("tensor_hmma_inst", 1e3).Metric("tensor_hfma2_inst", 1e3);
  k.record.stage.factors["input"] = "fp16";
  EXPECT_FALSE(Make(k).tensor_peak_gflops);
}

TEST(Roofline, PlacesAKernelOnTheMemorySideLeftOfTheRidge) {
  KernelBuilder k("k");
  k.Time(1000).Metric("dram_read_bytes", 2e9, "byte").Metric("dram_write_bytes", 1e9, "byte");
  k.record.launch.flop = 6e9;  // 2 FLOP per byte
  const Roofline r = Make(k);
  EXPECT_EQ(r.side, RoofSide::kMemory);
  EXPECT_DOUBLE_EQ(*r.intensity, 2);
  EXPECT_NEAR(*r.ridge, 66908e9 / 3.35e12, 0.01);
  EXPECT_NEAR(*r.memory_pct, 100 * 3e12 / 3.35e12, 1e-6);
  EXPECT_NEAR(*r.roof_gflops, 2 * 3.35e3, 1e-6);
}

TEST(Roofline, PlacesTheInventedStudyOnTheComputeSide) {
  const Roofline r = Make(testing::InventedV17());
  EXPECT_EQ(r.side, RoofSide::kCompute);
  EXPECT_NEAR(*r.achieved_gflops, 24368, 1);
  EXPECT_DOUBLE_EQ(*r.roof_gflops, *r.peak_gflops);
}

TEST(Roofline, KnowsNothingOfASideWhenBytesWereDenied) {
  KernelBuilder k("k");
  k.Time(1000).Missing("dram_read_bytes", ReadingStatus::kDenied).Metric("dram_write_bytes", 1);
  const Roofline r = Make(k);
  EXPECT_EQ(r.side, RoofSide::kUnknown);
  EXPECT_EQ(r.intensity.absence(), Absence::kDenied);
  EXPECT_TRUE(r.compute_pct);
}

TEST(Roofline, HasNoPeakWithoutADevice) {
  KernelBuilder k("k");
  k.Time(1000);
  k.record.run.run.device.reset();
  EXPECT_FALSE(Make(k).peak_gflops);
}

}  // namespace
}  // namespace culprit
