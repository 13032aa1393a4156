// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/movement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::AreUs;
using ::testing::IsEmpty;
using testing::KernelBuilder;

testing::Us Moved(const Movement& m, int sign) {
  testing::Us moved;
  for (const auto& [cause, units] : m.Moved(sign)) {
    EXPECT_TRUE(units.IsPoint()) << cause;
    moved[cause] = units.low;
  }
  return moved;
}

TEST(Movement, TellsWhatCameFromWhatWent) {
  Movement m;
  m.Add("dram_traffic", 100, 300);
  m.Add("l2_traffic", 500, 100);
  m.Add("dram_traffic", 0, 50);
  EXPECT_THAT(Moved(m, 1), AreUs({{"dram_traffic", 250}}));
  EXPECT_THAT(Moved(m, -1), AreUs({{"l2_traffic", 400}}));
  EXPECT_EQ(m.from().low, 600);
  EXPECT_EQ(m.to().low, 450);
}

TEST(Movement, OfLessThanAHundredthOfTheDemandIsNoise) {
  Movement m;
  m.Add("l2_traffic", 10000, 10000);
  m.Add("atomics", 0, 99);
  EXPECT_THAT(Moved(m, 1), IsEmpty());
  m.Add("atomics", 0, 3);
  // 102 of 10,102.
  EXPECT_THAT(Moved(m, 1), AreUs({{"atomics", 102}}));
}

TEST(Movement, SharesAProductBetweenAmountAndRate) {
  // 100 x 2 = 200 becomes 400 x 4 = 1,600: of three doublings two are the amount's.
  Movement m;
  m.AddProduct("shared_traffic", 100, 400, "shared_access_width", 2, 4);
  EXPECT_THAT(Moved(m, 1), AreUs({{"shared_traffic", 1400 * 2.0 / 3}, {"shared_access_width", 1400 / 3.0}}));
}

TEST(Movement, LetsTheFactorsOfAProductWorkAgainstEachOther) {
  // 100 x 4 = 400 becomes 400 x 2 = 800: two doublings against a halving.
  Movement m;
  m.AddProduct("shared_traffic", 100, 400, "shared_access_width", 4, 2);
  EXPECT_THAT(Moved(m, 1), AreUs({{"shared_traffic", 800}}));
  EXPECT_THAT(Moved(m, -1), AreUs({{"shared_access_width", 400}}));
}

TEST(Movement, GivesAProductOutOfNothingToTheFactorThatWasNothing) {
  Movement amount, rate;
  amount.AddProduct("shared_traffic", 0, 100, "shared_access_width", 0, 2);
  EXPECT_THAT(Moved(amount, 1), AreUs({{"shared_traffic", 200}}));
  rate.AddProduct("shared_traffic", 100, 100, "shared_access_width", 0, 2);
  EXPECT_THAT(Moved(rate, 1), AreUs({{"shared_access_width", 200}}));
}

TEST(Movement, ShiftsUnitsWithoutChangingTheDemand) {
  Movement m;
  m.Add("l2_traffic", 100, 500);
  m.Shift("l2_traffic", "divergence", 150);
  EXPECT_THAT(Moved(m, 1), AreUs({{"divergence", 150}, {"l2_traffic", 250}}));
  EXPECT_EQ(m.to().low, 500);
}

TEST(Movement, ReassignsInProportionAndOnlyWhatMovedTheSameWay) {
  Movement m;
  m.Add("fma_pipe", 0, 300);
  m.Add("instruction_count", 0, 100);
  m.Add("sfu_pipe", 200, 0);
  m.Reassign("divergence", 200);
  EXPECT_THAT(Moved(m, 1), AreUs({{"divergence", 200}, {"fma_pipe", 150}, {"instruction_count", 50}}));
  EXPECT_THAT(Moved(m, -1), AreUs({{"sfu_pipe", 200}}));
}

