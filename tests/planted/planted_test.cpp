// SPDX-License-Identifier: Apache-2.0
// `why` on kernels whose cause is known, as recorded on a real GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "analysis/causes/cause.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/accuracy_report.h"
#include "tests/planted/published.h"
#include "tests/support/invented_database.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;
constexpr const char* kNothingRecorded =
    "db/recorded/planted holds no pair: record them with planted_bench --profile=full and export the run there";

std::string ReadText(const fs::path& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

const std::vector<PlantedAnswer>& Answers() {
  static const auto answers = ReadAnswers(kSource / "tests/planted/answers.csv");
  return answers;
}

// Of all pairs that were recorded, at each size.
const std::vector<JudgedPair>& Judged() {
  static const std::vector<JudgedPair> judged = [] {
    const TemporaryFolder scratch;
    Database database = Database::OpenForRecording(scratch / "planted.db");
    ImportRecordings(kSource / "db/recorded/planted", database);
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

void ExpectDocument(const char* name, const std::string& text) {
  ASSERT_FALSE(Judged().empty()) << kNothingRecorded;
  const fs::path document = kSource / name;
  if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) std::ofstream(document) << text;
  EXPECT_EQ(ReadText(document), text) << "run planted_test with CULPRIT_UPDATE_GOLDEN=1 and review the change";
}

TEST(Planted, AccuracyIsTheOneInTheDocument) { ExpectDocument("docs/planted.md", AccuracyReport(Judged())); }

TEST(Planted, PublishedSpeedUpsStandBesideOursInTheDocument) {
  ExpectDocument("docs/published.md",
                 PublishedDocument(ReadPublished(kSource / "tests/planted/published.csv"), Judged()));
}

}  // namespace
}  // namespace culprit::testing
