// SPDX-License-Identifier: Apache-2.0
// Pairs whose change does not matter, as recorded on a GPU: `why` must not call either kernel slower.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kPlanted = fs::path(CULPRIT_SOURCE_DIR) / "tests/planted";

// How much of the base's time a decoy may cost: its change shows in the counters, not in the time.
constexpr double kHardly = 0.05;

std::vector<HarmlessPair> Harmless() { return ReadHarmless(kPlanted / "harmless.csv"); }

std::set<std::string> Answered() {
  std::set<std::string> pairs;
  for (const PlantedAnswer& answer : ReadAnswers(kPlanted / "answers.csv")) pairs.insert(answer.pair);
  return pairs;
}

// All harmless pairs that were recorded, at each size; the kind is stored as the answer's cause. A pair may have a
// decoy beside a real cause. It has an answer, too, and is judged by that.
const std::vector<JudgedPair>& Judged() {
  static const std::vector<JudgedPair> judged = [] {
    const TemporaryFolder scratch;
    Database database = Database::OpenForRecording(scratch / "planted.db");
    ImportRecordings("planted", database);
    std::vector<JudgedPair> all;
    const std::set<std::string> answered = Answered();
    for (const HarmlessPair& h : Harmless())
      if (!answered.contains(h.pair))
        for (JudgedPair& one : Judge(database, {h.pair, h.base, h.candidate, h.kind, h.planted}))
          all.push_back(std::move(one));
    return all;
  }();
  return judged;
}

TEST(HarmlessPairs, AreOfKnownKindsAndNameEachPairAndKernelOnce) {
  std::set<std::string> names;
  std::map<std::string, int> kinds;
  for (const HarmlessPair& h : Harmless()) {
    ++kinds[h.kind];
    EXPECT_TRUE(names.insert("pair " + h.pair).second) << h.pair;
    for (const std::string& kernel : {h.base, h.candidate})
      EXPECT_TRUE(names.insert("kernel " + kernel).second) << kernel;
  }
  const std::set<std::string> known = {"null", "decoy", "saturated", "placement"};
  for (const auto& [kind, count] : kinds) EXPECT_TRUE(known.contains(kind)) << kind;
  EXPECT_GE(kinds["null"], 10);
  EXPECT_GE(kinds["decoy"], 10);
  EXPECT_GE(kinds["saturated"], 6);
}

TEST(HarmlessPairs, NullsAreNotCalledSlowerOrFaster) {
  for (const JudgedPair& j : Judged())
    if (j.answer.cause == "null") {
      EXPECT_NE(ToText(j.speed), "slower") << j.answer.pair << " at " << j.shape;
      EXPECT_NE(ToText(j.speed), "faster") << j.answer.pair << " at " << j.shape;
    }
}

TEST(HarmlessPairs, DecoysHardlyTakeLonger) {
  for (const JudgedPair& j : Judged())
    if (j.answer.cause == "decoy") {
      EXPECT_LT(j.candidate_us, (1 + kHardly) * j.base_us) << j.answer.pair << " at " << j.shape;
    }
}

}  // namespace
}  // namespace culprit::testing
