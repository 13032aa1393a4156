// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/timing_caveats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/judge/why/explain.h"
#include "analysis/show/report/kernel_report.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KernelBuilder;

// 100 us at 2,000 MHz: 200,000 cycles.
KernelBuilder Counted(double cycles) {
  return KernelBuilder("k").Time(100, 2000).Metric("sm_cycles_elapsed_max", cycles, "cycle");
}

std::vector<std::string> Of(const KernelBuilder& k) { return TimingCaveats(KernelView(k.record), "k"); }

TEST(TimingCaveats, SayWhenOtherCyclesWereCountedThanTimed) {
  EXPECT_THAT(
      Of(Counted(206100)),
      ElementsAre("k: 206,100 cycles were counted and 200,000 cycles timed, 3.0 % more: its counts are of executions "
                  "that differ from the timed ones."));
  EXPECT_THAT(Of(Counted(118000)),
              ElementsAre(HasSubstr("118,000 cycles were counted and 200,000 cycles timed, 41.0 % fewer")));
}

TEST(TimingCaveats, AreSilentWhereTheTwoAgreeOrOneWasNotMeasured) {
  EXPECT_THAT(Of(Counted(205900)), IsEmpty());
  EXPECT_THAT(Of(Counted(194100)), IsEmpty());
  EXPECT_THAT(Of(Counted(0)), IsEmpty());
  EXPECT_THAT(Of(KernelBuilder("k").Time(100, 2000)), IsEmpty());
  KernelBuilder without_clock = Counted(400000);
  for (Sample& sample : without_clock.record.samples) sample.clock_mhz.reset();
  EXPECT_THAT(Of(without_clock), IsEmpty());
}

TEST(TimingCaveats, SayThatALaunchOfAProgramWaitedForWhatItsCountersDoNotShow) {
  KernelBuilder k = KernelBuilder("k").Time(100, 2000).Metric("counted_time_ns", 40'000, "ns");
  for (Sample& sample : k.record.samples) sample.clock_mhz.reset();
  EXPECT_THAT(Of(k), ElementsAre(HasSubstr("k took 100.0 us when it was timed and 40.00 us when it was counted.")));
  EXPECT_THAT(Of(k.Metric("counted_time_ns", 60'000, "ns")), IsEmpty()) << "launches of programs differ";
  KernelBuilder is_short = KernelBuilder("k").Time(20, 2000).Metric("counted_time_ns", 4'000, "ns");
  for (Sample& sample : is_short.record.samples) sample.clock_mhz.reset();
  EXPECT_THAT(Of(is_short), IsEmpty());
}

TEST(TimingCaveats, SayThatFewCountedLaunchesDoNotStandForAll) {
  KernelBuilder k = KernelBuilder("k").Time(100, 2000).Metric("counted_time_ns", 190'000, "ns");
  k.record.samples = {};
  for (const double us : {190.0, 150.0, 110.0, 70.0, 30.0}) k.record.samples.push_back({0, us, {}, false});
  EXPECT_THAT(Of(k), IsEmpty()) << "no launch of a program";
  k.record.program.emplace();
  k.record.program->calls = 256, k.record.program->counted = 3;
  EXPECT_THAT(Of(k),
              ElementsAre("Launches of k differ, 30.00 us to 190.0 us and 110.0 us on average: its counters are of 3 "
                          "of its 256 launches, which took 190.0 us when they were counted, and do not stand for "
                          "all."));
  EXPECT_THAT(Of(k.Metric("counted_time_ns", 115'000, "ns")), IsEmpty()) << "they are like the mean";
  k.record.program->counted = 256;
  EXPECT_THAT(Of(k.Metric("counted_time_ns", 190'000, "ns")), IsEmpty()) << "all were counted";
}

TEST(TimingCaveats, TakeTimeOrCyclesWhicheverAgreeBetter) {
  // The same time at 1,700 MHz: the clocks differ and not the executions.
  EXPECT_THAT(Of(Counted(170000).Metric("counted_time_ns", 100'000, "ns")), IsEmpty());
  // The same cycles at half the clock.
  EXPECT_THAT(Of(Counted(200000).Metric("counted_time_ns", 200'000, "ns")), IsEmpty());
  EXPECT_THAT(Of(Counted(300000).Metric("counted_time_ns", 120'000, "ns")),
              ElementsAre(HasSubstr("k: 120.0 us were counted and 100.0 us timed, 20.0 % more")));
}

TEST(TimingCaveats, TakeATimedIntervalWithoutWhatTheLaunchTakes) {
  EXPECT_THAT(Of(Counted(180000)), ElementsAre(HasSubstr("10.0 % fewer")));
  EXPECT_THAT(Of(Counted(180000).Metric("launch_overhead_us", 10, "us")), IsEmpty());
}

TEST(TimingCaveats, SayWhenTheGateGaveUp) {
  KernelBuilder k = Counted(200000);
  k.record.samples[1].gate_open = true;
  EXPECT_THAT(Of(k), ElementsAre("k: the timer's gate gave up before the launch was enqueued in 1 of 3 samples, so "
                                 "their times may hold waiting for the host."));
}

TEST(TimingCaveats, StandInShowAndOfBothSidesInWhy) {
  KernelBuilder off = Counted(300000);
  off.record.samples[0].gate_open = true;
  const KernelBuilder agrees = Counted(200000);
  EXPECT_THAT(MakeKernelReport(off.record).warnings, Contains(HasSubstr("300,000 cycles were counted")));
  EXPECT_THAT(MakeKernelReport(off.record).warnings, Contains(HasSubstr("gate gave up")));
  const auto caveats = [](const KernelBuilder& base, const KernelBuilder& candidate) {
    return Explain(KernelView(base.record), KernelView(candidate.record)).caveats;
  };
  EXPECT_THAT(caveats(off, agrees), Contains(HasSubstr("k (base): 300,000 cycles")));
  EXPECT_THAT(caveats(agrees, off), Contains(HasSubstr("k (candidate): 300,000 cycles")));
  EXPECT_THAT(caveats(agrees, off), Contains(HasSubstr("k (candidate): the timer's gate")));
}

}  // namespace
}  // namespace culprit
