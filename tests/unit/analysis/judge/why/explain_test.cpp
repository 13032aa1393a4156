// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KernelBuilder;
using ::testing::Not;
using testing::Spending;
using ::testing::UnorderedElementsAre;

Explanation Explained(const KernelBuilder& base, const KernelBuilder& candidate) {
  return Explain(KernelView(base.record), KernelView(candidate.record));
}

std::vector<std::string> CausesOf(const Explanation& e) {
  std::vector<std::string> causes;
  for (const CausePart& part : e.causes) causes.push_back(part.cause);
  return causes;
}

std::vector<std::string> MissingFor(const Explanation& e, const std::string& cause) {
  for (const CauseNotJudged& n : e.not_judged)
    if (n.cause == cause) return n.missing;
  return {};
}

// Work, its instructions, waiting for immediate constants, and their misses.
KernelBuilder Kernel(const std::string& stage, double work_us, double constant_us, double misses) {
  return Spending(stage, {{"selected", work_us}, {"imc_miss", constant_us}})
      .Metric("inst_issued", 25 * work_us)
      .Metric("imc_misses", misses);
}

TEST(Explain, ListsCausesByMicrosecondsWhoseSumWithTheUnexplainedIsTheDifference) {
  const Explanation e = Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 40, 400));
  EXPECT_EQ(e.verdict.speed, Speed::kSlower);
  ASSERT_THAT(CausesOf(e), ElementsAre("constant_cache", "instruction_count"));
  EXPECT_NEAR(e.causes[0].delta_us, 30, 1e-6);
  EXPECT_NEAR(e.causes[0].share, 0.6, 1e-6);
  EXPECT_NEAR(e.causes[1].delta_us, 20, 1e-6);
  EXPECT_NEAR(e.unexplained_us, 0, 1e-6);
  EXPECT_EQ(e.causes[0].text, "Constants not at hand: 30.00 us more, 60.0 % of the change.");
}

TEST(Explain, SaysThatTheSameMachineCodeLaunchedAlikeDiffersOutsideTheKernel) {
  KernelBuilder base = Kernel("base", 20, 10, 100), candidate = Kernel("candidate", 40, 10, 100);
  const auto says = Contains(HasSubstr("the same machine code"));
  EXPECT_THAT(Explained(base, candidate).caveats, Not(says));  // no digest is known
  base.record.cubin_digest = candidate.record.cubin_digest = "c0de";
  EXPECT_THAT(Explained(base, candidate).caveats, says);
  EXPECT_TRUE(Explained(base, candidate).same_code);
  candidate.record.launch.grid_x += 1;
  EXPECT_THAT(Explained(base, candidate).caveats, Not(says));
}

TEST(Explain, PutsWhatWorksAgainstTheChangeLast) {
  // 30 us more of constants against 5 us less of work.
  const Explanation slower = Explained(Kernel("base", 60, 10, 100), Kernel("candidate", 55, 40, 400));
  ASSERT_THAT(CausesOf(slower), ElementsAre("constant_cache", "instruction_count"));
  EXPECT_NEAR(slower.causes[1].delta_us, -5, 1e-6);
  EXPECT_NEAR(slower.causes[1].share, -0.2, 1e-6);
  // Even where more works against it than the smallest cause in its direction did.
  const auto multiplying = [](double work_us, double constant_us, double misses, double gmma_us) {
    return Spending("k", {{"selected", work_us}, {"imc_miss", constant_us}, {"gmma", gmma_us}})
        .Metric("inst_issued", 25 * work_us)
        .Metric("imc_misses", misses)
        .Metric("tensor_gmma_inst", 10 * gmma_us)
        .Metric("tensor_hmma_inst", 10 * gmma_us)
        .Metric("tensor_pipe_pct", 0.1 * gmma_us / (work_us + constant_us + gmma_us), "%");
  };
  EXPECT_THAT(CausesOf(Explained(multiplying(60, 10, 100, 2), multiplying(55, 40, 400, 4))),
              ElementsAre("constant_cache", "tensor_pipe", "instruction_count"));
  const Explanation faster = Explained(Kernel("base", 55, 40, 400), Kernel("candidate", 60, 10, 100));
  EXPECT_EQ(faster.verdict.speed, Speed::kFaster);
  EXPECT_THAT(CausesOf(faster), ElementsAre("constant_cache", "instruction_count"));
}

