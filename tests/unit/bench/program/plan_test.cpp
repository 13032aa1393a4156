// SPDX-License-Identifier: Apache-2.0
#include "bench/program/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/error.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const LaunchGeometry kWide{1024, 1, 1, 256, 1, 1, 0};

// `calls` launches of each kernel, of so many microseconds.
ProcessTrace Trace(const std::vector<std::tuple<std::string, int, int>>& kernels) {
  ProcessTrace trace;
  std::int64_t now = 1000;
  for (const auto& [symbol, calls, us] : kernels) {
    for (int i = 0; i < calls; ++i, now += 1000 * us)
      trace.launches.push_back(
          {static_cast<int>(trace.kernels.size()), kWide, 0, 1, 7, -1, false, now, now + 1000 * us});
    trace.kernels.push_back(symbol);
  }
  trace.launches_seen = static_cast<std::int64_t>(trace.launches.size());
  trace.complete = true;
  return trace;
}

CountingPlan PlanOf(const ProcessTrace& trace, const CountingWishes& wishes = {}) {
  return PlanCounting(ReadTimed(std::span(&trace, 1)), wishes);
}

TEST(CountingPlan, TakesWhatHasTheTimeAndSaysWhyNotTheRest) {
  std::vector<std::tuple<std::string, int, int>> kernels{{"small", 1, 40}, {"big", 10, 90}, {"middle", 2, 30}};
  for (int i = 0; i < 6; ++i) kernels.emplace_back("m" + std::to_string(i), 1, 200);
  const CountingPlan plan = PlanOf(Trace(kernels));
  ASSERT_THAT(plan.plan.kernels, SizeIs(8));
  EXPECT_EQ(plan.plan.mode, TraceMode::kCount);
  EXPECT_EQ(plan.plan.kernels[0].symbol, "big");
  EXPECT_THAT(plan.plan.kernels[0].nth, ElementsAre(1, 5, 9));
  EXPECT_DOUBLE_EQ(plan.plan.kernels[0].limit_s, 3 + 10 + 16 * 2 * 90e-6)
      << "twice the passes of the core set, and memory that nobody saw";
  EXPECT_EQ(plan.plan.kernels[7].symbol, "middle");
  EXPECT_THAT(plan.plan.kernels[7].nth, ElementsAre(0, 1));
  EXPECT_EQ(plan.not_counted[0], "");
  EXPECT_THAT(plan.not_counted[8], HasSubstr("1.8 % of kernel time: use -k"));
}

