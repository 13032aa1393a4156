// SPDX-License-Identifier: Apache-2.0
// The score on all recordings must not fall below what it has reached, so that a new rule does not harm an old one.
#include "tests/planted/score_document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

#include "tests/planted/model_error_fit.h"
#include "tests/support/evidence_page.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;

std::string ReadText(const fs::path& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// In one test, because reading the recordings is most of its time.
TEST(ScoreOfTheRecordings, IsAsGoodAsItWasAndTheOneInTheDocument) {
  const TemporaryFolder scratch;
  Database planted = Database::OpenForRecording(scratch / "planted.db");
  ImportRecordings("planted", planted);
  Database ladder = Database::OpenForRecording(scratch / "ladder.db");
  ImportRecordings("", ladder);
  const Score score = ScoreOf(planted, ladder, kSource / "tests/planted");
  const std::vector<SmallChange> small = JudgeSmallChanges(planted, kSource / "tests/planted");
  const std::vector<BySize> by_size = SumBySize(small);
  ASSERT_EQ(by_size.size(), 5u);
  for (const BySize& row : by_size) {
    const double size = row.change;
    EXPECT_EQ(row.all, 164);
    EXPECT_GE(row.different, size > 0.2 ? 160 : size > 0.08 ? 140 : size > 0.04 ? 125 : 90) << size;
    EXPECT_GE(row.named * 4, row.different * 3) << size;
    EXPECT_GE(row.first * 100, row.different * (size > 0.2 ? 95 : size > 0.08 ? 93 : size > 0.04 ? 91 : 83)) << size;
    EXPECT_GE((row.all - row.named + row.named_right) * 100, row.all * 97) << "right or silent at " << size;
  }
  const std::vector<TwoPhases> phases = JudgeTwoPhases(planted, kSource / "tests/planted", 400);
  EXPECT_GE(std::ranges::count_if(phases, &TwoPhases::AreBothFirst) * 100, 400 * 60);
  // Samples of the same kernels, of another run.
  ImportRecordings("planted/lines", planted);
  const Score sampled = ScoreOf(planted, ladder, kSource / "tests/planted", Evidence::kSamples);
  EXPECT_GE(sampled.asked_with_samples, 350);
  EXPECT_GE(Right(sampled.singles), Right(score.singles));
  EXPECT_GE(Right(sampled.on_top), Right(score.on_top));
  EXPECT_GE(Right(sampled.harmless), Right(score.harmless)) << "no false claim by samples";
  EXPECT_LT(MeanError(sampled.singles), MeanError(score.singles));
  EXPECT_LT(MeanError(sampled.on_top), MeanError(score.on_top));
  EXPECT_LE(MeanError(sampled.mixtures), MeanError(score.mixtures) + 0.002);
  const Score cheap = ScoreOf(planted, ladder, kSource / "tests/planted", Evidence::kSampledCounters);
  ASSERT_GE(cheap.singles.size(), 150u);
  // Of causes that replayed counters find first, sampled ones do in 93 %.
  EXPECT_GE(Right(cheap.singles) * 100, Right(AmongThoseOf(score, cheap).singles) * 93);
  EXPECT_GE(Right(cheap.on_top) * 100, Right(AmongThoseOf(score, cheap).on_top) * 94);
  // Replay's claim for two of these is just below the limit of 3 % of the time, and that of samples just above.
  EXPECT_GE(Right(cheap.harmless) + 2, Right(AmongThoseOf(score, cheap).harmless));
  // With replayed ones beside them nothing is lost.
  const Score both = ScoreOf(planted, ladder, kSource / "tests/planted", Evidence::kBoth);
  ASSERT_EQ(both.singles.size(), cheap.singles.size());
  EXPECT_GE(Right(both.singles), Right(AmongThoseOf(score, cheap).singles));
  EXPECT_GE(Right(both.on_top), Right(AmongThoseOf(score, cheap).on_top));
  EXPECT_GE(Right(both.harmless), Right(AmongThoseOf(score, cheap).harmless));
  // The same where counters were really sampled.
  Database recorded_loop = Database::OpenForRecording(scratch / "loop.db");
  ImportRecordings("planted_loop", recorded_loop);
  const Score loop = ScoreOf(recorded_loop, recorded_loop, kSource / "tests/planted", Evidence::kSamples);
  ASSERT_GE(loop.singles.size(), 130u);
  EXPECT_GE(Right(loop.singles) * 100, Right(AmongThoseOf(sampled, loop).singles) * 75);
  EXPECT_GE(Right(loop.on_top) * 100, Right(AmongThoseOf(sampled, loop).on_top) * 91);
  ASSERT_GE(score.singles.size(), 140u);
  ASSERT_GE(score.mixtures.size(), 50u);
  EXPECT_EQ(Right(sampled.singles), static_cast<int>(sampled.singles.size()));
  // Counters count waiting for products as waiting at barriers.
  EXPECT_GE(Right(score.singles), static_cast<int>(score.singles.size()) - 3);
  EXPECT_GE(Right(score.on_top), static_cast<int>(score.on_top.size()) - 1);
  EXPECT_LE(MedianError(score.singles), 0.07);
  EXPECT_LE(MedianError(score.mixtures), 0.10);
  EXPECT_EQ(score.beyond_limit, 0u);
  EXPECT_LE(score.largely_unexplained * 100, score.pairs * 6);

  // How often intervals contain the truth, on families of kernels that were not used for their width.
  const std::vector<Residual> residuals = AllResiduals(score, small);
  for (const auto& [of, least, most] : {std::tuple<bool (*)(const Residual&), double, double>(Leads, 0.86, 0.95),
                                        {IsMinor, 0.86, 0.95},
                                        {IsShared, 0.85, 1},
                                        {IsLargelyUnexplained, 0.8, 1}}) {
    const Coverage coverage = LeavingFamilyOut(residuals, of);
    EXPECT_GE(coverage.parts, 40u);
    EXPECT_GE(coverage.Share(), least);
    EXPECT_LE(coverage.Share(), most);
  }
  const fs::path errors = kSource / "analysis/judge/why/model_error.inc";
  const std::string errors_text = ModelErrorText(FitModelErrors(residuals));
  if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) std::ofstream(errors) << errors_text;
  EXPECT_EQ(ReadText(errors), errors_text) << "run planted_test with CULPRIT_UPDATE_GOLDEN=1 and build again";
  ExpectEvidence("score", ScoreDocument(score, sampled, cheap, both, loop, small, phases));
}

}  // namespace
}  // namespace culprit::testing
