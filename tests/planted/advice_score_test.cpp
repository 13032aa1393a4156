// SPDX-License-Identifier: Apache-2.0
// Whether advice on planted kernels is right: the counting, on made-up cases, and what it comes to on a real GPU.
#include "tests/planted/advice_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/planted/accuracy.h"
#include "tests/support/invented_database.h"
#include "tests/support/small_run.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
const fs::path kSource = CULPRIT_SOURCE_DIR;
const fs::path kRecorded = kSource / "db/recorded/planted/lines";

TEST(RightAdvice, IsSaidOfEachPairWhoseCauseAdviceIsAboutAndOfItsKernels) {
  // Of each cause the advice that must be given.
  const std::map<std::string, std::string> of_cause = {
      {"shared_bank_conflicts", "bank_conflicts"}, {"local_memory_array", "local_array"},
      {"local_memory_spill", "spill"},             {"global_uncoalesced", "uncoalesced"},
      {"global_access_width", "narrow"},           {"shared_access_width", "narrow"},
      {"fp64_pipe", "double"},                     {"exposed_latency", "load_early"},
      {"barrier", "barrier_in_loop"}};
  std::map<std::string, PlantedAnswer> pairs;
  std::set<std::pair<std::string, std::string>> wanted, said;
  for (const PlantedAnswer& a : ReadAnswers(kSource / "tests/planted/answers.csv")) {
    pairs.emplace(a.pair, a);
    if (const auto found = of_cause.find(a.cause); found != of_cause.end()) wanted.emplace(a.pair, found->second);
  }
  for (const RightAdvice& r : ReadRightAdvice(kSource / "tests/planted/advice.csv")) {
    ASSERT_TRUE(pairs.contains(r.planted)) << r.planted;
    const PlantedAnswer& pair = pairs.at(r.planted);
    EXPECT_TRUE(r.kernel == pair.base || r.kernel == pair.candidate) << r.kernel;
    if (!r.must) continue;
    EXPECT_EQ(r.kernel, pair.candidate) << "the slower one";
    EXPECT_TRUE(said.emplace(r.planted, r.advice).second);
  }
  EXPECT_EQ(said, wanted);
}

TEST(AdviceShares, CountWhatWasWantedAndWhatWasWrong) {
  AdviceCase right{"transpose_padding", "transpose_unpadded", "2048"};
  right.wanted = "bank_conflicts";
  right.right = true;
  AdviceCase missed = right;
  missed.right = false;
  missed.wrong = missed.said = "spill at 3";
  AdviceCase harmless{"transpose_padding", "transpose_padded", "2048"};
  harmless.harmless = true;
  AdviceCase alarmed = harmless;
  alarmed.wrong = alarmed.said = "double at 9";
  const std::vector<AdviceCase> cases = {right, missed, harmless, alarmed};
  const AdviceShares shares = SharesOf(cases);
  EXPECT_DOUBLE_EQ(shares.Right(), 0.5);
  EXPECT_DOUBLE_EQ(shares.Wrong(), 0.5);
  EXPECT_EQ(shares.harmless, 2);
  EXPECT_EQ(shares.wrong_harmless, 1);
  const std::string tables = AdviceTables(cases);
  EXPECT_THAT(tables, HasSubstr("| bank_conflicts | 2 | 1 (50 %) |"));
  EXPECT_THAT(tables, HasSubstr("| transpose_padding | transpose_unpadded | 2048 | bank_conflicts | spill at 3 | spill at 3 |"));
  EXPECT_THAT(tables, Not(HasSubstr("| nothing |")));
}

std::vector<AdviceCase> Judge(bool with_counts) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "planted.db");
  ImportRecordings(kRecorded, database);
  if (with_counts) ImportRecordings(kRecorded.parent_path(), database);  // has the exact counts of the same code
  return JudgeAdvice(database, kSource / "tests/planted", kSource);
}

TEST(PlantedAdvice, IsRightAsOftenAsTheDocumentSays) {
  if (!fs::exists(kRecorded))
    GTEST_SKIP() << kRecorded.string() << " holds no samples: record them with planted_bench --profile=lines";
  const std::vector<AdviceCase> cases = Judge(true);
  ASSERT_FALSE(cases.empty());
  const fs::path document = kSource / "docs/planted_advice.md";
  const std::string text = AdviceDocument(cases);
  if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) std::ofstream(document) << text;
  std::ifstream in(document);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text)
      << "run planted_test with CULPRIT_UPDATE_GOLDEN=1 and review the change";
  const AdviceShares shares = SharesOf(cases);
  EXPECT_GE(shares.wanted, 60);
  EXPECT_GE(shares.Right(), 0.9) << shares.right << " of " << shares.wanted;
  EXPECT_LE(shares.Wrong(), 0.05) << shares.wrong << " of " << shares.all;
}

TEST(PlantedAdvice, NeedsNoExactCounts) {
  if (!fs::exists(kRecorded)) GTEST_SKIP();
  const AdviceShares shares = SharesOf(Judge(false));
  EXPECT_GE(shares.Right(), 0.9) << shares.right << " of " << shares.wanted;
  EXPECT_LE(shares.Wrong(), 0.05) << shares.wrong << " of " << shares.all;
}

}  // namespace
}  // namespace culprit::testing
