// SPDX-License-Identifier: Apache-2.0
// What to do about the kernels of the ladder, as recorded with samples on an H200. docs/lines.md shows the first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/blame/lines.h"
#include "analysis/judge/why/sampled_advice.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/show/report/advice_section.h"
#include "analysis/show/report/kernel_report.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

class RecordedAdvice : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<testing::TemporaryFolder>();
    database_.emplace(Database::OpenForRecording(*folder_ / "lines.db"));
    testing::ImportRecordings("lines", *database_);
  }
  static void TearDownTestSuite() {
    database_.reset();
    folder_.reset();
  }
  static KernelRecord Kernel(const std::string& stage) {
    const auto rows = database_->Query(
        "SELECT launch.id FROM launch JOIN stage ON stage.id = stage_id WHERE stage.key = '" + stage + "'");
    return database_->LoadKernel(std::get<std::int64_t>(rows.rows.at(0).at(0)));
  }
  static std::vector<Advice> On(const std::string& stage) {
    const KernelRecord kernel = Kernel(stage);
    const std::vector<InstructionRecord> counted = database_->Instructions(kernel.id);
    return AdviceOn(QuestionOf(
        kernel, CostsOf(KernelView(kernel).At("time_us"), *database_->Sampling(kernel.id), counted), counted));
  }

  static std::unique_ptr<testing::TemporaryFolder> folder_;
  static std::optional<Database> database_;
};
std::unique_ptr<testing::TemporaryFolder> RecordedAdvice::folder_;
std::optional<Database> RecordedAdvice::database_;

TEST_F(RecordedAdvice, SaysThatV16UnrollsTheLoopWhoseCounterIndexesItsSums) {
  const std::vector<Advice> all = On("v1_6");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].id, "local_array");
  EXPECT_EQ(all[0].at, (SourceFrame{"kernels/sgemm/v_study.cuh", 114}));
  EXPECT_EQ(all[0].instructions, "8 LDL, 8 STL a trip of the loop at line 110");
  EXPECT_THAT(all[0].finding, HasSubstr("its index comes from the loop at line 110"));
  EXPECT_THAT(all[0].action, HasSubstr("#pragma unroll"));
  EXPECT_NEAR(all[0].us, 603.2, 1);
}

// Half of each warp's lanes take one of the two loops of drag_branch.cu, at lines 31 and 37.
TEST(RecordedLanes, OfADivergentKernelAreHalfOfThemInEitherLoop) {
  const testing::TemporaryFolder folder;
  Database database = Database::OpenForRecording(folder / "lanes.db");
  testing::ImportRecordings("lanes", database);
  int behind = 0;
  for (const auto& row :
       database.Query("SELECT launch.id, stage.key FROM launch JOIN stage ON stage.id = stage_id").rows) {
    const KernelRecord kernel = database.LoadKernel(std::get<std::int64_t>(row.at(0)));
    const bool apart = std::get<std::string>(row.at(1)) == "drag_halves";
    const std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
    for (const InstructionRecord& i : counted) {
      if (!i.counts.contains("sass_thread_inst_on")) continue;
      const double on = i.counts.at("sass_thread_inst_on"), there = i.counts.at("sass_thread_inst");
      EXPECT_LE(on, there) << i.pc_offset;
      EXPECT_LE(there, 32 * i.counts.at("sass_inst")) << i.pc_offset;
    }
    const KernelCosts costs = CostsOf(KernelView(kernel).At("time_us"), *database.Sampling(kernel.id), counted);
    for (const CostLine& line : LinesOf(costs)) {
      if (line.at.line < 31 || line.at.line > 39 || line.at.line == 36) continue;
      ASSERT_TRUE(line.lanes.Known()) << line.at.line;
      EXPECT_NEAR(line.lanes.On(), apart ? 16 : 32, 0.01) << line.at.line;
    }
    for (const ShownCode& shown : Examine(QuestionOf(kernel, costs, counted)).shown)
      if (shown.cause == "divergence") {
        EXPECT_TRUE(apart) << "lanes of a warp take one branch: " << shown.text;
        EXPECT_THAT(shown.text, HasSubstr("behind a branch at line 29 that took a warp's lanes apart in all of"));
        EXPECT_THAT(shown.text, HasSubstr("16.0 of 32 lanes on: 16.0 not there (divergence)"));
        ++behind;
      }
  }
  EXPECT_GE(behind, 2 * 6) << "three lines of each loop, of both sizes";
}