TEST(Explain, LeavesAPartBelowTheNoiseFloorUnexplained) {
  // The floor of kernels of 50 and 70 us is 1 % of each: 0.86 us of the difference. 0.8 us of constants do not reach
  // it, 0.9 us do.
  const Explanation below = Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 10.8, 400));
  EXPECT_THAT(CausesOf(below), ElementsAre("instruction_count"));
  EXPECT_NEAR(below.unexplained_us, 0.8, 1e-6);
  const Explanation above = Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 10.9, 400));
  EXPECT_THAT(CausesOf(above), ElementsAre("instruction_count", "constant_cache"));
}

TEST(Explain, GivesThePartsBeyondTheFloorWithoutDrawingTheRecordingAgain) {
  const KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 60, 40, 400);
  const auto parts = PartsBeyondFloor(KernelView(base.record), KernelView(candidate.record));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_NEAR(parts.at("constant_cache"), 30, 1e-6);
  EXPECT_NEAR(parts.at("instruction_count"), 20, 1e-6);
  EXPECT_TRUE(PartsBeyondFloor(KernelView(base.record), KernelView(base.record)).empty()) << "nothing to explain";
}

// 34 of 64 samples at `most`, the others at `least`.
KernelBuilder InTwoGroups(double most, double least) {
  KernelBuilder k = Kernel("grouped", 40, 60, 100);
  const Sample sample = k.record.samples.front();
  k.record.samples.assign(64, sample);
  for (std::size_t i = 0; i < 64; ++i) k.record.samples[i].time_us = i < 34 ? most : least;
  return k;
}

TEST(Explain, IsAmbiguousWhereTheSamplesSaySlowerAndTheirMediansFaster) {
  // 34 x 34 of the 64 x 64 pairs are faster by 5 %, all others slower by 40 % or more; the medians are the 100 us and
  // the 95 us.
  const KernelBuilder base = InTwoGroups(100, 60), candidate = InTwoGroups(95, 140);
  ASSERT_EQ(VerdictOn(base.record.samples, candidate.record.samples, {0.01, "invented", 0.014}).speed, Speed::kSlower);
  for (const bool forth : {true, false}) {
    const Explanation e = forth ? Explained(base, candidate) : Explained(candidate, base);
    EXPECT_EQ(e.verdict.speed, Speed::kAmbiguous);
    EXPECT_THAT(e.verdict.reason, HasSubstr(forth ? "as a whole are slower" : "as a whole are faster"));
    EXPECT_THAT(e.causes, IsEmpty());
    EXPECT_DOUBLE_EQ(e.unexplained_us, forth ? -5 : 5);
  }
}

TEST(Explain, HoldsAVerdictThatTheMediansShare) {
  EXPECT_EQ(Explained(InTwoGroups(100, 60), InTwoGroups(105, 140)).verdict.speed, Speed::kSlower);
}

TEST(Explain, FindsNothingBetweenAKernelAndItself) {
  const KernelBuilder k = Kernel("k", 40, 10, 100);
  const Explanation e = Explained(k, k);
  EXPECT_EQ(e.verdict.speed, Speed::kSame);
  EXPECT_THAT(e.causes, IsEmpty());
  EXPECT_TRUE(e.decomposition);
}

TEST(Explain, LeavesTheWholeDifferenceUnexplainedWithoutACounterAndSaysWhich) {
  const Explanation e =
      Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 40, 400).Remove("smsp_cycles_active"));
  EXPECT_FALSE(e.decomposition);
  EXPECT_THAT(e.no_decomposition, HasSubstr("candidate has no smsp_cycles_active"));
  EXPECT_THAT(e.causes, IsEmpty());
  EXPECT_NEAR(e.unexplained_us, 50, 1e-6);
}

TEST(Explain, DoesNotJudgeTheClockWhereOneKernelHasNone) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 40, 10, 100);
  testing::Taking(candidate, 100);  // as many cycles, had one asked for the clock
  for (Sample& sample : candidate.record.samples) sample.clock_mhz.reset();
  const Explanation e = Explained(base, candidate);
  EXPECT_THAT(MissingFor(e, "clock"), ElementsAre("clock_mhz"));
  EXPECT_THAT(CausesOf(e), IsEmpty());
  EXPECT_NEAR(e.unexplained_us, 50, 1e-6);
  EXPECT_THAT(MissingFor(Explained(base, base), "clock"), IsEmpty());
}

