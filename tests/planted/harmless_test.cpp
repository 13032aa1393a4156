// SPDX-License-Identifier: Apache-2.0
// Pairs in which nothing changed that matters, as recorded on a real GPU: `why` must not call either kernel slower.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/planted/accuracy.h"
#include "tests/support/invented_database.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kPlanted = fs::path(CULPRIT_SOURCE_DIR) / "tests/planted";
const fs::path kRecorded = fs::path(CULPRIT_SOURCE_DIR) / "db/recorded/planted";

// How much of the base's time a decoy may cost: what was changed shows in the counters, not in the time.
constexpr double kHardly = 0.05;

using Fields = std::vector<std::string>;

// The lines below the header, each of as many fields as that; the last may be empty.
std::vector<Fields> Lines(const fs::path& csv) {
  std::ifstream in(csv);
  std::vector<Fields> lines;
  for (std::string line; std::getline(in, line);) {
    Fields fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    if (!lines.empty()) {
      EXPECT_EQ(fields.size(), lines.front().size()) << line;
    }
    lines.push_back(fields);
  }
  if (!lines.empty()) lines.erase(lines.begin());
  return lines;
}

// A line of harmless.csv: pair, base, candidate, kind, planted.
std::vector<Fields> Harmless() { return Lines(kPlanted / "harmless.csv"); }

std::set<std::string> Answered() {
  std::set<std::string> pairs;
  for (const PlantedAnswer& answer : ReadAnswers(kPlanted / "answers.csv")) pairs.insert(answer.pair);
  return pairs;
}

// Of all harmless pairs that were recorded, at each size; the answer's cause is the kind. A decoy may stand beside a
// real cause: that pair has an answer, too, and is judged by it.
const std::vector<JudgedPair>& Judged() {
  static const std::vector<JudgedPair> judged = [] {
    const TemporaryFolder scratch;
    Database database = Database::OpenForRecording(scratch / "planted.db");
    for (const auto& entry : fs::directory_iterator(kRecorded)) {
      std::ifstream in(entry.path());
      database.Import(std::string(std::istreambuf_iterator<char>(in), {}), entry.path().string());
    }
    std::vector<JudgedPair> all;
    const std::set<std::string> answered = Answered();
    for (const Fields& f : Harmless())
      if (!answered.contains(f[0]))
        for (JudgedPair& one : Judge(database, {f[0], f[1], f[2], f[3], f[4]})) all.push_back(std::move(one));
    return all;
  }();
  return judged;
}

TEST(HarmlessPairs, AreOfKnownKindsAndNameEachPairAndKernelOnce) {
  std::set<std::string> names;
  std::map<std::string, int> kinds;
  for (const Fields& f : Harmless()) {
    ++kinds[f[3]];
    EXPECT_TRUE(names.insert("pair " + f[0]).second) << f[0];
    for (const std::string& kernel : {f[1], f[2]}) EXPECT_TRUE(names.insert("kernel " + kernel).second) << kernel;
  }
  const std::set<std::string> known = {"null", "decoy", "saturated"};
  for (const auto& [kind, count] : kinds) EXPECT_TRUE(known.contains(kind)) << kind;
  EXPECT_GE(kinds["null"], 10);
  EXPECT_GE(kinds["decoy"], 10);
}

TEST(HarmlessPairs, NullsAreNotCalledSlowerOrFaster) {
  for (const JudgedPair& j : Judged())
    if (j.answer.cause == "null") {
      EXPECT_NE(ToText(j.outcome), "slower") << j.answer.pair << " at " << j.shape;
      EXPECT_NE(ToText(j.outcome), "faster") << j.answer.pair << " at " << j.shape;
    }
}

TEST(HarmlessPairs, DecoysHardlyTakeLonger) {
  for (const JudgedPair& j : Judged())
    if (j.answer.cause == "decoy") {
      EXPECT_LT(j.candidate_us, (1 + kHardly) * j.base_us) << j.answer.pair << " at " << j.shape;
    }
}

TEST(PublishedPairs, HaveAnAnswerAndAnEffectAboveOneOrNone) {
  const std::set<std::string> answered = Answered();
  for (const Fields& f : Lines(kPlanted / "published.csv")) {
    EXPECT_TRUE(answered.contains(f[0])) << f[0];
    EXPECT_TRUE(f[2].empty() || std::stod(f[2]) > 1) << f[0];
    EXPECT_FALSE(f[1].empty() || f[3].empty()) << f[0];
  }
}

}  // namespace
}  // namespace culprit::testing
