// SPDX-License-Identifier: Apache-2.0
// What is said of the program's builds as an H200 ran them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/strangers/stranger_document.h"
#include "tests/strangers/stranger_score.h"
#include "tests/support/invented_database.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;
const fs::path kFolder = kSource / "tests/strangers";
const fs::path kRecorded = kSource / "db/recorded/strangers";

std::string TextOf(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<StrangerCase> CasesOf(const char* recording, const fs::path& folder = kFolder) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "s.db");
  const fs::path file = kRecorded / recording;
  database.Import(TextOf(file), file.string());
  return JudgeStrangers(database, folder);
}

// How many of the pairs that count have all lines, or all causes, first.
int Right(const std::vector<StrangerCase>& cases, bool (StrangerCase::*right)() const) {
  return static_cast<int>(std::ranges::count_if(cases, [&](const StrangerCase& c) {
    return !c.planted.empty() && c.DeltaShare() >= kLeastSlower && (c.*right)();
  }));
}

int Claimed(const std::vector<StrangerCase>& cases) {
  return static_cast<int>(
      std::ranges::count_if(cases, [](const StrangerCase& c) { return c.planted.empty() && c.told_apart; }));
}

TEST(RecordedStrangers, AreJudgedAsTheDocumentSaysAndNoWorse) {
  const std::vector<StrangerCase> first = CasesOf("h200_sxm_cuda13.0_2026-11-23_first_sight.sql");
  EXPECT_EQ(first.size(), 40U) << "eight kernels, four pairs, and the base again";
  EXPECT_GE(Right(first, &StrangerCase::LinesRight), 18);
  EXPECT_GE(Right(first, &StrangerCase::CausesRight), 13);
  EXPECT_EQ(Claimed(first), 0);
  const std::vector<StrangerCase> second = CasesOf("h200_sxm_cuda13.0_2026-11-23_all_counted.sql");
  EXPECT_EQ(second.size(), 32U);
  EXPECT_GE(Right(second, &StrangerCase::LinesRight), 22);
  EXPECT_GE(Right(second, &StrangerCase::CausesRight), 19);
  const fs::path document = kSource / "docs/strangers.md";
  const std::string text =
      StrangerDocument({TextOf(kFolder / "first_sight.md"), first, second}, TextOf(kFolder / "second/first_sight.md"));
  if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) std::ofstream(document) << text;
  EXPECT_EQ(TextOf(document), text) << "run stranger_test with CULPRIT_UPDATE_GOLDEN=1 and review the change";
}

TEST(RecordedStrangers, OfTheSecondProgramAreJudgedAsWellAsAtFirstSight) {
  const std::vector<StrangerCase> cases = CasesOf("h200_sxm_cuda13.0_2026-11-24_second.sql", kFolder / "second");
  EXPECT_EQ(cases.size(), 48U) << "eight kernels, four pairs, the base again, and written otherwise";
  EXPECT_GE(Right(cases, &StrangerCase::LinesRight), 25);
  EXPECT_GE(Right(cases, &StrangerCase::CausesRight), 25);
  EXPECT_EQ(Claimed(cases), 0);
}

}  // namespace
}  // namespace culprit::testing
