// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const NoiseFloor kFloor = {0.005, "invented", 0.012};

// `count` samples spread evenly over `width` of the middle, all at one clock; 0: without a clock.
std::vector<Sample> Around(double time_us, double width = 0.002, int count = 16, double clock_mhz = 1980) {
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const double place = count > 1 ? static_cast<double>(i) / (count - 1) - 0.5 : 0;
    Sample& s = samples.emplace_back();
    s.time_us = time_us * (1 + width * place);
    if (clock_mhz > 0) s.clock_mhz = clock_mhz;
  }
  return samples;
}

Verdict VerdictOf(const std::vector<Sample>& base, const std::vector<Sample>& candidate) {
  return VerdictOn(base, candidate, kFloor);
}

TEST(Verdict, FindsTwoPercentInBothDirections) {
  const Verdict slower = VerdictOf(Around(100), Around(102));
  EXPECT_EQ(slower.speed, Speed::kSlower);
  EXPECT_NEAR(slower.time->change, 0.02, 1e-6);
  EXPECT_NEAR(slower.cycles->change, 0.02, 1e-6);
  EXPECT_GT(slower.cycles->low, 0.014);
  EXPECT_LT(slower.cycles->high, 0.026);
  EXPECT_EQ(VerdictOf(Around(102), Around(100)).speed, Speed::kFaster);
}

TEST(Verdict, SaysHowMuchSlowerAndHowSureItIs) {
  EXPECT_EQ(
      VerdictOf(Around(5391.2), Around(10408.3)).reason,
      "5,391.2 us -> 10,408.3 us, +93.1 % in time (99 % interval +90.6 % to +95.6 %) and +93.1 % in cycles (+92.1 % to "
      "+94.0 %): far beyond the noise of 0.5 %.");
  EXPECT_THAT(VerdictOf(Around(100), Around(101)).reason, HasSubstr("%): beyond the noise of 0.5 %"));
}

TEST(Verdict, AsksForMoreSamplesTheWayTheirSourceTakesThem) {
  const auto few = [](std::optional<ProgramSource> source) {
    return VerdictOn(Around(100, 0, 2), Around(120, 0, 2), kFloor, Recorded::kApart, source).reason;
  };
  EXPECT_THAT(few({}), HasSubstr("--samples 16"));
  EXPECT_THAT(few(ProgramSource::kRecord), HasSubstr("record at least 5 executions of each with one label"));
  EXPECT_THAT(few(ProgramSource::kNcu), HasSubstr("ncu -c 5"));
  EXPECT_THAT(few(ProgramSource::kGoogleBenchmark), HasSubstr("--benchmark_repetitions=16"));
  EXPECT_THAT(few(ProgramSource::kNvbench), HasSubstr("--min-samples 16"));
  for (const char* const name : kNames<ProgramSource>) {
    const auto source = KindNamed<ProgramSource>(name);
    const Verdict wide = VerdictOn(Around(100, 1), Around(100, 1), kFloor, Recorded::kApart, source);
    const Verdict small = VerdictOn(Around(100), Around(102), kFloor, Recorded::kApart, source);
    for (const std::string& reason : {few(source), wide.reason, small.reason}) {
      EXPECT_THAT(reason, Not(HasSubstr("--samples 16 "))) << name;
      EXPECT_THAT(reason, Not(HasSubstr("--processes"))) << name;
      EXPECT_THAT(reason, Not(HasSubstr("record more with --samples"))) << name;
    }
    EXPECT_EQ(wide.speed, Speed::kAmbiguous);
  }
}

TEST(Verdict, EqualSamplesAreTheSame) {
  const std::vector<Sample> samples = Around(100, 0);
  const Verdict verdict = VerdictOf(samples, samples);
  EXPECT_EQ(verdict.speed, Speed::kSame);
  EXPECT_EQ(verdict.time->change, 0);
  EXPECT_EQ(
      verdict.reason,
      "100.0 us -> 100.0 us, +0.0 % in time (99 % interval -1.3 % to +1.3 %) and +0.0 % in cycles (-0.5 % to +0.5 %): "
      "within the noise of 0.5 %.");
}

TEST(Verdict, AChangeBelowTheFloorIsTheSameHoweverNarrowTheSamples) {
  EXPECT_EQ(VerdictOf(Around(100, 0), Around(100.45, 0)).speed, Speed::kSame);
  EXPECT_EQ(VerdictOf(Around(100, 0), Around(100.55, 0)).speed, Speed::kSlower);
}

