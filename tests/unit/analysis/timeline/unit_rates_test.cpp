// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/unit_rates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "db/metric_catalogue.h"
#include "db/sampled_counters.h"

namespace culprit {
namespace {

const UnitRate& Named(std::string_view id) { return *std::ranges::find(UnitRates(), id, &UnitRate::id); }

Device ADevice() {
  Device device;
  device.sm_count = 100;
  device.max_threads_per_sm = 2048;
  device.dram_bytes_per_s = 4e12;
  device.cc_major = 9;
  device.sm_clock_mhz = 2000;
  return device;
}

// 1 us at 1.5 GHz.
UnitCounts Counts(const char* id, double count) { return {{{id, count}}, 1000, 1500}; }

TEST(UnitRates, AreSharesOfWhatSlotsAndCyclesAllow) {
  EXPECT_DOUBLE_EQ(*RateOf(Named("issue"), Counts("inst_executed", 4 * 100 * 1500 / 2.0), ADevice()), 50);
  EXPECT_DOUBLE_EQ(*RateOf(Named("sms_active"), Counts("smsp_cycles_active", 4 * 100 * 1500), ADevice()), 100);
  EXPECT_DOUBLE_EQ(*RateOf(Named("shared"), Counts("shared_wavefronts", 100 * 1500 / 4.0), ADevice()), 25);
  EXPECT_DOUBLE_EQ(*RateOf(Named("alu"), Counts("pipe_alu_inst", 2 * 100 * 1500), ADevice()), 100);
  EXPECT_DOUBLE_EQ(*RateOf(Named("xu"), Counts("pipe_xu_inst", 0.5 * 100 * 1500), ADevice()), 100);
  EXPECT_DOUBLE_EQ(*RateOf(Named("warps"), Counts("warps_active", 12 * 100 * 1500), ADevice()), 12);
}

TEST(UnitRates, AreBytesAndCyclesPerSecond) {
  EXPECT_DOUBLE_EQ(*RateOf(Named("dram_read"), Counts("dram_read_bytes", 3e6), ADevice()), 3e12);
  EXPECT_DOUBLE_EQ(*RateOf(Named("l2"), Counts("l2_sectors", 1e5), ADevice()), 3.2e12);
  EXPECT_DOUBLE_EQ(*RateOf(Named("clock"), Counts("any", 0), ADevice()), 1500);
  UnitCounts l1 = Counts("l1_sectors_hit", 1e5);
  EXPECT_FALSE(RateOf(Named("l1"), l1, ADevice())) << "half of it is not measured";
  l1.counts["l1_sectors_miss"] = 0;
  EXPECT_DOUBLE_EQ(*RateOf(Named("l1"), l1, ADevice()), 3.2e12);
}

TEST(UnitRates, AreNotMeasuredWithoutCountsCyclesOrTime) {
  UnitCounts counts = Counts("inst_executed", 5);
  EXPECT_FALSE(RateOf(Named("shared"), counts, ADevice()));
  counts.cycles.reset();
  EXPECT_FALSE(RateOf(Named("issue"), counts, ADevice()));
  EXPECT_FALSE(RateOf(Named("clock"), counts, ADevice()));
  counts = Counts("dram_read_bytes", 5);
  counts.time_ns = 0;
  EXPECT_FALSE(RateOf(Named("dram_read"), counts, ADevice()));
  EXPECT_FALSE(RateOf(Named("issue"), Counts("inst_executed", 5), Device()));
}

TEST(UnitRates, HavePeaks) {
  RunRecord run;
  run.device = ADevice();
  EXPECT_EQ(PeakOf(Named("issue"), run), 100);
  EXPECT_EQ(PeakOf(Named("warps"), run), 64);
  EXPECT_EQ(PeakOf(Named("dram_write"), run), 4e12);
  EXPECT_DOUBLE_EQ(*PeakOf(Named("l1"), run), 128.0 * 100 * 2e9);
  run.device.reset();
  EXPECT_FALSE(PeakOf(Named("l2"), run));
}

TEST(UnitRates, AreMadeOfMetricsThatAreSampled) {
  for (const UnitRate& rate : UnitRates())
    for (const std::string_view metric : rate.metrics) {
      if (metric.empty()) continue;
      bool is_sampled = false;
      for (const CounterTurn& turn : CounterTurnsOn("GH100"))
        for (const TurnCounter& counter : turn.counters) is_sampled = is_sampled || counter.id == metric;
      EXPECT_TRUE(is_sampled) << rate.id << ": " << metric;
    }
}

}  // namespace
}  // namespace culprit
