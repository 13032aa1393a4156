// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks against what documents say of any GPU, and against themselves.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "db/machine_figure.h"
#include "profiler/device_info.h"
#include "profiler/machine/measure.h"

namespace culprit {
namespace {

class MeasuredMachine : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    device_ = CurrentDevice();
    ASSERT_TRUE(device_.has_value());
    first_ = MeasureMachine(*device_, true);
    second_ = MeasureMachine(*device_, true);
  }

  // By setting, ascending.
  static std::map<double, double> Of(const std::vector<MachineFigure>& figures, std::string_view name) {
    std::map<double, double> found;
    for (const MachineFigure& f : figures)
      if (f.name == name) found[f.setting] = f.value;
    return found;
  }
  static double One(std::string_view name) { return Of(first_, name).at(0); }

  inline static std::optional<Device> device_;
  inline static std::vector<MachineFigure> first_, second_;
};

TEST_F(MeasuredMachine, HasEveryFigureButThoseThatCountersGive) {
  for (const FigureKind& kind : kFigureKinds) {
    if (kind.name == figures::kLaunchStart) continue;
    const auto values = Of(first_, kind.name);
    EXPECT_FALSE(values.empty()) << kind.name;
    EXPECT_EQ(kind.setting.empty(), values.contains(0) && values.size() == 1) << kind.name;
    for (const auto& [setting, value] : values) {
      const bool may_be_none = kind.name == figures::kTimeNoise || kind.name == figures::kCycleNoise;
      EXPECT_TRUE(value > 0 || may_be_none) << kind.name << " at " << setting;
    }
  }
}

TEST_F(MeasuredMachine, FindsTheRatesThatTheProgrammingGuideStates) {
  EXPECT_GT(One(figures::kFp32), 0.9 * device_->fp32_lanes_per_sm);
  EXPECT_LT(One(figures::kFp32), 1.01 * device_->fp32_lanes_per_sm);
  EXPECT_NEAR(One(figures::kXu), 16, 1);
  EXPECT_NEAR(One(figures::kAlu), 64, 5);
  EXPECT_NEAR(One(figures::kShared), 128, 8) << "32 banks of 4 bytes";
}

TEST_F(MeasuredMachine, WaitsAFewCyclesForAMultiplyAdd) {
  EXPECT_NEAR(One(figures::kFp32Latency), 4, 1.1);
  EXPECT_GE(One(figures::kFp64Latency), One(figures::kFp32Latency));
}

TEST_F(MeasuredMachine, GetsNoMoreFromDeviceMemoryThanItsBusCarries) {
  // At the highest clock; at a lower one a cycle brings more.
  const double most = device_->dram_bytes_per_s / (1e6 * device_->sm_clock_mhz * device_->sm_count);
  EXPECT_GT(One(figures::kDram), 0.6 * most);
  EXPECT_LT(One(figures::kDram), 1.3 * most);
  EXPECT_GT(One(figures::kL2), One(figures::kDram));
  EXPECT_GT(One(figures::kL1), One(figures::kL2));
}

TEST_F(MeasuredMachine, WaitsLongerTheFartherTheMemoryAndTheMoreItIsLoaded) {
  const auto l2 = Of(first_, figures::kL2Latency), dram = Of(first_, figures::kDramLatency);
  EXPECT_LT(One(figures::kSharedLatency), One(figures::kL1Latency) * 1.05);
  EXPECT_LT(One(figures::kL1Latency), l2.begin()->second / 2);
  EXPECT_LT(l2.begin()->second, dram.begin()->second / 1.5);
  EXPECT_GT(l2.rbegin()->second, 1.1 * l2.begin()->second);
  EXPECT_GT(dram.rbegin()->second, 1.1 * dram.begin()->second);
  EXPECT_GT(dram.rbegin()->first, 0.5 * One(figures::kDram)) << "loaded indeed";
}

// The link to the host is 16 lanes of PCIe of generation 3 (12 GB/s) or more; NVLink to a Grace has up to 450 GB/s.
TEST_F(MeasuredMachine, GetsLessFromTheHostThanFromItsOwnMemory) {
  const double bytes_per_s = One(figures::kHost) * device_->sm_count * 1e6 * device_->sm_clock_mhz;
  EXPECT_GT(bytes_per_s, 5e9);
  EXPECT_LT(One(figures::kHost), One(figures::kDram) / 2);
}

TEST_F(MeasuredMachine, IsNoFasterAtRandomPlacesOfMoreMemory) {
  const auto random = Of(first_, figures::kRandom);
  ASSERT_GE(random.size(), 2u);
  EXPECT_LT(random.rbegin()->second, 1.1 * random.begin()->second);
  // The TLBs of an H200 reach 64 GiB.
  if (random.rbegin()->first > 90) {
    EXPECT_LT(random.rbegin()->second, 0.5 * random.begin()->second);
  }
}

TEST_F(MeasuredMachine, PaysForCodeThatFitsNoCacheAndForWarpsAtABarrier) {
  const auto fetch = Of(first_, figures::kFetch), barrier = Of(first_, figures::kBarrier);
  EXPECT_LT(fetch.begin()->second, 1.3) << "cycles for an instruction, out of the caches";
  EXPECT_GT(fetch.rbegin()->second, 1.5 * fetch.begin()->second);
  EXPECT_GT(barrier.rbegin()->second, 2 * barrier.begin()->second);
}

TEST_F(MeasuredMachine, SaysTheSameTwice) {
  for (const std::string_view name :
       {figures::kFp32, figures::kAlu, figures::kFp64, figures::kXu, figures::kFp16, figures::kShared, figures::kL1,
        figures::kL2, figures::kHost, figures::kSharedLatency, figures::kL1Latency, figures::kSharedAtomics})
    EXPECT_NEAR(Of(second_, name).at(0) / One(name), 1, 0.05) << name << ": " << One(name);
  // An H200 reads one region of 1 GiB at 17.4 bytes per SM and cycle and another at 15.2 (docs/evidence/cupti.md).
  EXPECT_NEAR(Of(second_, figures::kDram).at(0) / One(figures::kDram), 1, 0.2) << One(figures::kDram);
}

}  // namespace
}  // namespace culprit
