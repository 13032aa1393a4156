// SPDX-License-Identifier: Apache-2.0
// Whether advice on planted kernels is right: the counting on invented cases, and the result on recordings of a GPU.
#include "tests/planted/advice_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/judge/advice/advice.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"
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

bool HasAdvice(const std::string& cause) {
  return std::ranges::any_of(AdviceKinds(), [&](const AdviceKind& kind) { return IsAdviceAbout(kind.id, cause); });
}

TEST(RightAdvice, ExistsForEachKernelWithACauseOfAdvice) {
  using Planted = std::pair<std::string, std::string>;  // kernel, cause
  std::set<Planted> wanted;
  std::map<std::string, std::set<std::string>> kernels;  // of each pair or mixture
  const auto plant = [&](const std::string& kernel, const std::string& cause) {
    if (HasAdvice(cause)) wanted.emplace(kernel, cause);
  };
  for (const PlantedAnswer& a : ReadAnswers(kSource / "tests/planted/answers.csv")) {
    kernels[a.pair] = {a.base, a.candidate};
    plant(a.candidate, a.cause);
  }
  for (const MixtureAnswer& m : ReadMixtures(kSource / "tests/planted/mixtures.csv")) {
    kernels[m.mixture] = {m.base, m.a, m.b, m.both};
    for (const std::string& kernel : {m.a, m.both}) plant(kernel, m.cause_a);
    for (const std::string& kernel : {m.b, m.both}) plant(kernel, m.cause_b);
  }
  for (const HarmlessPair& h : ReadHarmless(kSource / "tests/planted/harmless.csv"))
    kernels.try_emplace(h.pair, std::set<std::string>{h.base, h.candidate});
  std::set<Planted> said;
  for (const RightAdvice& r : ReadRightAdvice(kSource / "tests/planted/advice.csv")) {
    ASSERT_TRUE(kernels.contains(r.planted)) << r.planted;
    EXPECT_TRUE(kernels[r.planted].contains(r.kernel)) << r.kernel << " is not of " << r.planted;
    if (!r.must) continue;
    const auto of = std::ranges::find_if(
        wanted, [&](const Planted& p) { return p.first == r.kernel && IsAdviceAbout(r.advice, p.second); });
    ASSERT_NE(of, wanted.end()) << r.advice << " is about nothing that was planted in " << r.kernel;
    said.insert(*of);
  }
  EXPECT_EQ(said, wanted);
}

TEST(AdviceShares, CountWhatWasWantedAndWhatWasWrong) {
  AdviceCase right{"transpose_padding", "transpose_unpadded", "2048"};
  right.wanted = {{"bank_conflicts", true}};
  AdviceCase missed = right;
  missed.wanted[0].given = false;
  missed.wrong = missed.said = "spill at 3";
  const AdviceCase fine{"transpose_padding", "transpose_padded", "2048"};
  AdviceCase alarmed = fine;
  alarmed.source = AdviceSource::kHarmless;
  alarmed.wrong = alarmed.said = "double at 9";
  const std::vector<AdviceCase> cases = {right, missed, fine, alarmed};
  const AdviceShares shares = SharesOf(cases);
  EXPECT_DOUBLE_EQ(shares.Right(), 0.5);
  EXPECT_DOUBLE_EQ(shares.Wrong(), 0.5);
  EXPECT_EQ(shares.harmless, 2);
  EXPECT_EQ(shares.wrong_harmless, 1);
  const std::string tables = AdviceTables(cases);
  EXPECT_THAT(tables, HasSubstr("| pairs of one cause | 3 | 2 | 1 (50 %) | 1 (33 %) | 0 of 1 |"));
  EXPECT_THAT(tables, HasSubstr("| pairs that make no difference | 1 | 0 | - | 1 (100 %) | 1 of 1 |"));
  EXPECT_THAT(tables, HasSubstr("| bank_conflicts | 2 | 1 (50 %) |"));
  EXPECT_THAT(
      tables,
      HasSubstr("| transpose_padding | transpose_unpadded | 2048 | bank_conflicts | spill at 3 | spill at 3 |"));
  EXPECT_THAT(tables, Not(HasSubstr("| nothing |")));
}

std::vector<AdviceCase> Judge(bool with_counts) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "planted.db");
  ImportRecordings("planted/lines", database);
  if (with_counts) ImportRecordings("planted", database);  // has the exact counts of the same code
  return JudgeAdvice(database, kSource / "tests/planted", kSource);
}

TEST(PlantedAdvice, IsRightAsOftenAsTheDocumentSays) {
  const std::vector<AdviceCase> cases = Judge(true);
  ASSERT_FALSE(cases.empty());
  ExpectEvidence("planted_advice", AdviceDocument(cases));
  const AdviceShares shares = SharesOf(cases);
  EXPECT_GE(shares.wanted, 60);
  // Atomics whose address depends on data meet without the code showing it: 8 of 12 get no advice.
  EXPECT_GE(shares.Right(), 0.87) << shares.right << " of " << shares.wanted;
  EXPECT_LE(shares.Wrong(), 0.05) << shares.wrong << " of " << shares.all;
}

TEST(PlantedAdvice, NeedsNoExactCounts) {
  const AdviceShares shares = SharesOf(Judge(false));
  EXPECT_GE(shares.Right(), 0.9) << shares.right << " of " << shares.wanted;
  EXPECT_LE(shares.Wrong(), 0.05) << shares.wrong << " of " << shares.all;
}

}  // namespace
}  // namespace culprit::testing