// `if (threadIdx.x % 32 == 0) of_warp[...] = value;` of block_sum.cuh is predicated: one lane stores, all are counted.
TEST(RecordedLanes, AreCountedWhateverTheirPredicate) {
  const testing::TemporaryFolder folder;
  Database database = Database::OpenForRecording(folder / "planted.db");
  testing::ImportRecording("planted/h200_sxm_cuda13.0_2026-11-22.sql.zst", database);
  const Table lanes = database.Query(
      "SELECT threads.value / warps.value FROM instruction_reading AS threads "
      "JOIN instruction_reading AS warps ON warps.instruction_id = threads.instruction_id AND warps.key = 'sass_inst' "
      "WHERE threads.key = 'sass_thread_inst' AND threads.opcode = 'STS' "
      "AND threads.source_file = 'kernels/planted/block_sum.cuh' AND threads.source_line = 20");
  ASSERT_FALSE(lanes.rows.empty());
  for (const auto& row : lanes.rows) EXPECT_EQ(std::get<double>(row.at(0)), 32);
}

TEST_F(RecordedAdvice, OfAPairIsOnTheSlowerOneAndBesideItsCause) {
  const KernelRecord base = Kernel("v1_7"), candidate = Kernel("v1_6");
  const auto sampled = LoadSamples(*database_, base, candidate);
  ASSERT_TRUE(sampled);
  const auto forward = ExaminePair(base, candidate, *sampled).advice;
  ASSERT_FALSE(forward.empty());
  EXPECT_EQ(forward[0].advice.id, "local_array");
  EXPECT_FALSE(forward[0].of_base);
  // What both kernels have, and what did not grow, is not among it.
  for (const DifferenceAdvice& a : forward) EXPECT_NE(a.advice.id, "bank_conflicts");
  const auto turned = LoadSamples(*database_, candidate, base);
  const auto backward = ExaminePair(candidate, base, *turned).advice;
  ASSERT_FALSE(backward.empty());
  EXPECT_TRUE(backward[0].of_base);
  EXPECT_NEAR(backward[0].more_us, forward[0].more_us, 1);

  const Explanation explanation = Why(Neighbours(*database_), base, candidate);
  const auto cause = std::ranges::find(explanation.causes, "local_memory_array", &CausePart::cause);
  ASSERT_NE(cause, explanation.causes.end());
  ASSERT_EQ(cause->to_do.size(), 1u);
  EXPECT_EQ(cause->to_do[0].line, 114);
}

TEST_F(RecordedAdvice, StandsBesideTheFindingThatItIsAbout) {
  const KernelRecord kernel = Kernel("v1_6");
  Report report = MakeKernelReport(kernel);
  AddExamined(ExamineKernel(kernel, *LoadSampled(*database_, kernel)), report);
  int findings = 0;
  for (const Section& section : report.sections)
    for (const Item& item : section.items)
      if (section.key == "findings" && item.key == "local_memory_array") {
        ++findings;
        EXPECT_THAT(item.details, ::testing::Contains(HasSubstr("the code at kernels/sgemm/v_study.cuh:114")));
      }
  EXPECT_EQ(findings, 1);
}

TEST_F(RecordedAdvice, ProposesOfAMatrixLoadWhatBanksProposesForTheStatedAccess) {
  const std::vector<Advice> all = On("hgemm_mma");
  const auto b = std::ranges::find_if(all, [](const Advice& a) { return a.action.find("'B'") != std::string::npos; });
  ASSERT_NE(b, all.end());
  EXPECT_EQ(b->id, "bank_conflicts");
  EXPECT_EQ(b->at.line, 26);
  EXPECT_THAT(b->finding, HasSubstr("32 wavefronts where 4 would do"));
  EXPECT_THAT(b->action, HasSubstr("leave 16 bytes (4 words) free behind every 512"));
  EXPECT_THAT(b->action, HasSubstr("offset ^ (offset >> 5 & 0x70)"));
  for (const Advice& a : On("hgemm_mma_swizzle")) EXPECT_NE(a.id, "bank_conflicts");
}

TEST_F(RecordedAdvice, HasNothingToSayOfALibrarysProduct) { EXPECT_TRUE(On("cublas_sgemm").empty()); }

}  // namespace
}  // namespace culprit
