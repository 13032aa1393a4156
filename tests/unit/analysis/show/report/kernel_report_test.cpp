// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/kernel_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/show/report/compare_report.h"
#include "analysis/show/report/ladder_report.h"
#include "analysis/show/report/run_header.h"
#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const Report& report) {
  std::ostringstream out;
  RenderText(report, out);
  return out.str();
}

TEST(KernelReport, ShowsItsSectionsInTheOrderOfTheQuestions) {
  const testing::KernelBuilder k = testing::InventedV16();
  std::vector<std::string> keys;
  for (const Section& section : MakeKernelReport(k.record).sections) keys.push_back(section.key);
  EXPECT_THAT(keys, ::testing::ElementsAre("findings", "stall_stack", "memory", "roofline", "static", "verification",
                                           "time", "not_measured"))
      << "the answer first, single launches last";
}

TEST(KernelReport, SaysWhatWasMeasuredByChangingTheKernel) {
  testing::KernelBuilder k = testing::InventedV16();
  const auto sweep = [&](double half, double one) {
    k.record.interventions = {{InterventionKind::kOccupancy, 0, 4, 32, 100, 99, 101, {}, 5},
                              {InterventionKind::kOccupancy, 50000, 2, 16, half, half, half, {}, 5},
                              {InterventionKind::kOccupancy, 90000, 1, 8, one, one, one, {}, 5},
                              {InterventionKind::kCarveout, kCarveoutAsItIs, 4, 32, 80, 80, 80, {}, 5},
                              {InterventionKind::kCarveout, kCarveoutMostShared, 4, 32, 96, 96, 96, {}, 5},
                              {InterventionKind::kL2, 0, 4, 32, 80, 80, 80, {}, 5},
                              {InterventionKind::kL2, 1, 4, 32, 108, 108, 108, {}, 5}};
    return Text(MakeKernelReport(k.record));
  };
  const std::string text = sweep(101, 102);
  EXPECT_THAT(text, HasSubstr("Measured by intervention"));
  EXPECT_THAT(text, HasSubstr("2 blocks, 16 warps on an SM"));
  EXPECT_THAT(text, HasSubstr("Fewer warps do not matter: 1 of 4 blocks take 1.020 x."));
  EXPECT_THAT(text, HasSubstr("With most shared memory it takes 1.200 x."));
  EXPECT_THAT(text, HasSubstr("With L2 flushed it takes 1.350 x"));
  EXPECT_THAT(sweep(101, 200), HasSubstr("2 of 4 blocks are as good as all, so more would not help; 1 take 2.000 x."));
  EXPECT_THAT(sweep(150, 300), HasSubstr("Warps matter: 2 of 4 blocks take 1.500 x, 1 take 3.000 x."));
  EXPECT_THAT(sweep(90, 80), HasSubstr("Fewer warps are better: 2 of 4 blocks take 0.900 x."));
}

// "1 of 2 blocks take 1.56x, 1 take 1.56x" stood below a table with 1.567 x.
TEST(KernelReport, SaysOnceWhatOneOfTwoBlocksTakes) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.interventions = {{InterventionKind::kOccupancy, 0, 2, 16, 100, 99, 101, {}, 5},
                            {InterventionKind::kOccupancy, 90000, 1, 8, 156.7, 156, 158, {}, 5}};
  EXPECT_THAT(Text(MakeKernelReport(k.record)), HasSubstr("Warps matter: 1 of 2 blocks take 1.567 x.\n"));
}

TEST(KernelReport, SaysThatARunWasInterrupted) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.run.state = "interrupted";
  EXPECT_THAT(Text(MakeKernelReport(k.record)), HasSubstr("! interrupted: this run was stopped before it finished"));
}

TEST(KernelReport, SaysWhenTheResultWasComparedWithNothing) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.launch.verify_error_over_bound.reset();
  EXPECT_THAT(Text(MakeKernelReport(k.record)), HasSubstr("ok: ran, not compared with any reference"));
}

