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

#include "analysis/why/causes.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/accuracy_report.h"
#include "tests/unit/analysis/invented_database.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;

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
    for (const auto& entry : fs::directory_iterator(kSource / "db/recorded"))
      if (entry.path().string().find("planted") != std::string::npos)
        database.Import(ReadText(entry.path()), entry.path().string());
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
  std::map<std::string, int> sizes;
  for (const JudgedPair& j : Judged()) ++sizes[j.answer.pair];
  for (const PlantedAnswer& answer : Answers()) EXPECT_GE(sizes[answer.pair], 2) << answer.pair;
}

TEST(Planted, CandidatesAreSlower) {
  for (const JudgedPair& j : Judged()) EXPECT_EQ(ToText(j.outcome), "slower") << NameOf(j);
}

TEST(Planted, CausesComeFirst) {
  for (const JudgedPair& j : Judged())
    EXPECT_EQ(j.Rank(), 1) << NameOf(j) << ": " << j.answer.cause << " planted, first is "
                           << (j.causes.empty() ? "none" : j.causes.front());
}

TEST(Planted, PartsSumToTheDifference) {
  for (const JudgedPair& j : Judged()) EXPECT_LT(std::abs(j.open_us), 0.1) << NameOf(j);
}

TEST(Planted, AccuracyIsTheOneInTheDocument) {
  const fs::path document = kSource / "docs/planted.md";
  const std::string report = AccuracyReport(Judged());
  if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) std::ofstream(document) << report;
  EXPECT_EQ(ReadText(document), report) << "run planted_test with CULPRIT_UPDATE_GOLDEN=1 and review the change";
}

}  // namespace
}  // namespace culprit::testing