TEST(Movement, ReassignsNoMoreThanThereIs) {
  Movement m;
  m.Add("fma_pipe", 0, 300);
  m.Reassign("divergence", 1000);
  EXPECT_THAT(Moved(m, 1), AreUs({{"divergence", 300}}));
  m.Reassign("divergence", -1000);
  EXPECT_THAT(Moved(m, 1), AreUs({{"divergence", 300}})) << "nothing fell";
}

Movement Of(const char* stall, const KernelBuilder& base, const KernelBuilder& candidate) {
  const KernelView from(base.record), to(candidate.record);
  return MovementFor(stall, from, Demand(from), to, Demand(to));
}

TEST(MovementFor, IsEmptyForStatesThatAreNoUnits) {
  const KernelBuilder base = testing::Spending("base", {{"selected", 40}});
  KernelBuilder candidate = testing::Spending("candidate", {{"selected", 80}}).Metric("inst_issued", 9000);
  candidate.Metric("global_load_requests", 500).Metric("global_load_sectors", 2000);
  for (const char* stall : {"not_selected", "sleeping", "membar", "misc", "unattributed"})
    EXPECT_EQ(Of(stall, base, candidate).to().low, 0) << stall;
  for (const char* stall : {"selected", "wait", "dispatch_stall", "math_pipe_throttle", "long_scoreboard", "drain",
                            "lg_throttle", "mio_throttle", "short_scoreboard"})
    EXPECT_GT(Of(stall, base, candidate).to().low, 0) << stall;
}

TEST(MovementFor, CountsBarriersAlsoWhereThereWereNone) {
  KernelBuilder base = testing::Spending("base", {{"barrier", 40}}), candidate = base;
  base.record.barriers = 100;
  candidate.record.barriers = 300;
  EXPECT_THAT(Moved(Of("barrier", base, candidate), 1), AreUs({{"barrier", 200}}));
  base.record.barriers = 0;
  EXPECT_THAT(Moved(Of("barrier", base, candidate), 1), AreUs({{"barrier", 300}}));
  EXPECT_THAT(Moved(Of("barrier", candidate, base), -1), AreUs({{"barrier", 300}}));
}

TEST(MovementFor, KnowsNothingOfBarriersThatWereNotCounted) {
  KernelBuilder base = testing::Spending("base", {{"barrier", 40}}), candidate = base;
  base.record.barriers.reset();
  candidate.record.barriers = 300;
  const Movement::Units moved = Of("barrier", base, candidate).Moved(1);
  EXPECT_EQ(moved.at("barrier").low, 0);
  EXPECT_EQ(moved.at("barrier").high, 300);
}

TEST(Movement, OfWhatWasNotMeasuredLiesBetweenAllThatItCanBe) {
  Movement m;
  m.Add("dram_traffic", Range(0, 50), 200.0);
  m.Add("l2_traffic", 100.0, 100.0);
  EXPECT_EQ(m.Moved(1).at("dram_traffic").low, 150);
  EXPECT_EQ(m.Moved(1).at("dram_traffic").high, 200);
  EXPECT_EQ(m.to().low, 300);
  EXPECT_FALSE(m.Moved(1).contains("l2_traffic"));
}

TEST(MovementFor, WeighsASectorByTheLevelsThatItPasses) {
  const auto reading = [](double from_l1, double bytes) {
    return testing::Spending("k", {{"long_scoreboard", 40}})
        .Metric("global_load_sectors", 100)
        .Metric("l2_sectors_from_l1", from_l1)
        .Metric("dram_read_bytes", bytes);
  };
  // L1 1; L2 1 + 6; device memory 1 + 6 + 10. Without requests that is all there is.
  EXPECT_EQ(Of("long_scoreboard", reading(0, 0), reading(100, 0)).from().low, 100);
  EXPECT_EQ(Of("long_scoreboard", reading(0, 0), reading(100, 0)).to().low, 700);
  EXPECT_EQ(Of("long_scoreboard", reading(0, 0), reading(100, 100 * 32)).to().low, 1700);
}

}  // namespace
}  // namespace culprit