TEST(RunWarnings, AreChosenByWhatAReportShows) {
  const std::vector<Warning> all = {{"second_profiler", "of the run", ""},
                                    {"low_clock", "slow", "v1_6 at 2048x2048x2048"},
                                    {"low_clock", "slow", "v1_6 at 4096x4096x4096"}};
  ASSERT_EQ(OfTheRun(all).size(), 1u);
  EXPECT_EQ(OfTheRun(all).front().code, "second_profiler");
  ASSERT_EQ(AtShape(all, "4096x4096x4096").size(), 2u);
  EXPECT_EQ(AtShape(all, "4096x4096x4096").back().launch, "v1_6 at 4096x4096x4096");
}

TEST(KernelReport, ShowsEverySourceWhereTheyDisagree) {
  testing::KernelBuilder k = testing::InventedV16();
  k.Attribute("registers", 121, "cubin");
  EXPECT_THAT(Text(MakeKernelReport(k.record)), HasSubstr("DISAGREE: runtime 120, cubin 121"));
}

TEST(KernelReport, JudgesNothingOfAKernelThatFailedVerification) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.launch.state = LaunchState::kFailed;
  k.record.launch.message = "wrong.";
  const std::string text = Text(MakeKernelReport(k.record));
  EXPECT_THAT(text, HasSubstr("failed"));
  EXPECT_THAT(text, Not(HasSubstr("local_memory_array")));
}

TEST(KernelReport, HasNoTimeWhenEverySampleWasTakenAtALowClock) {
  testing::KernelBuilder k = testing::InventedV16();
  for (Sample& s : k.record.samples) s.low_clock = true;
  const std::string text = Text(MakeKernelReport(k.record));
  EXPECT_THAT(text, HasSubstr("left out (low clock)  4"));
  EXPECT_THAT(text, HasSubstr("there is no time to split"));
}

TEST(KernelReport, ReadsWellWhenTheLaunchWasOnlyCounted) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.samples.clear();
  const std::string text = Text(MakeKernelReport(k.record));
  EXPECT_THAT(text, HasSubstr("Time\n  Not timed: this launch was only counted.\n"));
  EXPECT_THAT(text, HasSubstr("Warp state            Share  Meaning\n  long_scoreboard"));
  EXPECT_THAT(text, HasSubstr("Not judged for want of time_us (not recorded): local_memory_array"));
}

TEST(KernelReport, NamesTheCommandThatCountsWhatAProgramWasTooShortToSample) {
  testing::KernelBuilder k = testing::InventedV16();
  const auto words = [&] {
    std::ostringstream out;
    RenderText(MakeKernelReport(k.record), out, {.width = 5000});
    return out.str();
  };
  k.Remove("local_load_inst");
  EXPECT_THAT(words(), ::testing::AllOf(HasSubstr("for want of local_load_inst"), HasSubstr(" (not recorded): ")));
  k.record.run.run.program.emplace();
  k.record.program.emplace();
  EXPECT_THAT(words(), HasSubstr(" (not recorded: culprit record -k NAME counts it): "));
  k.record.program->counted = 3;
  EXPECT_THAT(words(), Not(HasSubstr("counts it"))) << "replayed, and the GPU gave no value";
}

TEST(KernelReport, SaysOnceWhatTheCoreProfileLeavesOut) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.run.run.profile = "core";
  const std::vector<Reading> all = k.record.readings;
  for (const Reading& r : all)
    if (r.metric.source == "sass" || r.metric.id.ends_with("_throughput_pct")) k.Remove(r.metric.id);
  const std::string text = Text(MakeKernelReport(k.record));
  EXPECT_THAT(text, HasSubstr("Exact counts and percentages of peak need --profile=full. Not judged without them: "
                              "shared_bank_conflicts,"));
  EXPECT_THAT(text, HasSubstr("The exact figure was"));
  EXPECT_THAT(text, Not(HasSubstr("Shared memory, exact counts")));
  EXPECT_THAT(text, Not(HasSubstr("not_asked")));
  EXPECT_THAT(text, HasSubstr("35,500,000"));  // the hardware's conflicts are still there
}

TEST(KernelReport, ShowsWhatTheLoadedKernelSaysOfItselfWhereNoBuildWasRecorded) {
  testing::KernelBuilder k = testing::InventedCublas();
  k.Metric("launch_registers", 254, "register").Metric("launch_local_bytes", 120, "byte");
  const std::string text = Text(MakeKernelReport(k.record));
  EXPECT_THAT(text, HasSubstr("registers      254  launch"));
  EXPECT_THAT(text, HasSubstr("These are of the loaded kernel: no build of this kernel was recorded"));
}