TEST(Verdict, WideSamplesWithADifferenceWithinTheirScatterAreTheSameAndSayWhatCouldHide) {
  const Verdict verdict = VerdictOf(Around(100, 0.04), Around(100.8, 0.04));
  EXPECT_EQ(verdict.speed, Speed::kSame);
  EXPECT_THAT(verdict.reason,
              HasSubstr("no more than the scatter of the samples explains, which could hide up to 2.2 %."));
}

TEST(Verdict, CyclesAloneTellWhenTheClockChangedByAsMuchAsItDoes) {
  const Verdict same = VerdictOf(Around(100, 0.001, 16, 1980), Around(101, 0.001, 16, 1980 / 1.01));
  EXPECT_EQ(same.speed, Speed::kSame);
  EXPECT_THAT(same.reason, HasSubstr("the clock changed by -1.0 % (1,980 MHz -> 1,960 MHz), no more than the 1.2 % "
                                     "usual between two launches."));
  // A slow timer or a fast clock hides half of the 2 %.
  EXPECT_EQ(VerdictOf(Around(100, 0.001, 16, 1980), Around(101, 0.001, 16, 1980 * 1.01)).speed, Speed::kSlower);
}

TEST(Verdict, IsSlowerByTheClockWhenTimesDifferAndCyclesDoNot) {
  const Verdict verdict = VerdictOf(Around(100, 0.001, 16, 1980), Around(110, 0.001, 16, 1800));
  EXPECT_EQ(verdict.speed, Speed::kSlower);
  EXPECT_TRUE(verdict.by_clock);
  EXPECT_EQ(verdict.reason,
            "100.0 us -> 110.0 us, +10.0 % in time (99 % interval +8.6 % to +11.4 %) and +0.0 % in cycles (-0.5 % to "
            "+0.5 %): "
            "the clock changed by -9.1 % (1,980 MHz -> 1,800 MHz), more than the 1.2 % usual between two launches, and "
            "the kernel takes as many cycles as before; look for a limit of power or temperature (nvidia-smi -q -d "
            "PERFORMANCE), and record both again at one clock to compare the code.");
  const Verdict faster = VerdictOf(Around(110, 0.001, 16, 1800), Around(100, 0.001, 16, 1980));
  EXPECT_EQ(faster.speed, Speed::kFaster);
  EXPECT_TRUE(faster.by_clock);
}

TEST(Verdict, IsAmbiguousWhenAHigherClockHidesMoreCycles) {
  const Verdict verdict = VerdictOf(Around(100, 0.001, 16, 1800), Around(100, 0.001, 16, 1980));
  EXPECT_EQ(verdict.speed, Speed::kAmbiguous);
  EXPECT_THAT(verdict.reason, HasSubstr("the clock changed by +10.0 %"));
}

TEST(Verdict, SlowerByTimeAndCyclesStaysSlowerWhateverTheClock) {
  const Verdict verdict = VerdictOf(Around(100, 0.001, 16, 1980), Around(120, 0.001, 16, 1800));
  EXPECT_EQ(verdict.speed, Speed::kSlower);
  EXPECT_FALSE(verdict.by_clock);
  EXPECT_THAT(verdict.reason, HasSubstr("; the clock changed by -9.1 % (1,980 MHz -> 1,800 MHz) as well."));
}

TEST(Verdict, WithoutClocksTheTimeDecidesWithTheNoiseOfTheClock) {
  const Verdict slower = VerdictOf(Around(100, 0.001, 16, 0), Around(102, 0.001, 16, 0));
  EXPECT_EQ(slower.speed, Speed::kSlower);
  EXPECT_FALSE(slower.cycles);
  EXPECT_THAT(
      slower.reason,
      HasSubstr(
          "beyond the noise of 1.3 %, judged by time alone because the clock of its timed launches was not measured."));
  EXPECT_EQ(VerdictOf(Around(100, 0.001, 16, 0), Around(101, 0.001, 16, 0)).speed, Speed::kSame);
}

