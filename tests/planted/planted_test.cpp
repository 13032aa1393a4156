// SPDX-License-Identifier: Apache-2.0
// `why` on kernels whose cause is known, as recorded on a real GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/judge/causes/cause.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/accuracy_report.h"
#include "tests/planted/published.h"
#include "tests/support/evidence_page.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;
constexpr const char* kNothingRecorded =
    "tests/recorded/planted holds no pair: record them with planted_bench --profile=full and export the run there";

const std::vector<PlantedAnswer>& Answers() {
  static const auto answers = ReadAnswers(kSource / "tests/planted/answers.csv");
  return answers;
}

// All pairs that were recorded, at each size.
const std::vector<JudgedPair>& Judged() {
  static const std::vector<JudgedPair> judged = [] {
    const TemporaryFolder scratch;
    Database database = Database::OpenForRecording(scratch / "planted.db");
    ImportRecordings("planted", database);
    std::vector<JudgedPair> all;
    for (const PlantedAnswer& answer : Answers())
      for (JudgedPair& one : Judge(database, answer)) all.push_back(std::move(one));
    return all;
  }();
  return judged;
}

std::string NameOf(const JudgedPair& j) { return j.answer.pair + " at " + j.shape; }

TEST(PlantedAnswers, NameCausesThatExistAndEachPairOnce) {
  std::set<std::string> pairs;
  for (const PlantedAnswer& answer : Answers()) {
    EXPECT_NE(FindCause(answer.cause), nullptr) << answer.pair;
    EXPECT_TRUE(pairs.insert(answer.pair).second) << answer.pair;
  }
  EXPECT_GE(pairs.size(), 20u);
}

TEST(PlantedAnswers, HoldOutAboutAThird) {
  int held_out = 0;
  for (const PlantedAnswer& answer : Answers()) held_out += answer.IsHeldOut();
  EXPECT_GE(held_out * 5, static_cast<int>(Answers().size()));
  EXPECT_LE(held_out * 5, 2 * static_cast<int>(Answers().size()));
}

TEST(Planted, EveryPairWasRecordedAtTwoSizes) {
  std::map<std::string, std::set<std::string>> sizes;
  for (const JudgedPair& j : Judged()) sizes[j.answer.pair].insert(j.shape);
  for (const PlantedAnswer& answer : Answers()) EXPECT_GE(sizes[answer.pair].size(), 2u) << answer.pair;
}

TEST(Planted, CandidatesAreSlower) {
  ASSERT_FALSE(Judged().empty()) << kNothingRecorded;
  for (const JudgedPair& j : Judged()) EXPECT_EQ(ToText(j.speed), "slower") << NameOf(j);
}

TEST(Planted, CausesComeFirst) {
  ASSERT_FALSE(Judged().empty()) << kNothingRecorded;
  for (const JudgedPair& j : Judged())
    EXPECT_EQ(j.Rank(), 1) << NameOf(j) << ": " << j.answer.cause << " planted, first is "
                           << (j.causes.empty() ? "none" : j.causes.front());
}

TEST(Planted, PartsSumToTheDifference) {
  ASSERT_FALSE(Judged().empty()) << kNothingRecorded;
  for (const JudgedPair& j : Judged()) EXPECT_LT(std::abs(j.open_us), 0.1) << NameOf(j);
}

TEST(Planted, AccuracyIsTheOneInTheDocument) {
  ASSERT_FALSE(Judged().empty()) << kNothingRecorded;
  ExpectEvidence("planted", AccuracyReport(Judged()));
}

TEST(Planted, PublishedSpeedUpsStandBesideOursInTheDocument) {
  ASSERT_FALSE(Judged().empty()) << kNothingRecorded;
  ExpectEvidence("published", PublishedDocument(ReadPublished(kSource / "tests/planted/published.csv"), Judged()));
}

}  // namespace
}  // namespace culprit::testing
