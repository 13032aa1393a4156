// SPDX-License-Identifier: Apache-2.0
// The content of published.csv, and the table with recordings beside it.
#include "tests/planted/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace culprit::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::filesystem::path kPlanted = std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/planted";

TEST(PublishedEffects, HaveAnAnswerAPlaceAndAnEffectAboveOneOrNone) {
  std::set<std::string> answered, seen;
  for (const PlantedAnswer& answer : ReadAnswers(kPlanted / "answers.csv")) answered.insert(answer.pair);
  for (const PublishedEffect& effect : ReadPublished(kPlanted / "published.csv")) {
    EXPECT_TRUE(answered.contains(effect.pair)) << effect.pair;
    EXPECT_TRUE(seen.insert(effect.pair).second) << effect.pair;
    EXPECT_GT(effect.speed_up.value_or(2), 1) << effect.pair;
    EXPECT_THAT(effect.url, StartsWith("https://")) << effect.pair;
    EXPECT_FALSE(effect.source.empty() || effect.what.empty()) << effect.pair;
  }
}

JudgedPair Recorded(const std::string& shape, double base_us, double candidate_us, double share) {
  JudgedPair j;
  j.answer = {"sums", "sums_fast", "sums_slow", "atomics", "something"};
  j.shape = shape;
  j.base_us = base_us;
  j.candidate_us = candidate_us;
  j.causes = {"barrier"};
  j.shares["barrier"] = share;
  return j;
}

TEST(PublishedDocument, ShowsOurEffectsBesideThePublishedOnes) {
  const std::vector<PublishedEffect> published{{"sums", "somebody", "https://example.com/1", 1.5, "sums by warps"}};
  const std::vector<JudgedPair> judged{Recorded("1024", 10, 12, 0.9), Recorded("4096", 40, 50, 0.8)};
  EXPECT_THAT(PublishedDocument(published, judged),
              EndsWith("| sums | sums by warps | [somebody](https://example.com/1) | 1.5 | 1.20, 1.25 | barrier "
                       "| 80 % | atomics |\n"));
}

TEST(PublishedDocument, LeavesOpenWhatWasNotPublishedOrNotRecorded) {
  const std::vector<PublishedEffect> published{{"sums", "somebody", "https://example.com/1", {}, "sums by warps"}};
  EXPECT_THAT(PublishedDocument(published, {}), HasSubstr("/1) | - | - | - | - | - |\n"));
}

}  // namespace
}  // namespace culprit::testing