TEST(Verdict, LeavesOutSamplesAtALowClock) {
  std::vector<Sample> base = Around(100), candidate = Around(100);
  for (Sample s : Around(300, 0.002, 40, 600)) {
    s.low_clock = true;
    candidate.push_back(s);
  }
  EXPECT_EQ(VerdictOf(base, candidate).speed, Speed::kSame);
  for (Sample& s : candidate) s.low_clock = true;
  const Verdict none = VerdictOf(base, candidate);
  EXPECT_EQ(none.speed, Speed::kAmbiguous);
  EXPECT_THAT(none.reason, HasSubstr("0 of the candidate (56 left out for a low clock)"));
}

TEST(Verdict, FewSamplesAreAmbiguousAndSayHowManyToRecord) {
  for (const int count : {0, 1, 4}) {
    const Verdict verdict = VerdictOf(Around(100, 0.001, count), Around(200, 0.001, count));
    EXPECT_EQ(verdict.speed, Speed::kAmbiguous) << count;
    EXPECT_FALSE(verdict.time);
    EXPECT_FALSE(verdict.cycles);
  }
  EXPECT_EQ(
      VerdictOf(Around(100, 0.001, 4), Around(200, 0.001, 4)).reason,
      "4 samples of the base and 4 of the candidate can be used, too few for a 99 % interval; record at least 5 of "
      "each: --samples 16.");
  EXPECT_EQ(VerdictOf(Around(100, 0.001, 5), Around(200, 0.001, 5)).speed, Speed::kSlower);
}