TEST(Explain, JudgesWhatWasMeasuredAs0AndNamesWhatWasNot) {
  const auto with_conflicts = [](KernelBuilder k) { return k.Metric("shared_wavefronts", 0); };
  const KernelBuilder base = with_conflicts(Kernel("base", 40, 10, 100));
  KernelBuilder candidate = with_conflicts(Kernel("candidate", 60, 40, 400));
  EXPECT_THAT(MissingFor(Explained(base, candidate), "shared_bank_conflicts"), IsEmpty());
  candidate.Missing("shared_wavefronts", ReadingStatus::kDenied);
  EXPECT_THAT(MissingFor(Explained(base, candidate), "shared_bank_conflicts"), ElementsAre("shared_wavefronts"));
}

TEST(Explain, NamesTheOneCommandThatMeasuresWhatIsMissing) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 60, 40, 400);
  for (KernelBuilder* k : {&base, &candidate})
    k->Metric("shared_load_wavefronts", 0).Metric("shared_store_wavefronts", 0);
  const auto explained = [&] { return Explained(base, candidate); };
  EXPECT_FALSE(explained().to_measure) << "everything was measured";
  candidate.Missing("sass_shared_wavefronts", ReadingStatus::kDenied);
  EXPECT_FALSE(explained().to_measure) << "asking again does not help";
  EXPECT_THAT(CausesToMeasure(explained()), IsEmpty());
  candidate.Remove("sass_shared_wavefronts").Remove("global_load_requests");
  const Explanation e = explained();
  ASSERT_TRUE(e.to_measure);
  EXPECT_THAT(CausesToMeasure(e), AllOf(Contains("shared_bank_conflicts"), Contains("global_access_width")));
  EXPECT_THAT(MetricsToMeasure(e), UnorderedElementsAre("sass_shared_wavefronts", "global_load_requests"));
  EXPECT_EQ(e.to_measure->how, "record both with --profile=full");
  EXPECT_THAT(Explained(base, base).to_measure, Eq(std::nullopt)) << "nothing to explain";
}

TEST(Explain, WarnsOfCausesThatWereNotJudgedOnlyWhereTheyMatter) {
  const auto warning = HasSubstr("Not judged, because counters are missing: ");
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 60, 40, 400);
  candidate.Remove("sass_shared_wavefronts");
  EXPECT_THAT(Explained(base, candidate).caveats, Not(Contains(warning))) << "the change is explained";
  for (KernelBuilder* k : {&base, &candidate}) k->Remove("imc_misses").Remove("idc_requests");
  const Explanation e = Explained(base, candidate);
  ASSERT_GT(e.unexplained_us, 0.2 * e.DeltaUs());
  ASSERT_EQ(e.not_judged.front().cause, "constant_cache") << "it may have most of the change";
  EXPECT_TRUE(std::ranges::is_sorted(e.not_judged, std::greater<>(), &CauseNotJudged::could_us));
  EXPECT_GT(e.not_judged.front().could_us, e.not_judged.back().could_us);
  EXPECT_THAT(e.caveats, Contains(AllOf(warning, HasSubstr("constant_cache"),
                                        HasSubstr("To measure them: record both with --profile=full."))));
}

// Loads with many excess sectors.
KernelBuilder Loading(const std::string& stage, double waiting_us, double sectors) {
  return Spending(stage, {{"selected", 20}, {"long_scoreboard", waiting_us}})
      .Metric("global_load_requests", 100)
      .Metric("global_load_sectors", sectors)
      .Metric("sass_global_sectors", sectors)
      .Metric("sass_global_sectors_ideal", 400)
      .Metric("l2_sectors", 500)
      .Metric("shared_load_wavefronts", 0)
      .Metric("shared_store_wavefronts", 0);
}