TEST(CompareReport, SaysThatASideFailed) {
  testing::KernelBuilder failed = testing::InventedV16();
  failed.record.launch.state = LaunchState::kFailed;
  failed.record.launch.message = "wrong.";
  EXPECT_THAT(Text(MakeCompareReport(testing::InventedV17().record, failed.record)), HasSubstr("(failed: wrong.)"));
}

TEST(CompareReport, CollapsesMetricsThatDidNotChangeForPeopleOnly) {
  testing::KernelBuilder base("a"), candidate("b");
  base.Metric("x", 10000).Metric("y", 10000).Metric("z", 0);
  candidate.Metric("x", 10010).Metric("y", 10004).Metric("z", 0);
  const std::string text = Text(MakeCompareReport(base.record, candidate.record));
  EXPECT_THAT(text, HasSubstr("2 metrics are unchanged (by less than 0.05 %); --all lists them."));
  EXPECT_THAT(text, HasSubstr("+0.1 %  changed"));
  EXPECT_THAT(text, Not(HasSubstr("10,004")));
  EXPECT_THAT(Text(MakeCompareReport(base.record, candidate.record, true)), HasSubstr("10,004"));
  std::ostringstream json;
  RenderJson(MakeCompareReport(base.record, candidate.record), json);
  EXPECT_THAT(json.str(), HasSubstr("10004"));
}

// The row of a stage in the first table of a report on one shape, by column key.
Measured LadderCell(const Report& report, std::string_view stage, std::string_view key) {
  const ReportTable& table = report.sections[0].tables[0];
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (std::get<std::string>(row[0]) == stage && table.columns[c].key == key) return std::get<Number>(row[c]).value;
  ADD_FAILURE() << "no " << key << " for " << stage;
  return {};
}

Report LadderOf(std::vector<KernelRecord> kernels) {
  const Ladder ladder{"2048x2048x2048", std::move(kernels)};
  return MakeLadderReport(testing::InventedV17().record.run, std::span(&ladder, 1), {}, {});
}

TEST(LadderReport, ShowsTheReferenceFirstAndTheOthersAsTheyWereStored) {
  const Report report =
      LadderOf({testing::InventedV17().record, testing::InventedV16().record, testing::InventedCublas().record});
  std::vector<std::string> stages;
  for (const auto& row : report.sections[0].tables[0].rows) stages.push_back(std::get<std::string>(row[0]));
  EXPECT_THAT(stages, ::testing::ElementsAre("cublas_sgemm", "v1_7", "v1_6"));
}

// A half-precision stage of the same times as `like`.
KernelRecord Half(const std::string& id, const testing::KernelBuilder& like) {
  KernelRecord record = like.record;
  record.stage.id = id;
  record.stage.factors = {{"input", "fp16"}};
  return record;
}

TEST(LadderReport, MeasuresHalfPrecisionAgainstItsOwnReference) {
  const Report report = LadderOf({Half("hgemm_wmma", testing::InventedV16()), testing::InventedV17().record,
                                  Half("cublas_hgemm", testing::InventedV17()), testing::InventedCublas().record});
  std::vector<std::string> stages;
  for (const auto& row : report.sections[0].tables[0].rows) stages.push_back(std::get<std::string>(row[0]));
  EXPECT_THAT(stages, ::testing::ElementsAre("cublas_sgemm", "v1_7", "cublas_hgemm", "hgemm_wmma"));
  EXPECT_DOUBLE_EQ(*LadderCell(report, "cublas_hgemm", "cublas_pct"), 100);
  EXPECT_DOUBLE_EQ(*LadderCell(report, "hgemm_wmma", "cublas_pct"), 100 * 705.0 / 1287);
  EXPECT_EQ(LadderCell(report, "hgemm_wmma", "ffma_peak_pct").absence(), Absence::kUndefined);
  EXPECT_DOUBLE_EQ(*LadderCell(report, "cublas_sgemm", "cublas_pct"), 100);
}