TEST(Verdict, SamplesInTwoGroupsAreNamed) {
  std::vector<Sample> base = Around(100, 0.001, 8), candidate = Around(100, 0.001, 8);
  for (const Sample& s : Around(110, 0.001, 8)) {
    base.push_back(s);
    candidate.push_back(s);
  }
  const Verdict verdict = VerdictOf(base, candidate);
  EXPECT_EQ(verdict.speed, Speed::kAmbiguous);
  EXPECT_THAT(verdict.reason,
              HasSubstr("the samples scatter so widely that a difference of up to 9.9 % could hide in "
                        "them; the samples of the base fall into two groups, around 100.0 us and 110.0 us"));
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Infinite clocks on both sides made cycles of nothing but infinities, which no comparison tells apart: a kernel a
// thousand times as slow was "same".
TEST(Verdict, InfiniteClocksHideNoDifference) {
  const Verdict verdict = VerdictOf(Around(100, 0.002, 16, kInfinite), Around(100000, 0.002, 16, kInfinite));
  EXPECT_EQ(verdict.speed, Speed::kSlower);
  EXPECT_FALSE(verdict.cycles);
  EXPECT_THAT(verdict.reason, HasSubstr("judged by time alone because no clock that was measured can be used."));
  EXPECT_THAT(verdict.reason, HasSubstr("Left out: 16 clocks of the base, no positive, finite numbers."));
}

TEST(Verdict, TimesThatAreNoTimesAreLeftOutAndSaid) {
  for (const double time : {kInfinite, kNan, -100.0, 0.0}) {
    const Verdict verdict = VerdictOf(Around(100), Around(time, 0));
    EXPECT_EQ(verdict.speed, Speed::kAmbiguous) << time;
    EXPECT_FALSE(verdict.time) << time;
    EXPECT_THAT(verdict.reason, HasSubstr("Left out: 16 times of the candidate, no positive, finite numbers.")) << time;
    EXPECT_EQ(VerdictOf(Around(time, 0), Around(time, 0)).speed, Speed::kAmbiguous) << time;
  }
}

TEST(Verdict, AProductThatNoNumberHoldsIsNoCycleCount) {
  const Verdict verdict = VerdictOf(Around(1e306, 0.002), Around(1e308, 0.002));
  EXPECT_EQ(verdict.speed, Speed::kSlower);
  EXPECT_FALSE(verdict.cycles);
}

TEST(Verdict, ARatioThatNoNumberHoldsIsNotJudged) {
  const Verdict verdict = VerdictOf(Around(1e-300, 0.002, 16, 0), Around(1e300, 0.002, 16, 0));
  EXPECT_EQ(verdict.speed, Speed::kAmbiguous);
  EXPECT_FALSE(verdict.time);
  EXPECT_THAT(verdict.reason, HasSubstr("no number holds their ratio"));
}

RC_GTEST_PROP(Verdict, NeverHoldsANumberThatIsNone, ()) {
  const auto any = [] {
    return rc::gen::container<std::vector<Sample>>(
        16, rc::gen::map(rc::gen::pair(rc::gen::element(100.0, 101.0, 1e308, 1e-308, kInfinite, kNan, -1.0, 0.0),
                                       rc::gen::element(1980.0, 1e308, 1e-308, kInfinite, kNan, -1.0, 0.0)),
                         [](const std::pair<double, double>& p) {
                           Sample s;
                           s.time_us = p.first;
                           s.clock_mhz = p.second;
                           return s;
                         }));
  };
  const Verdict verdict = VerdictOf(*any(), *any());
  RC_ASSERT(!verdict.reason.empty());
  for (const auto& shift : {verdict.time, verdict.cycles})
    if (shift) RC_ASSERT(std::isfinite(shift->change) && std::isfinite(shift->low) && std::isfinite(shift->high));
  if (!verdict.time) RC_ASSERT(verdict.speed == Speed::kAmbiguous);
}

std::vector<Sample> OfProcesses(const std::vector<double>& medians) {
  std::vector<Sample> samples;
  for (std::size_t process = 0; process < medians.size(); ++process)
    for (Sample s : Around(medians[process])) {
      s.process = static_cast<int>(process);
      samples.push_back(s);
    }
  return samples;
}

TEST(Verdict, OfSeveralProcessesTakesEachForOneValue) {
  // By its samples the candidate would be slower: five of its processes, two of the base's are in a slow mode.
  const auto base = OfProcesses({100, 100, 101.6, 100, 100, 101.6}),
             candidate = OfProcesses({101.6, 100, 101.6, 101.6, 101.6, 101.6});
  EXPECT_EQ(VerdictOf(base, candidate).speed, Speed::kSame);
  EXPECT_THAT(VerdictOf(base, candidate).reason, HasSubstr(" over 6 and 6 processes"));
  EXPECT_THAT(VerdictOf(base, candidate).reason, HasSubstr("the scatter of the processes"));
  const auto pooled = [](std::vector<Sample> samples) {
    for (Sample& s : samples) s.process = 0;
    return samples;
  };
  EXPECT_EQ(VerdictOf(pooled(base), pooled(candidate)).speed, Speed::kSlower);
  EXPECT_EQ(VerdictOf(base, OfProcesses({104, 102.4, 104, 104, 102.4, 104})).speed, Speed::kSlower);
  EXPECT_EQ(VerdictOf(base, OfProcesses({104, 102.4, 104, 104, 102.4, 104})).processes, 6);
}

TEST(Verdict, OfTooFewProcessesIsAmbiguousHoweverManyTheirSamples) {
  const Verdict verdict = VerdictOf(OfProcesses({100, 100, 100, 100}), OfProcesses({120, 120, 120, 120, 120}));
  EXPECT_EQ(verdict.speed, Speed::kAmbiguous);
  EXPECT_THAT(verdict.reason, HasSubstr("4 processes of the base and 5 of the candidate are too few"));
  EXPECT_EQ(VerdictOf(OfProcesses(std::vector<double>(5, 100)), OfProcesses(std::vector<double>(5, 120))).speed,
            Speed::kSlower);
  // Where one side has but one, nothing of what sticks is seen: as without processes.
  EXPECT_EQ(VerdictOf(OfProcesses({100}), OfProcesses({120, 120, 120})).processes, 0);
  EXPECT_EQ(VerdictOf(OfProcesses({100}), OfProcesses({120, 120, 120})).speed, Speed::kSlower);
}

TEST(Verdict, CountsNoProcessWithoutASampleThatCanBeUsed) {
  auto base = OfProcesses(std::vector<double>(6, 100));
  for (Sample& s : base)
    if (s.process == 3) s.low_clock = true;
  EXPECT_EQ(ProcessesOf(base), 5);
  EXPECT_EQ(VerdictOf(base, OfProcesses(std::vector<double>(6, 120))).processes, 5);
}

TEST(Verdict, OfOneProcessSaysWhatItCannotTellWhereTheDifferenceIsNoLarger) {
  constexpr char kSticks[] = "with one process of each, a mode that stays for a process could be as large";
  EXPECT_THAT(VerdictOf(Around(100), Around(101)).reason, HasSubstr(kSticks));
  EXPECT_THAT(VerdictOf(Around(100), Around(103)).reason, Not(HasSubstr(kSticks)));
  EXPECT_THAT(VerdictOf(OfProcesses(std::vector<double>(8, 100)), OfProcesses(std::vector<double>(8, 101))).reason,
              Not(HasSubstr(kSticks)));
}

TEST(Verdict, TakesTheSmallerFloorWhereProcessesTookTurns) {
  const NoiseFloor floor{0.010, "invented", 0.014, 0.0035};
  const auto base = OfProcesses(std::vector<double>(8, 100)), candidate = OfProcesses(std::vector<double>(8, 100.7));
  EXPECT_EQ(VerdictOn(base, candidate, floor, Recorded::kInTurns).speed, Speed::kSlower);
  EXPECT_EQ(VerdictOn(base, candidate, floor, Recorded::kApart).speed, Speed::kSame);
  EXPECT_EQ(VerdictOn(Around(100), Around(100.7), floor, Recorded::kInTurns).speed, Speed::kSame)
      << "one process each took no turns";
}

TEST(Verdict, RunsTookTurnsWhereEachBeganBeforeTheOtherEnded) {
  const auto run = [](const char* uuid, const char* from, std::optional<std::string> to) {
    RunSummary summary;
    summary.run.uuid = uuid;
    summary.run.started_utc = from;
    summary.finished_utc = std::move(to);
    return summary;
  };
  const RunSummary one = run("1", "2026-11-22T10:00:00Z", "2026-11-22T10:05:00Z");
  EXPECT_EQ(HowRecorded(one, one), Recorded::kInTurns);
  EXPECT_EQ(HowRecorded(one, run("2", "2026-11-22T10:01:00Z", "2026-11-22T10:06:00Z")), Recorded::kInTurns);
  EXPECT_EQ(HowRecorded(run("2", "2026-11-22T10:01:00Z", "2026-11-22T10:06:00Z"), one), Recorded::kInTurns);
  EXPECT_EQ(HowRecorded(one, run("2", "2026-11-22T10:05:00Z", "2026-11-22T10:06:00Z")), Recorded::kApart);
  EXPECT_EQ(HowRecorded(one, run("2", "2026-11-22T10:01:00Z", std::nullopt)), Recorded::kApart);
}

TEST(Verdict, SaysInTheSameSentenceThatTheIntervalOfTheTimeContains0) {
  // 0.9 % beyond a floor of 0.5 % in cycles, within one of 1.3 % in time.
  const Verdict verdict = VerdictOf(Around(100, 0.0005), Around(100.9, 0.0005));
  ASSERT_EQ(verdict.speed, Speed::kSlower);
  ASSERT_LT(verdict.time->low, 0);
  EXPECT_TRUE(TimeContains0(verdict));
  EXPECT_THAT(
      verdict.reason,
      HasSubstr(
          "beyond the noise of 0.5 %, by the cycles alone: the interval of the time contains 0; with one process"));
  EXPECT_FALSE(TimeContains0(VerdictOf(Around(100), Around(102))));
  EXPECT_FALSE(TimeContains0(VerdictOf(Around(100), Around(100)))) << "there is nothing to qualify";
}

TEST(Verdict, SpeedsHaveTheWordsOfTheJsonContract) {
  EXPECT_EQ(ToText(Speed::kSlower), "slower");
  EXPECT_EQ(ToText(Speed::kFaster), "faster");
  EXPECT_EQ(ToText(Speed::kSame), "same");
  EXPECT_EQ(ToText(Speed::kAmbiguous), "ambiguous");
}

// Samples of a kernel that takes about 100 us at about 1980 MHz, of any scatter up to 6 %.
rc::Gen<std::vector<Sample>> Samples() {
  return rc::gen::mapcat(
      rc::gen::pair(rc::gen::inRange(0, 40), rc::gen::inRange(1, 60)), [](std::pair<int, int> shape) {
        const auto [count, spread] = shape;
        return rc::gen::container<std::vector<Sample>>(
            count,
            rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, spread), rc::gen::inRange(-20, 20), rc::gen::inRange(0, 9)),
                         [](const std::tuple<int, int, int>& t) {
                           Sample s;
                           s.time_us = 100 + 0.1 * std::get<0>(t);
                           s.clock_mhz = 1980 + std::get<1>(t);
                           s.low_clock = std::get<2>(t) == 0;
                           return s;
                         }));
      });
}

