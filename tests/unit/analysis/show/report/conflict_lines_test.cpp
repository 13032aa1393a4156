// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/conflict_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/show/report/kernel_report.h"
#include "db/database.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

InstructionRecord Access(std::int64_t pc, std::string file, int line, const char* op_metric, double executed,
                         double wavefronts, double ideal) {
  return {"k",
          pc,
          std::move(file),
          line,
          {{"sass_inst", executed},
           {std::string(op_metric) == "sass_ldgsts_inst" ? "sass_ldgsts_inst" : "sass_shared_inst", executed},
           {op_metric, executed},
           {"sass_shared_wavefronts", wavefronts},
           {"sass_shared_wavefronts_ideal", ideal}}};
}

// Line 20 stores with 31 conflicts an access; line 21 loads twice, once with conflicts; line 22 is free of them.
std::vector<InstructionRecord> Instructions() {
  return {Access(16, "a.cu", 20, "sass_shared_store_inst", 10, 320, 10),
          Access(32, "a.cu", 21, "sass_shared_load_inst", 10, 40, 40),
          Access(48, "a.cu", 21, "sass_shared_load_inst", 10, 60, 40),
          Access(64, "a.cu", 22, "sass_shared_load_inst", 10, 10, 10), Access(80, "", 0, "sass_ldsm_inst", 5, 40, 20)};
}

std::string Text(const std::vector<InstructionRecord>& instructions) {
  const testing::KernelBuilder kernel = testing::InventedV17();
  Report report = MakeKernelReport(kernel.record);
  AddConflictLines(instructions, report);
  std::ostringstream out;
  RenderText(report, out);
  return out.str();
}

TEST(ConflictLines, GatherInstructionsByLineAndOperationWorstFirst) {
  const auto lines = ConflictLines(Instructions());
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].line, 20);
  EXPECT_EQ(lines[0].op, "st");
  EXPECT_EQ(lines[0].Excess(), 310);
  EXPECT_EQ(lines[1].op, "ldsm");
  EXPECT_EQ(lines[1].file, "");
  EXPECT_EQ(lines[2].line, 21);
  EXPECT_EQ(lines[2].instructions, 2);
  EXPECT_EQ(lines[2].executed, 20);
  EXPECT_EQ(lines[2].wavefronts, 100);
  EXPECT_EQ(lines[2].Excess(), 20);
  EXPECT_EQ(lines[3].Excess(), 0);
}

TEST(ConflictLines, KeepOperationsOfOneLineApart) {
  const auto lines = ConflictLines(std::vector{Access(16, "a.cu", 20, "sass_shared_store_inst", 1, 2, 1),
                                               Access(32, "a.cu", 20, "sass_shared_load_inst", 1, 2, 1),
                                               Access(48, "a.cu", 20, "sass_ldgsts_inst", 1, 2, 1)});
  ASSERT_EQ(lines.size(), 3u);
  for (const ConflictLine& line : lines) EXPECT_EQ(line.executed, 1) << line.op;
}

TEST(ConflictLines, LeaveOutWhatWasNotCountedInFull) {
  auto half = Access(16, "a.cu", 20, "sass_shared_store_inst", 1, 2, 1);
  half.counts.erase("sass_shared_wavefronts_ideal");
  EXPECT_TRUE(ConflictLines(std::vector{half}).empty());
}

TEST(ConflictLinesSection, NamesTheWorstLineFirstAndLeavesOutTheOthers) {
  const std::string text = Text(Instructions());
  EXPECT_THAT(text, HasSubstr("Bank conflicts by source line"));
  const auto store = text.find("a.cu"), matrix = text.find("(no line information)");
  ASSERT_NE(store, text.npos);
  ASSERT_NE(matrix, text.npos);
  EXPECT_LT(store, matrix);
  EXPECT_THAT(text, HasSubstr("88.6 %"));  // 310 of 350
  EXPECT_THAT(text, Not(HasSubstr("22  load")));
}

TEST(ConflictLinesSection, SaysThatThereAreNone) {
  EXPECT_THAT(Text({Access(16, "a.cu", 20, "sass_shared_load_inst", 10, 10, 10)}),
              HasSubstr("None: every access to shared memory takes as few wavefronts"));
}

TEST(ConflictLinesSection, IsNotThereWithoutCountsOfInstructions) {
  EXPECT_THAT(Text({}), Not(HasSubstr("Bank conflicts by source line")));
}

TEST(ConflictLinesSection, ShowsPeopleTheFirstAndTellsWhereTheOthersAre) {
  std::vector<InstructionRecord> many;
  for (int line = 1; line <= 11; ++line)
    many.push_back(Access(16 * line, "a.cu", line, "sass_shared_store_inst", 10, 100 + line, 10));
  EXPECT_THAT(Text(many), HasSubstr("3 more lines have conflicts: 'culprit query @conflict_lines'."));
}

TEST(ConflictLinesSection, FollowsTheMemoryTables) {
  const testing::KernelBuilder kernel = testing::InventedV17();
  Report report = MakeKernelReport(kernel.record);
  AddConflictLines(Instructions(), report);
  for (std::size_t i = 0; i + 1 < report.sections.size(); ++i)
    EXPECT_EQ(report.sections[i].key == "memory", report.sections[i + 1].key == "shared_lines");
}

// The report and the query are two ways to one answer.
TEST(ConflictLines, AreThoseOfTheQuery) {
  const testing::TemporaryFolder folder;
  testing::WriteInventedDatabase(folder / "m.db");
  Database database = Database::OpenForRecording(folder / "m.db");
  const KernelRecord kernel = database.FindKernel("v1_7", {});
  const auto instructions = Instructions();
  std::vector<Reading> readings;
  for (const InstructionRecord& i : instructions)
    for (const auto& [metric, value] : i.counts)
      readings.push_back({{metric, "sass", "smsp__" + metric, "inst", "invented"}, value, ReadingStatus::kOk});
  database.StoreReadings(kernel.id, readings);
  database.StoreInstructions(kernel.id, instructions);
  const Table table = database.Query(*FindNamedQuery("conflict_lines"), {{":run", kernel.run.id}});
  auto expected = ConflictLines(database.Instructions(kernel.id));
  std::erase_if(expected, [](const ConflictLine& line) { return !(line.Excess() > 0); });
  ASSERT_EQ(table.rows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& row = table.rows[i];
    EXPECT_EQ(std::get<std::string>(row[3]), expected[i].file);
    EXPECT_EQ(std::get<std::int64_t>(row[4]), expected[i].line);
    EXPECT_EQ(std::get<std::string>(row[5]), expected[i].op);
    EXPECT_EQ(std::get<std::int64_t>(row[6]), expected[i].instructions);
    EXPECT_EQ(std::get<double>(row[7]), expected[i].executed);
    EXPECT_EQ(std::get<double>(row[8]), expected[i].wavefronts);
    EXPECT_EQ(std::get<double>(row[10]), expected[i].Excess());
  }
}

}  // namespace
}  // namespace culprit
