// SPDX-License-Identifier: Apache-2.0
// What is certain of one or two profiled launches of each kernel, which are too few for an interval.
#include <gtest/gtest.h>

#include "analysis/judge/why/explain.h"

namespace culprit {
namespace {

struct Profiled {
  double time_us, clock_mhz;
};

KernelRecord Kernel(const std::vector<Profiled>& launches, ProgramSource source = ProgramSource::kNcu) {
  KernelRecord kernel;
  kernel.stage.id = "k";
  kernel.run.run.program.emplace().source = source;
  for (const Profiled& p : launches) {
    Sample& sample = kernel.samples.emplace_back();
    sample.time_us = p.time_us;
    sample.clock_mhz = p.clock_mhz;
  }
  return kernel;
}

Speed Judge(const KernelRecord& base, const KernelRecord& candidate) {
  const KernelView from(base), to(candidate);
  return Explain(from, to).verdict.speed;
}

TEST(SingleProfiles, AreADifferenceWhereAllLieFarApart) {
  const KernelRecord quick = Kernel({{10, 1500}, {10.5, 1500}}), slow = Kernel({{13, 1500}});
  EXPECT_EQ(Judge(quick, slow), Speed::kSlower);
  EXPECT_EQ(Judge(slow, quick), Speed::kFaster);
}

TEST(SingleProfiles, LeaveOpenWhatTheirScatterCouldBe) {
  EXPECT_EQ(Judge(Kernel({{10, 1500}}), Kernel({{11.9, 1500}})), Speed::kAmbiguous);            // 19 %
  EXPECT_EQ(Judge(Kernel({{10, 1500}, {12, 1500}}), Kernel({{13, 1500}})), Speed::kAmbiguous);  // one of them lies near
}

// 1,500 MHz against 1,980 MHz: one report had the clock locked, the other one had not.
TEST(SingleProfiles, LeaveOpenWhatTheClockAloneDoes) {
  EXPECT_EQ(Judge(Kernel({{10, 1980}}), Kernel({{13.2, 1500}})), Speed::kAmbiguous);
  KernelRecord without = Kernel({{13.2, 1500}});
  without.samples[0].clock_mhz.reset();
  EXPECT_EQ(Judge(Kernel({{10, 1980}}), without), Speed::kAmbiguous);
}

TEST(SingleProfiles, AreNoneOfOtherRuns) {
  EXPECT_EQ(Judge(Kernel({{10, 1500}}, ProgramSource::kRecord), Kernel({{13, 1500}}, ProgramSource::kRecord)),
            Speed::kAmbiguous);
  EXPECT_EQ(Judge(Kernel({{10, 1500}}), Kernel({{13, 1500}}, ProgramSource::kNvbench)), Speed::kAmbiguous);
}

}  // namespace
}  // namespace culprit
