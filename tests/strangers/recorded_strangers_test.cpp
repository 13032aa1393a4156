// SPDX-License-Identifier: Apache-2.0
// The answers for the program's builds, as recorded on an H200.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/strangers/stranger_document.h"
#include "tests/strangers/stranger_score.h"
#include "tests/support/evidence_page.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;
const fs::path kFolder = kSource / "tests/strangers";

std::string TextOf(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<StrangerCase> CasesOf(const char* recording, const fs::path& folder = kFolder) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "s.db");
  ImportRecording(fs::path("strangers") / recording, database);
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
  const std::vector<StrangerCase> first = CasesOf("h200_sxm_cuda13.0_2026-11-23_first_sight.sql.zst");
  EXPECT_EQ(first.size(), 40U) << "eight kernels, four pairs, and the base again";
  EXPECT_GE(Right(first, &StrangerCase::LinesRight), 18);
  EXPECT_GE(Right(first, &StrangerCase::CausesRight), 13);
  EXPECT_EQ(Claimed(first), 0);
  const std::vector<StrangerCase> second = CasesOf("h200_sxm_cuda13.0_2026-11-23_all_counted.sql.zst");
  EXPECT_EQ(second.size(), 32U);
  EXPECT_GE(Right(second, &StrangerCase::LinesRight), 22);
  EXPECT_GE(Right(second, &StrangerCase::CausesRight), 19);
  ExpectEvidence("strangers", StrangerDocument({TextOf(kFolder / "first_sight.md"), first, second},
                                               TextOf(kFolder / "second/first_sight.md")));
}

TEST(RecordedStrangers, JudgeTheSecondProgramAsWellAsAtFirstSight) {
  const std::vector<StrangerCase> cases = CasesOf("h200_sxm_cuda13.0_2026-11-24_second.sql.zst", kFolder / "second");
  EXPECT_EQ(cases.size(), 48U) << "eight kernels, four pairs, the base again, and written otherwise";
  EXPECT_GE(Right(cases, &StrangerCase::LinesRight), 25);
  EXPECT_GE(Right(cases, &StrangerCase::CausesRight), 25);
  EXPECT_EQ(Claimed(cases), 0);
}

TEST(RecordedStrangers, AreJudgedByDefaultAsWellAsByAllCounters) {
  const auto first = CasesOf("../strangers_by_default/h200_sxm_cuda13.0_2026-11-28_first.sql.zst");
  const auto second =
      CasesOf("../strangers_by_default/h200_sxm_cuda13.0_2026-11-28_second.sql.zst", kFolder / "second");
  EXPECT_EQ(first.size(), 40U);
  EXPECT_EQ(second.size(), 48U);
  EXPECT_GE(Right(first, &StrangerCase::LinesRight), 18) << "as at first sight";
  EXPECT_GE(Right(first, &StrangerCase::CausesRight), 19) << "12 at first sight";
  EXPECT_GE(Right(second, &StrangerCase::LinesRight), 25);
  EXPECT_GE(Right(second, &StrangerCase::CausesRight), 25);
  EXPECT_EQ(Claimed(first) + Claimed(second), 0);
  ExpectEvidence("strangers_by_default", ByDefaultDocument(first, second));
}

// Three sets of ten programs with two mistakes each. Some mistakes cost nothing, and do not count.
TEST(RecordedStrangers, JudgeTheBlindSetsAsWellAsAtFirstSight) {
  std::vector<std::string> first_sights;
  int lines = 0, causes = 0;
  for (const char* const set : {"blind_1", "blind_2", "blind_3"}) {
    const std::vector<StrangerCase> cases =
        CasesOf((std::string("../blind/h100_sxm_cuda13.0_2026-11-28_") + set + ".sql.zst").c_str(), kFolder / set);
    EXPECT_EQ(cases.size(), 30U) << set << ": ten kernels, two mistakes, and the good one again";
    lines += Right(cases, &StrangerCase::LinesRight);
    causes += Right(cases, &StrangerCase::CausesRight);
    EXPECT_EQ(Claimed(cases), 0) << set;
    first_sights.push_back(TextOf(kFolder / set / "first_sight.md"));
  }
  EXPECT_GE(lines, 27) << "of 29";
  EXPECT_GE(causes, 32) << "of 37";
  ExpectEvidence("blind", BlindDocument(first_sights));
}

}  // namespace
}  // namespace culprit::testing
