// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/movement.h"

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

TEST(Movement, ShiftsUnitsWithoutChangingTheDemand) {
  Movement m;
  m.Add("l2_traffic", 100, 500);
  m.Pass("l2_traffic", "divergence", 150);
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
  const Demand of_base(from), of_candidate(to);
  const auto wait = WaitOf(stall);
  return wait ? MovementOf(*wait, Askers(from, of_base, to, of_candidate)) : Movement();
}

// That issues so many accesses to shared memory, of `bytes` for each thread.
KernelBuilder Sharing(double accesses, double bytes) {
  KernelBuilder k = testing::Spending("k", {{"selected", 40}});
  k.Metric("inst_issued", accesses).Metric("shared_load_inst", accesses);
  k.record.access_bytes["shared"] = bytes;
  return k;
}

TEST(MovementOf, SharesAccessesBetweenTheirBytesAndTheirWidth) {
  // 200 become 1,600: of three doublings two are the bytes'.
  EXPECT_THAT(Moved(Of("selected", Sharing(200, 4), Sharing(1600, 2)), 1),
              AreUs({{"shared_traffic", 1400 * 2.0 / 3}, {"shared_access_width", 1400 / 3.0}}));
}

TEST(MovementOf, LetsBytesAndWidthWorkAgainstEachOther) {
  // 400 become 800: two doublings of the bytes against one of the width.
  const Movement m = Of("selected", Sharing(400, 2), Sharing(800, 4));
  EXPECT_THAT(Moved(m, 1), AreUs({{"shared_traffic", 800}}));
  EXPECT_THAT(Moved(m, -1), AreUs({{"shared_access_width", 400}}));
}

TEST(MovementOf, GivesAccessesWhereThereWereNoneToTheirBytes) {
  EXPECT_THAT(Moved(Of("selected", Sharing(0, 0), Sharing(200, 2)), 1), AreUs({{"shared_traffic", 200}}));
}

TEST(MovementOf, IsEmptyForStatesThatAreNoUnits) {
  const KernelBuilder base = testing::Spending("base", {{"selected", 40}});
  KernelBuilder candidate = testing::Spending("candidate", {{"selected", 80}}).Metric("inst_issued", 9000);
  candidate.Metric("global_load_requests", 500).Metric("global_load_sectors", 2000);
  for (const char* stall : {"not_selected", "sleeping", "membar", "misc", "unattributed"})
    EXPECT_EQ(Of(stall, base, candidate).to().low, 0) << stall;
  for (const char* stall : {"selected", "wait", "dispatch_stall", "math_pipe_throttle", "long_scoreboard", "drain",
                            "lg_throttle", "mio_throttle", "short_scoreboard"})
    EXPECT_GT(Of(stall, base, candidate).to().low, 0) << stall;
}

TEST(MovementOf, CountsBarriersAlsoWhereThereWereNone) {
  KernelBuilder base = testing::Spending("base", {{"barrier", 40}}), candidate = base;
  base.record.barriers = 100;
  candidate.record.barriers = 300;
  EXPECT_THAT(Moved(Of("barrier", base, candidate), 1), AreUs({{"barrier", 200}}));
  base.record.barriers = 0;
  EXPECT_THAT(Moved(Of("barrier", base, candidate), 1), AreUs({{"barrier", 300}}));
  EXPECT_THAT(Moved(Of("barrier", candidate, base), -1), AreUs({{"barrier", 300}}));
}

TEST(MovementOf, KnowsNothingOfBarriersThatWereNotCounted) {
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

TEST(MovementOf, WeighsASectorByTheLevelsThatItPasses) {
  const auto reading = [](double from_l1, double bytes) {
    return testing::Spending("k", {{"long_scoreboard", 40}})
        .Metric("global_load_sectors", 100)
        .Metric("l2_sectors_from_l1", from_l1)
        .Metric("dram_read_bytes", bytes);
  };
  // Without requests that is all there is.
  const Machine machine = MachineOf(reading(0, 0).record.run.run);
  const double at_l2 = 1 + machine.L2OverL1(), at_dram = at_l2 + machine.DramOverL1();
  EXPECT_EQ(Of("long_scoreboard", reading(0, 0), reading(100, 0)).from().low, 100);
  EXPECT_DOUBLE_EQ(Of("long_scoreboard", reading(0, 0), reading(100, 0)).to().low, 100 * at_l2);
  EXPECT_DOUBLE_EQ(Of("long_scoreboard", reading(0, 0), reading(100, 100 * 32)).to().low, 100 * at_dram);
}

}  // namespace
}  // namespace culprit