std::vector<Sample> Slowed(std::vector<Sample> samples, double factor, double added_us = 0) {
  for (Sample& s : samples) s.time_us = s.time_us * factor + added_us;
  return samples;
}

RC_GTEST_PROP(Verdict, TurnsAroundWhenTheTwoAreExchanged, ()) {
  const auto base = *Samples();
  const auto candidate = Slowed(*Samples(), *rc::gen::element(1.0, 1.005, 1.01, 1.02, 1.1));
  const Verdict there = VerdictOf(base, candidate), back = VerdictOf(candidate, base);
  const auto reversed = [](Speed o) {
    if (o == Speed::kSlower) return Speed::kFaster;
    return o == Speed::kFaster ? Speed::kSlower : o;
  };
  RC_ASSERT(back.speed == reversed(there.speed));
  RC_ASSERT(there.time.has_value() == back.time.has_value());
  for (const auto& [s, r] : {std::pair(there.time, back.time), std::pair(there.cycles, back.cycles)}) {
    if (!s) continue;
    RC_ASSERT(std::abs(1 / (1 + s->change) - 1 - r->change) < 1e-8);
    RC_ASSERT(std::abs(1 / (1 + s->low) - 1 - r->high) < 1e-8);
    RC_ASSERT(std::abs(1 / (1 + s->high) - 1 - r->low) < 1e-8);
  }
}