TEST(LadderReport, NamesTheReferenceThatIsMissing) {
  const std::string text =
      Text(LadderOf({testing::InventedCublas().record, Half("hgemm_wmma", testing::InventedV16())}));
  EXPECT_THAT(text, HasSubstr("cublas_hgemm was not measured in this run"));
  EXPECT_THAT(text, Not(HasSubstr("cublas_sgemm was not measured in this run")));
}

TEST(LadderReport, BeginsWithTheFastestAndTheLargestSteps) {
  testing::KernelBuilder quick = testing::InventedV17();
  quick.record.stage.id = "quick";
  quick.record.stage.parent = "v1_6";
  const std::string text = Text(LadderOf(
      {testing::InventedCublas().record, testing::InventedV17().record, testing::InventedV16().record, quick.record}));
  EXPECT_THAT(text, HasSubstr("  Fastest fp32          v1_7: 705.0 us, 24.37 TFLOP/s, 48.2 % of cublas_sgemm\n"));
  EXPECT_THAT(text, HasSubstr("  Largest step forward  quick: 1.826 x faster than v1_6\n"));
  EXPECT_THAT(text, HasSubstr("  Largest step back     v1_6: 1.826 x slower than v1_7\n"));
}

TEST(LadderReport, HasNoWordOnALibraryForWhatIsNoMatrixProduct) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.stage.id = "saxpy";
  k.record.stage.parent = "";
  EXPECT_THAT(Text(LadderOf({k.record})), HasSubstr("cublas_sgemm was not measured")) << "as a product";
  for (const auto& [shape, flop] : {std::pair("1048576", 2e6), {"2048x2048x2048", 5e9}, {"cube", 0.0}}) {
    k.record.launch.shape = shape;
    k.record.launch.flop = flop;
    const std::string text = Text(LadderOf({k.record}));
    EXPECT_THAT(text, Not(HasSubstr("cuBLAS"))) << shape;
    EXPECT_THAT(text, Not(HasSubstr("cublas"))) << shape;
    EXPECT_THAT(text, HasSubstr("  Longest  saxpy: 1,287.0 us")) << shape;
  }
}

TEST(LadderReport, ComparesEachStageWithItsParent) {
  const Report report = LadderOf({testing::InventedV17().record, testing::InventedV16().record});
  EXPECT_DOUBLE_EQ(*LadderCell(report, "v1_6", "time_over_parent"), 1287.0 / 705);
  // v1_8 was not recorded.
  EXPECT_EQ(LadderCell(report, "v1_7", "time_over_parent").absence(), Absence::kNotAsked);
}

// study and why said "same" of what was 1.002 x slower here.
TEST(LadderReport, CallsAStageThatIsAsFastAsItsParentTheSame) {
  testing::KernelBuilder parent = testing::InventedV17(), child = testing::InventedV16();
  const auto timed = [](testing::KernelBuilder& k, double time_us) {
    k.record.samples.assign(12, Sample{0, time_us, 1980, false});
  };
  timed(parent, 705), timed(child, 706);
  const std::string text = Text(LadderOf({parent.record, child.record}));
  EXPECT_THAT(text, ::testing::ContainsRegex("v1_6 +706.0 us +same"));
  EXPECT_THAT(text, Not(HasSubstr("Largest step")));
  timed(child, 1287);
  EXPECT_THAT(Text(LadderOf({parent.record, child.record})), HasSubstr("1.826 x slower"));
}

TEST(LadderReport, AParentThatFailedIsNotComparedWith) {
  testing::KernelBuilder parent = testing::InventedV17();
  parent.record.launch.state = LaunchState::kFailed;
  const Report report = LadderOf({parent.record, testing::InventedV16().record});
  EXPECT_FALSE(LadderCell(report, "v1_6", "time_over_parent"));
}

TEST(LadderReport, HasNoColumnsOfTimeWhenNothingWasTimed) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.samples.clear();
  const std::string text = Text(LadderOf({k.record}));
  EXPECT_THAT(text, Not(HasSubstr("Speed")));
  EXPECT_THAT(text, HasSubstr("these launches were only counted"));
  EXPECT_THAT(text, HasSubstr("v1_6    not judged: it was not timed"));
}