TEST(CountingPlan, TakesAllOfAFewButWhatCouldHardlyMatterInAnyBuild) {
  const CountingPlan plan = PlanOf(Trace({{"big", 1, 100'000}, {"small", 1, 101}, {"tiny", 1, 99}}));
  ASSERT_THAT(plan.plan.kernels, SizeIs(2)) << "a thousandth is 100 us";
  EXPECT_EQ(plan.plan.kernels[1].symbol, "small");
  EXPECT_THAT(plan.not_counted[2], HasSubstr("use -k"));
  const CountingPlan both = PlanOf(Trace({{"big", 1, 100'000}, {"a", 60, 99}}));
  EXPECT_THAT(both.plan.kernels, SizeIs(2)) << "of all calls together";
}

// Of how many kernels exact counts are read, where a program of ten kernels, of which two have 95 %, takes so long.
std::size_t ExactOf(std::optional<double> wall_s, const CountingWishes& wishes = {}) {
  std::vector<std::tuple<std::string, int, int>> kernels{{"a", 1, 5000}, {"b", 1, 4800}};
  for (int i = 0; i < 8; ++i) kernels.emplace_back("m" + std::to_string(i), 1, 25);
  const ProcessTrace trace = Trace(kernels);
  TimedProgram timed = ReadTimed(std::span(&trace, 1));
  if (wall_s) timed.program.wall_us = 1e6 * *wall_s;
  return PlanCounting(timed, wishes).exact.size();
}

TEST(CountingPlan, ReadsExactCountsOfKernelsThatHardlyMatterOnlyWhileTheyTakeNoLongerThanAMinute) {
  EXPECT_EQ(ExactOf(0.5), 8U);
  EXPECT_EQ(ExactOf(7.5), 8U);
  EXPECT_EQ(ExactOf(19), 3U);
  EXPECT_EQ(ExactOf(600), 2U) << "those with 95 % of the time, however long it takes";
  EXPECT_EQ(ExactOf(std::nullopt), 8U);
  EXPECT_EQ(ExactOf(600, {.names = NamePattern("-k", "m")}), 8U) << "somebody asks for them";
  EXPECT_EQ(ExactOf(600, {.names = NamePattern("-k", "m3")}), 1U);
}

// A kernel "sweep" with so many block sizes, the last of which takes longest, beside kernels "a" and "b" of one each.
TimedProgram Sweep(int sizes, int a_us, int b_us) {
  ProcessTrace trace = Trace({{"a", 1, a_us}, {"b", 1, b_us}, {"sweep", sizes, 100}});
  for (int i = 0; i < sizes; ++i) {
    trace.launches.at(static_cast<std::size_t>(2 + i)).geometry.block_x = 32 * (i + 1);
    trace.launches.at(static_cast<std::size_t>(2 + i)).end_ns += i;
  }
  return ReadTimed(std::span(&trace, 1));
}

// "sweep 320": a kernel, and threads in a block.
std::vector<std::string> ExactOf(const TimedProgram& timed, const CountingWishes& wishes = {}) {
  const CountingPlan plan = PlanCounting(timed, wishes);
  std::vector<std::string> names;
  for (const std::size_t i : plan.exact)
    names.push_back(plan.plan.kernels.at(i).symbol + " " + std::to_string(plan.plan.kernels.at(i).geometry.block_x));
  return names;
}

TEST(CountingPlan, ReadsExactCountsOfKernelsBeforeFurtherGeometries) {
  EXPECT_THAT(ExactOf(Sweep(3, 90, 10)), ElementsAre("sweep 96", "a 256", "b 256", "sweep 64", "sweep 32"));
  const std::vector<std::string> many = ExactOf(Sweep(20, 90, 10));
  ASSERT_THAT(many, SizeIs(8));
  EXPECT_THAT(many, ::testing::IsSupersetOf({"sweep 640", "a 256", "b 256", "sweep 608"}));
}

TEST(CountingPlan, CountsKernelsThatAnotherOnesGeometriesWouldLeaveNoRoomFor) {
  const CountingPlan plan = PlanCounting(Sweep(60, 90, 10), {});
  EXPECT_THAT(plan.plan.kernels, SizeIs(24));
  EXPECT_THAT(ExactOf(Sweep(60, 90, 10)), ElementsAre("sweep 1920", "a 256", "b 256", "sweep 1888", "sweep 1856",
                                                      "sweep 1824", "sweep 1792", "sweep 1760"));
}

TEST(CountingPlan, ReadsExactCountsOfFurtherGeometriesOnlyWhileTheyTakeNoLongerThanAMinute) {
  TimedProgram timed = Sweep(20, 90, 10);
  timed.program.wall_us = 1e6 * 600;
  EXPECT_THAT(ExactOf(timed), ElementsAre("sweep 640"));
  EXPECT_THAT(ExactOf(timed, {.names = NamePattern("-k", "sweep|a")}), ElementsAre("sweep 640", "a 256"))
      << "somebody asks for these kernels, but not for each geometry";
  timed.program.wall_us = 1e6 * 15;
  EXPECT_THAT(ExactOf(timed), SizeIs(4));
}

TEST(CountingPlan, FindsANameOfAnyLengthWithAnyExpressionInLinearTime) {
  const std::string name(1'000'000, 'a');
  EXPECT_FALSE(NamePattern("-k", "(a+)+c").Finds(name));
  EXPECT_TRUE(NamePattern("-k", "(a+)+$").Finds(name));
  EXPECT_FALSE(NamePattern("-k", "(x?){20}x{20}$").Finds(name));
  EXPECT_TRUE(NamePattern("-k", "gemm").Finds("\xff\xfe gemm")) << "a name need not be UTF-8";
}

TEST(CountingPlan, RefusesAnExpressionThatIsNoneOrTooLarge) {
  const auto complaint = [](const std::string& expression) -> std::string {
    try {
      NamePattern("-k", expression);
      return "";
    } catch (const Error& e) {
      return e.what();
    }
  };
  EXPECT_EQ(complaint("("),
            "-k takes a regular expression that a kernel's name has, such as 'gemm|softmax', not '(' "
            "(missing )).");
  for (const std::string& hostile :
       {std::string(100'000, '('), std::string("((a{100}){100}){100}"), std::string("a**("), std::string("(?<=a)b"),
        std::string("(a)\\1"), std::string("\xff"), std::string("[b-a]")}) {
    EXPECT_THAT(complaint(hostile), ::testing::StartsWith("-k takes a regular expression")) << hostile.substr(0, 20);
    EXPECT_LT(complaint(hostile).size(), 300U);
  }
}

TEST(CountingPlan, TakesNoMoreThanTwentyFour) {
  std::vector<std::tuple<std::string, int, int>> kernels;
  for (int i = 0; i < 100; ++i) kernels.emplace_back("k" + std::to_string(i), 1, 5);
  EXPECT_THAT(PlanOf(Trace(kernels)).plan.kernels, SizeIs(24));
  CountingWishes all;
  all.names = NamePattern("-k", "k");
  EXPECT_THAT(PlanOf(Trace(kernels), all).plan.kernels, SizeIs(100));
  all.names = NamePattern("-k", "^k7$");
  const CountingPlan one = PlanOf(Trace(kernels), all);
  ASSERT_THAT(one.plan.kernels, SizeIs(1));
  EXPECT_EQ(one.plan.kernels[0].symbol, "k7");
}

TEST(CountingPlan, SpreadsOverTheCallsAsWished) {
  CountingWishes wishes;
  wishes.launches = 1;
  EXPECT_THAT(PlanOf(Trace({{"k", 1, 1}}), wishes).plan.kernels.at(0).nth, ElementsAre(0));
  EXPECT_THAT(PlanOf(Trace({{"k", 100, 1}}), wishes).plan.kernels.at(0).nth, ElementsAre(50));
  wishes.launches = 4;
  EXPECT_THAT(PlanOf(Trace({{"k", 4, 1}}), wishes).plan.kernels.at(0).nth, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(PlanOf(Trace({{"k", 5, 1}}), wishes).plan.kernels.at(0).nth, ElementsAre(1, 2, 3, 4));
}

TEST(CountingPlan, LeavesOutWhatTakesLongerThanIsWished) {
  const ProcessTrace trace = Trace({{"slow", 4, 200'000}, {"fast", 4, 2000}, {"other", 4, 1900}});
  TimedProgram timed = ReadTimed(std::span(&trace, 1));
  CountingWishes wishes;
  wishes.launches = 1;
  EXPECT_THAT(PlanCounting(timed, wishes).plan.kernels, SizeIs(3));
  wishes.most_s = 3;  // 16 passes of 0.2 s each, and twice as long alone
  const CountingPlan plan = PlanCounting(timed, wishes);
  ASSERT_THAT(plan.plan.kernels, SizeIs(2));
  EXPECT_EQ(plan.plan.kernels[0].symbol, "fast");
  EXPECT_EQ(plan.plan.kernels[1].symbol, "other");
  EXPECT_NEAR(plan.expected_s, 0.264 + 0.2608, 1e-9) << "0.2 s each beside their passes";
  EXPECT_THAT(plan.skipped, ElementsAre("slow is not replayed: that would take about 7 s; culprit record -k slow "
                                        "counts it."));
  EXPECT_THAT(plan.not_counted.at(0), HasSubstr("replay was left out: that would take about 7 s"));
  for (const std::size_t i : plan.exact) EXPECT_LT(i, plan.plan.kernels.size());
  // What fits, but not beside kernels with more time, is left out without a sentence.
  std::vector<std::tuple<std::string, int, int>> many;
  for (int i = 0; i < 20; ++i) many.emplace_back("k" + std::to_string(i), 1, 2000 - i);
  const CountingPlan some = PlanOf(Trace(many), wishes);
  EXPECT_THAT(some.plan.kernels, SizeIs(11)) << "0.26 s each";
  EXPECT_THAT(some.skipped, IsEmpty());
  EXPECT_THAT(some.not_counted.at(15),
              HasSubstr("the 3.0 s for replays went to kernels with more time; culprit record -k k15"));
  // Saving most of the GPU's memory for each pass takes longer than any kernel.
  timed.device.emplace().memory_bytes = 150'000'000'000;
  timed.memory_bytes = 100'000'000'000;
  EXPECT_THAT(PlanCounting(timed, wishes).plan.kernels, IsEmpty());
  EXPECT_THAT(PlanCounting(timed, wishes).skipped, SizeIs(3));
  EXPECT_EQ(PlanCounting(timed, wishes).expected_s, 0);
  wishes.most_s.reset();
  EXPECT_THAT(PlanCounting(timed, wishes).plan.kernels, SizeIs(3));
  EXPECT_NEAR(PlanCounting(timed, wishes).expected_s, 3 * 34 + 6.6 + 0.264 + 0.2608, 1e-9)
      << "saved once, restored 16 times";
}

TEST(CountingPlan, NumbersCountLaunchesOfAllRanges) {
  ProcessTrace trace = Trace({{"k", 6, 1}});
  trace.ranges = {"other", "step 7"};
  for (const std::size_t i : {0, 1, 3}) trace.launches[i].range = 0;
  for (const std::size_t i : {2, 4, 5}) trace.launches[i].range = 1;
  CountingWishes wishes;
  wishes.range = "step";
  const TimedProgram timed = ReadTimed(std::span(&trace, 1), "step");
  ASSERT_THAT(timed.classes, SizeIs(1));
  EXPECT_EQ(timed.classes[0].calls, 3);
  EXPECT_THAT(PlanCounting(timed, wishes).plan.kernels.at(0).nth, ElementsAre(2, 4, 5));
}

CountedLaunch CountedOf(std::int64_t nth) {
  return {0, kWide, -1, nth, {{{"m", "range", "", "inst", ""}, 1.0, ReadingStatus::kOk}}, {}, ""};
}

// The period of a program on an H200 (132 SMs, 1980 MHz).
int PeriodOf(const std::vector<std::tuple<std::string, int, int>>& kernels) {
  const ProcessTrace trace = Trace(kernels);
  TimedProgram timed = ReadTimed(std::span(&trace, 1));
  timed.device = Device{.name = "H200", .chip = "GH100", .sm_count = 132, .sm_clock_mhz = 1980};
  const TracePlan plan = PlanSampling(timed);
  EXPECT_EQ(plan.mode, TraceMode::kSample);
  return plan.sampling_period;
}

TEST(SamplingPlan, GivesTheLeastOfTheKernelsThatMatterEnoughSamples) {
  EXPECT_EQ(PeriodOf({{"k", 10, 1000}}), 14) << "10 ms: 159,000 samples, and more are of no use";
  EXPECT_EQ(PeriodOf({{"k", 10, 100}, {"l", 10, 50}}), 11) << "500 us of l: 64,000 samples";
  EXPECT_EQ(PeriodOf({{"k", 1, 10}}), 7) << "no denser, though there are 20,000 then";
  EXPECT_EQ(PeriodOf({{"k", 10, 10'000}, {"l", 1, 100}}), 14) << "a thousandth of the time is not worth it";
}

TEST(SamplingPlan, TakesNoMoreThanCuptisBuffersHold) {
  EXPECT_EQ(PeriodOf({{"k", 1000, 10'000}}), 17) << "10 s: 19.9 million samples";
}

TEST(SamplingPlan, IsTheUsualWhereTheGpuIsNotKnown) {
  const ProcessTrace trace = Trace({{"k", 1, 10}});
  EXPECT_EQ(PlanSampling(ReadTimed(std::span(&trace, 1))).sampling_period, 14);
}

TEST(CountingPlan, GoesOnWithoutTheKernelThatEndedIt) {
  const TracePlan plan{
      TraceMode::kCount, "core", {{"a", kWide, {1, 2}, 10}, {"b", kWide, {1, 2}, 10}, {"c", kWide, {1}, 10}}};
  ProcessTrace trace;
  trace.kernels = {"a", "b"};
  trace.counted = {CountedOf(1), {1, kWide, -1, 1, {}, {}, "it waits"}};
  trace.warnings = {{kDidNotEnd, ""}};
  const std::optional<TracePlan> again = PlanAgain(plan, std::span(&trace, 1));
  ASSERT_TRUE(again);
  ASSERT_THAT(again->kernels, SizeIs(2));
  EXPECT_EQ(again->kernels[0].symbol, "a");
  EXPECT_THAT(again->kernels[0].nth, ElementsAre(2));
  EXPECT_EQ(again->kernels[1].symbol, "c");
  trace.warnings.clear();  // it said that it cannot be replayed, and went on
  EXPECT_FALSE(PlanAgain(plan, std::span(&trace, 1)));
  trace.warnings = {{kDidNotEnd, ""}};
  trace.counted.pop_back();  // it died for another reason
  EXPECT_FALSE(PlanAgain(plan, std::span(&trace, 1)));
}

TEST(CountingPlan, ALaunchMayTakeWhatItsPassesAndSavingTheMemoryTake) {
  ProcessTrace trace = Trace({{"k", 1, 100'000}});
  trace.memory_bytes = 10'000'000'000;
  TimedProgram timed = ReadTimed(std::span(&trace, 1));
  timed.device = Device{.name = "H100", .chip = "GH100", .memory_bytes = 80'000'000'000};
  const auto limit_s = [&](const std::string& set) {
    return PlanCounting(timed, {.set = set}).plan.kernels.at(0).limit_s;
  };
  EXPECT_DOUBLE_EQ(limit_s("core"), 3 + 17 * 0.02 + 16 * 2 * 0.1);
  EXPECT_DOUBLE_EQ(limit_s("full"), 3 + 25 * 0.02 + 24 * 2 * 0.1);
  timed.memory_bytes = 50'000'000'000;
  EXPECT_DOUBLE_EQ(limit_s("core"), 3 + 17 * 1.0 + 16 * 2 * 0.1) << "a copy has no room on the GPU";
}

// A program whose kernel "waits" takes 2 ms a call, and executed so much in each.
TimedProgram Waits(double instructions, double bytes) {
  const ProcessTrace trace = Trace({{"works", 1, 3000}, {"waits", 2, 2000}});
  TimedProgram timed = ReadTimed(std::span(&trace, 1));
  const auto reading = [](const char* id, double value) {
    return Reading{{id, "sampled", "", "", ""}, value, ReadingStatus::kOk};
  };
  for (LaunchClass& of : timed.classes)
    if (timed.kernels[of.kernel].symbol == "waits")
      of.sampled = {reading("inst_executed", instructions), reading("sm_cycles_elapsed_max", 4e6),
                    reading("dram_read_bytes", bytes)};
  return timed;
}

TEST(CountingPlan, LeavesOutWhatSeemsToWaitForTheHost) {
  const CountingPlan plan = PlanCounting(Waits(8000, 64), {});
  ASSERT_THAT(plan.plan.kernels, SizeIs(1));
  EXPECT_EQ(plan.plan.kernels[0].symbol, "works");
  EXPECT_THAT(plan.skipped,
              ElementsAre("waits is not replayed: it executed 8,000 instructions in 2,000.0 us a call, so it "
                          "seems to wait for the host or for another kernel, and would not end when it "
                          "is replayed alone."));
  EXPECT_THAT(plan.not_counted, ::testing::Contains(HasSubstr("seems to wait for the host")));
  EXPECT_THAT(PlanCounting(Waits(8000, 64), {.names = NamePattern("-k", "works")}).skipped, SizeIs(0))
      << "not asked for";
  EXPECT_THAT(PlanCounting(Waits(8000, 200'000), {}).skipped, SizeIs(0)) << "one lane follows pointers";
  EXPECT_THAT(PlanCounting(Waits(400'000, 64), {}).skipped, SizeIs(0)) << "one warp computes";
}

TEST(CountingPlan, LeavesOutKernelsOfNcclWhereSeveralGpusWorkTogether) {
  const ProcessTrace trace = Trace({{"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1, 100}, {"k", 1, 100}});
  TimedProgram timed = ReadTimed(std::span(&trace, 1));
  EXPECT_THAT(PlanCounting(timed, {}).plan.kernels, SizeIs(2)) << "alone";
  timed.program.gpus = 2;
  ASSERT_THAT(PlanCounting(timed, {}).plan.kernels, SizeIs(1));
  EXPECT_EQ(PlanCounting(timed, {}).plan.kernels[0].symbol, "k");
  EXPECT_THAT(PlanCounting(timed, {}).skipped, ElementsAre(HasSubstr("it waits for other GPUs")));
}

TEST(CountingPlan, AnExecutionMayTakeAsLongAsAllOfItsLaunchesMay) {
  const TracePlan plan{TraceMode::kCount, "core", {{"a", kWide, {1, 2}, 10}, {"b", kWide, {1}, 30}}};
  EXPECT_EQ(CountingLimitS(plan, 3), 20 + 5 * 3 + 2 * 10 + 30);
}

TEST(UnaskedReplay, IfTwoListsMissedMostKernelsOfAShortProgram) {
  TimedProgram timed;
  timed.execution_us = 1e6;
  timed.missed = {{"A", 0.6, 0}, {"B", 0.5, 0}};
  EXPECT_EQ(UnaskedReplayS(timed), 0) << "B counted half of the time";
  timed.missed.push_back({"C", 0.51, 0});
  EXPECT_NEAR(UnaskedReplayS(timed), 2.5, 1e-9);
}

TEST(UnaskedReplay, KeepsTheRecordingWithin2Point2TimesTheProgramAnd5Seconds) {
  TimedProgram timed;
  timed.missed = {{"A", 1, 0}, {"B", 1, 0}};
  for (double s = 0.25; s < 3.9; s += 0.25) {
    timed.execution_us = 1e6 * s;
    EXPECT_NEAR(3 * s + 1.7 + UnaskedReplayS(timed), 2.2 * s + 5, 1e-9) << s;
  }
  timed.execution_us = 3.9e6;
  EXPECT_EQ(UnaskedReplayS(timed), 0) << "0.18 s are less than a launch takes";
}

}  // namespace
}  // namespace culprit