RC_GTEST_PROP(Verdict, DoesNotDependOnTheUnitOfTime, ()) {
  const auto base = *Samples(), candidate = *Samples();
  const double unit = *rc::gen::element(0.25, 4.0, 1024.0);
  const Verdict one = VerdictOf(base, candidate), other = VerdictOf(Slowed(base, unit), Slowed(candidate, unit));
  RC_ASSERT(one.speed == other.speed);
  if (one.time) RC_ASSERT(std::abs(one.time->change - other.time->change) < 1e-8);
}

RC_GTEST_PROP(Verdict, MoreSlowDownNeverTurnsSlowerIntoSameOrFaster, ()) {
  const auto base = *Samples();
  const auto candidate = Slowed(*Samples(), *rc::gen::element(1.0, 1.005, 1.01, 1.02, 1.1));
  const auto more = Slowed(candidate, 1 + *rc::gen::inRange(0, 100) * 1e-3, *rc::gen::inRange(0, 50) * 0.1);
  const Speed before = VerdictOf(base, candidate).speed, after = VerdictOf(base, more).speed;
  if (before == Speed::kSlower) RC_ASSERT(after != Speed::kSame);
  if (before != Speed::kFaster) RC_ASSERT(after != Speed::kFaster);
}

RC_GTEST_PROP(Verdict, AlwaysGivesAReason, ()) {
  const Verdict verdict = VerdictOf(*Samples(), *Samples());
  RC_ASSERT(verdict.reason.size() > 20);
  RC_ASSERT(verdict.reason.ends_with("."));
}

TEST(NoiseFloor, IsReadFromWhatWasMeasuredOnThisModelForKernelsOfThisDuration) {
  const NoiseFloor shortest = NoiseFloorOf("NVIDIA H100 80GB HBM3", 5);
  const NoiseFloor usual = NoiseFloorOf("NVIDIA H100 80GB HBM3", 200);
  EXPECT_GT(shortest.change, usual.change);
  EXPECT_GT(usual.change, 0);
  EXPECT_LT(usual.change, 0.02);  // else 2 % could not be found
  EXPECT_GT(usual.clock_change, 0);
  EXPECT_EQ(usual.source, "of GPUs of its kind: 489 pairs of recordings of one kernel on H100");
  EXPECT_GT(NoiseFloorOf("NVIDIA H100 80GB HBM3", 1e9).change, 0);
}

TEST(NoiseFloor, OfAnUnknownModelIsTheLargestMeasuredAndSaysSo) {
  const NoiseFloor floor = NoiseFloorOf("NVIDIA B300", 200);
  EXPECT_GE(floor.change, NoiseFloorOf("NVIDIA H100 80GB HBM3", 200).change);
  EXPECT_EQ(floor.source, "assumed, never measured on NVIDIA B300: 489 pairs of recordings of one kernel on H100");
}

TEST(Verdict, SaysIfItsNoiseIsNotThatOfTheKindOfGpu) {
  NoiseFloor floor = kFloor;
  floor.of = NoiseOf::kAssumed;
  EXPECT_THAT(VerdictOn(Around(100), Around(101), floor).reason, HasSubstr("beyond the noise of 0.5 % (assumed)"));
  EXPECT_THAT(VerdictOn(Around(100), Around(100), floor).reason, HasSubstr("within the noise of 0.5 % (assumed)"));
}

}  // namespace
}  // namespace culprit