TEST(Explain, NamesTheCommandAlsoWhereJudgedCausesLeaveMuchOpen) {
  const auto warning =
      HasSubstr("given to no cause, because counters are missing: l1_throughput_pct. To measure them: record both");
  KernelBuilder base = Loading("base", 40, 1600), candidate = Loading("candidate", 60, 1900);
  base.Metric("l1_throughput_pct", 50, "%");
  candidate.Metric("l1_throughput_pct", 60, "%");
  const Explanation known = Explained(base, candidate);
  for (KernelBuilder* k : {&base, &candidate}) k->Remove("l1_throughput_pct");
  const Explanation e = Explained(base, candidate);
  EXPECT_FALSE(known.to_measure);
  EXPECT_THAT(known.caveats, Not(Contains(warning)));
  EXPECT_THAT(e.not_judged, IsEmpty());
  ASSERT_TRUE(e.to_measure);
  EXPECT_THAT(e.to_measure->for_rest, ElementsAre("l1_throughput_pct"));
  EXPECT_THAT(MetricsToMeasure(e), ElementsAre("l1_throughput_pct"));
  EXPECT_THAT(e.caveats, Contains(warning));
  for (KernelBuilder* k : {&base, &candidate}) k->Missing("l1_throughput_pct", ReadingStatus::kUnsupported);
  EXPECT_FALSE(Explained(base, candidate).to_measure) << "asking again does not help";
}

TEST(Explain, NamesAStateThatWasNotMeasured) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 60, 40, 400);
  for (KernelBuilder* k : {&base, &candidate}) k->Remove("stall_imc_miss");
  const Explanation e = Explained(base, candidate);
  ASSERT_TRUE(e.to_measure);
  EXPECT_THAT(e.to_measure->for_rest, Contains("stall_imc_miss"));
}

TEST(Explain, ACommandThatMeasuresNamesTheKernelAndItsProgram) {
  KernelBuilder base = Kernel("sums", 40, 10, 100), candidate = Kernel("sums", 60, 40, 400);
  for (KernelBuilder* k : {&base, &candidate}) {
    k->Remove("imc_misses");
    k->record.run.run.program.emplace();
    k->record.run.run.command_line = "./train --steps 3";
  }
  const auto how = [&] { return Explained(base, candidate).to_measure.value().how; };
  EXPECT_EQ(how(), "record both with culprit record -k sums -- ./train --steps 3");
  candidate.record.stage.id = "sums_wide";
  EXPECT_EQ(how(), "record both with culprit record -k 'sums|sums_wide' -- ./train --steps 3");
  candidate.record.run.run.command_line = "./train_new";
  EXPECT_EQ(how(), "culprit versus -- ./train --steps 3 -- ./train_new");
  candidate.record.run.run.command_line = std::string(500, 'x');
  EXPECT_EQ(how(), "record both with culprit record -k 'sums|sums_wide' -- PROGRAM");
}

TEST(Explain, WarnsOfShortKernelsOfWarpCyclesInNoStateAndOfOtherGpus) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 10, 5, 100);
  EXPECT_THAT(Explained(base, candidate).caveats, ElementsAre(HasSubstr("candidate takes 15.00 us")));
  // Of 50,000 resident warp-cycles and 5,000 more.
  base.Metric("warps_active", 55000);
  EXPECT_THAT(Explained(base, base).caveats,
              ElementsAre(HasSubstr("9.1 % of base's resident"), HasSubstr("9.1 % of base's resident")));
  base.Metric("warps_active", 50000);
  // The same SMs beside another memory are known; other SMs are not.
  base.record.run.run.device->dram_bytes_per_s *= 1.5;
  EXPECT_THAT(Explained(base, base).caveats, ::testing::IsEmpty());
  base.record.run.run.device->cc_major = 10;
  EXPECT_THAT(Explained(base, base).caveats, ElementsAre(HasSubstr("not known: pipes of an H100, L2 of an H200.")));
  base.record.run.run.device->cc_major = 8;
  EXPECT_THAT(Explained(base, base).caveats, ElementsAre(HasSubstr("not known: L2 of an H200.")));
}

TEST(Explain, ShowsEvidenceThatWasMeasuredOnOneSideAndNoneThatIs0OnBoth) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 60, 40, 400);
  base.Metric("idc_replays", 0);
  candidate.Metric("idc_replays", 0).Metric("idc_misses", 7);
  const Explanation e = Explained(base, candidate);
  ASSERT_EQ(e.causes.front().cause, "constant_cache");
  EXPECT_THAT(e.causes.front().evidence,
              ElementsAre(Field(&CauseEvidence::metric, "idc_misses"), Field(&CauseEvidence::metric, "imc_misses"),
                          Field(&CauseEvidence::metric, "stall_imc_miss")));
  EXPECT_FALSE(e.causes.front().evidence[0].base) << "not measured is not 0";
  EXPECT_EQ(*e.causes.front().evidence[0].candidate, 7);
  EXPECT_EQ(e.causes.front().evidence[1].name, "cupti__imc_misses");
}

}  // namespace
}  // namespace culprit