// Two families that have nothing to do with each other, each with a size of its own.
TEST(LadderReport, TakesEachStageAtItsOwnLargestShapeWhereNoShapeHasThemAll) {
  const auto launched = [](const char* id, const char* parent, const char* shape) {
    testing::KernelBuilder k = testing::InventedV17();
    k.record.stage.id = id;
    k.record.stage.parent = parent;
    k.record.launch.shape = shape;
    k.record.launch.flop = 0;
    return k.record;
  };
  KernelRecord slow = launched("rows_slow", "rows", "1024");
  for (Sample& sample : slow.samples) sample.time_us *= 4;
  const std::vector<Ladder> ladders = {
      {"4096", {launched("sums", "", "4096"), launched("rows", "", "4096")}},
      {"1024", {slow, launched("tree", "sums", "1024"), launched("rows", "", "1024")}}};
  const Report report = MakeLadderReport(testing::InventedV17().record.run, ladders, {}, {});
  const std::string text = Text(report);
  EXPECT_THAT(text, ::testing::ContainsRegex("rows_slow at 1024: 4[.0]* x slower than rows"));
  EXPECT_THAT(text, Not(HasSubstr("Longest"))) << "of which size?";
  EXPECT_THAT(text, HasSubstr("No shape has all 4 kernels of this run"));
  std::vector<std::string> rows;
  for (const auto& row : report.sections[0].tables[0].rows)
    rows.push_back(std::get<std::string>(row[0]) + " " + std::get<std::string>(row[1]));
  EXPECT_THAT(rows, ::testing::ElementsAre("sums 4096", "tree 1024", "rows 4096", "rows_slow 1024"));
  ASSERT_EQ(report.sections.size(), 3u);
  EXPECT_TRUE(report.sections[1].detail && report.sections[2].detail);
}

TEST(LadderReport, ShowsTheLargestShapeThatHasAllStages) {
  const std::vector<Ladder> ladders = {
      {"4096x4096x4096", {testing::InventedV17().record}},
      {"2048x2048x2048", {testing::InventedV17().record, testing::InventedV16().record}}};
  const Report report = MakeLadderReport(testing::InventedV17().record.run, ladders, {}, {});
  ASSERT_EQ(report.sections.size(), 2u);
  EXPECT_TRUE(report.sections[0].detail);
  EXPECT_FALSE(report.sections[1].detail);
  EXPECT_EQ(std::get<std::string>(report.answer.facts.front().value), "2048x2048x2048");
}

TEST(LadderReport, DoesNotCallAKernelFineWhoseRulesLackTheirMetrics) {
  testing::KernelBuilder k = testing::Quiet();
  EXPECT_THAT(Text(LadderOf({k.record})), HasSubstr("quiet   nothing stands out in what was measured."));
  k.Remove("l1_throughput_pct").Remove("sass_global_sectors");
  EXPECT_THAT(Text(LadderOf({k.record})),
              HasSubstr("quiet   nothing stands out, but 2 of 28 rules lack their metrics."));
}

TEST(LadderReport, TakesRegistersFromTheLaunchWhereNoBuildWasRecorded) {
  testing::KernelBuilder cublas = testing::InventedCublas();
  cublas.Metric("launch_registers", 254, "register").Metric("launch_local_bytes", 120, "byte");
  const Report report = LadderOf({cublas.record});
  EXPECT_DOUBLE_EQ(*LadderCell(report, "cublas_sgemm", "registers"), 254);
  EXPECT_DOUBLE_EQ(*LadderCell(report, "cublas_sgemm", "stack_frame_bytes"), 120);
}

TEST(LadderReport, MeasuresOthersAgainstCublasOfTheSameRunAndShape) {
  const Report report = LadderOf({testing::InventedV17().record, testing::InventedCublas().record});
  EXPECT_NEAR(*LadderCell(report, "v1_7", "cublas_pct"), 100.0 * 340 / 705, 1e-9);
}

TEST(LadderReport, AFailedReferenceIsNoReference) {
  testing::KernelBuilder cublas = testing::InventedCublas();
  cublas.record.launch.state = LaunchState::kFailed;
  EXPECT_FALSE(LadderCell(LadderOf({testing::InventedV17().record, cublas.record}), "v1_7", "cublas_pct"));
}

}  // namespace
}  // namespace culprit
