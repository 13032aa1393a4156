// SPDX-License-Identifier: Apache-2.0
// Whether blamed lines are the planted ones: the counting on invented cases, and the result on recordings of a GPU.
#include "tests/planted/line_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/planted/accuracy.h"
#include "tests/support/evidence_page.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"
#include "tests/support/small_run.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
const fs::path kSource = CULPRIT_SOURCE_DIR;

// Samples in which a warp issued, by line; these are blamed on the instruction itself.
SamplingRecord Sampled(const std::map<int, std::int64_t>& samples) {
  SamplingRecord sampling;
  sampling.period_cycles = 1024;
  sampling.launches = 1;
  MachineCode& code = sampling.code.emplace_back(MachineCode{"kernel", "00c0ffee", {}});
  for (const auto& [line, count] : samples) {
    MachineInstruction& instruction = code.instructions.emplace_back();
    instruction.pc_offset = 16 * static_cast<std::int64_t>(code.instructions.size() - 1);
    instruction.frames = {{"kernels/planted/transpose_padding.cu", line}};
    sampling.rows.push_back({"kernel", instruction.pc_offset, "selected", count, 0});
    sampling.samples += count;
  }
  return sampling;
}

void Store(Database& db, RunId run, const std::string& stage, double us, const std::map<int, std::int64_t>& samples) {
  const BuildRecord build = ABuild(stage);
  db.StoreStage(run, AStage(stage), {&build, 1});
  const LaunchId launch = db.StoreLaunch(run, ALaunch(stage, 2048), Samples({us, us}));
  if (!samples.empty()) db.StoreSampling(launch, Sampled(samples));
}

TEST(LineScore, JudgesPairsWithSamplesOfBothKernels) {
  const TemporaryFolder scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  const RunId run = db.BeginRun(ARun("11111111"));
  Store(db, run, "transpose_padded", 10, {{17, 10}, {19, 10}});
  Store(db, run, "transpose_unpadded", 20, {{17, 14}, {19, 26}});
  Store(db, run, "logistic_unrolled_32", 10, {{23, 10}});
  Store(db, run, "logistic_rolled", 10, {});
  const std::vector<LineCase> cases = JudgeLines(db, kSource / "tests/planted", kSource);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].planted, "transpose_padding");
  EXPECT_EQ(cases[0].cause, "shared_bank_conflicts");
  EXPECT_EQ(cases[0].answer, "19");
  EXPECT_EQ(cases[0].rank, 1);
  EXPECT_EQ(cases[0].said, "19 +8.0 us, 17 +2.0 us");
  EXPECT_TRUE(cases[0].on_line);
  EXPECT_FALSE(cases[0].mixture);
}

TEST(LineReport, CountsFirstShownAndNot) {
  const auto one = [](int rank, int rank_alone, const char* cause = "barrier", bool step = false) {
    LineCase c{"heat_sweeps", "512", cause};
    c.on_line = true;
    c.rank = rank;
    c.rank_alone = rank_alone;
    c.step = step;
    if (c.cause == "barrier") c.rank_shown = rank;
    return c;
  };
  const std::vector<LineCase> cases = {
      one(1, 1), one(1, 2), one(3, 1), one(4, 2), one(0, 0, "atomics"), one(1, 3, "atomics", true)};
  const std::string report = LineReport(cases);
  EXPECT_THAT(report, HasSubstr("| pairs of one cause | 5 | 2 (40 %) | 2 (40 %) | 3 (60 %) | 2 |"));
  EXPECT_THAT(report, HasSubstr("| barrier | 4 | 2 (50 %) | 2 (50 %) | 3 (75 %) | 1 |"));
  EXPECT_THAT(report, HasSubstr("| atomics | 2 | 0 (0 %) | 1 (50 %) | 1 (50 %) | 1 |"));
  EXPECT_THAT(report, HasSubstr("shows the planted line first in 2 of 4."));
  EXPECT_THAT(report, HasSubstr("alone, or on top of the other | 1 | 0 (0 %) | 1 (100 %) | 1 (100 %) | 0 |"));
}

TEST(LineReport, CallsAMixtureRightIfBothItsCausesAre) {
  const auto half = [](const char* mixture, const char* cause, int rank, bool on_line = true) {
    LineCase c{mixture, "512", cause};
    c.mixture = true;
    c.on_line = on_line;
    c.rank = rank;
    c.rank_alone = 1;
    return c;
  };
  const std::string report = LineReport(
      std::vector<LineCase>{half("m1", "barrier", 1), half("m1", "atomics", 1), half("m2", "barrier", 1),
                            half("m2", "atomics", 0), half("m3", "barrier", 2), half("m3", "launch", 1, false)});
  EXPECT_THAT(report,
              HasSubstr("| mixtures of two causes with lines, both | 2 | 2 (100 %) | 1 (50 %) | 1 (50 %) | 1 |"));
  EXPECT_THAT(report, HasSubstr("a cause with a line and one without | 1 | 1 (100 %) | 0 (0 %) | 1 (100 %) | 0 |"));
  EXPECT_THAT(report, HasSubstr("1 more cause has no line"));
  EXPECT_THAT(report, HasSubstr("Counters put 1 of these"));
  EXPECT_THAT(report, Not(HasSubstr("| launch |")));
}

TEST(PlantedLines, AreTheBlamedOnesAsOftenAsTheDocumentSays) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "planted.db");
  ImportRecordings("planted/lines", database);
  ImportRecordings("planted", database);  // has the exact counts of the same code
  const std::vector<LineCase> cases = JudgeLines(database, kSource / "tests/planted", kSource);
  ASSERT_FALSE(cases.empty()) << "planted/lines holds no pair of which both kernels were sampled";
  ExpectEvidence("planted_lines", LineDocument(cases));
  // Each pair, each step of a mixture, and each mixture by the worse of its causes.
  int pairs = 0, first = 0;
  std::map<std::string, int> mixtures;
  for (const LineCase& c : cases) {
    if (!c.on_line) continue;
    if (c.mixture) {
      int& later = mixtures[c.planted + " " + c.shape];
      later = std::max(later, c.rank == 0 ? kLinesShown + 1 : c.rank);
    } else {
      ++pairs;
      first += c.rank == 1;
    }
  }
  EXPECT_GE(first, 0.95 * pairs) << first << " of " << pairs;
  ASSERT_EQ(mixtures.size(), 30u);
  const auto both = [&](int within) {
    return std::ranges::count_if(mixtures, [&](const auto& mixture) { return mixture.second <= within; });
  };
  int shown = 0, shown_first = 0;
  for (const LineCase& c : cases) {
    shown += c.rank_shown.has_value();
    shown_first += c.rank_shown == 1;
  }
  EXPECT_EQ(shown, 64);
  EXPECT_GE(shown_first, 0.95 * shown);
  EXPECT_GE(both(1), 0.95 * 30);
  EXPECT_EQ(both(kLinesShown), 30);
}

}  // namespace
}  // namespace culprit::testing
