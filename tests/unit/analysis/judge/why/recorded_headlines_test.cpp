// SPDX-License-Identifier: Apache-2.0
// What the headlines of all recorded pairs say is true of their parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/why/headline.h"
#include "db/database.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_gate.h"
#include "tests/support/recording.h"
#include "tests/support/slow_build.h"

namespace culprit {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<Recording> RecordedRuns(const Database& database) {
  std::vector<Recording> runs;
  for (const RunSummary& run : database.Runs()) runs.push_back(Recording::Load(database, run));
  return runs;
}

// Neighbours in the order of recording, and every so many of all other pairs of one shape, in both directions: a few
// hundreds of the thousands there are.
constexpr std::size_t kEvery = testing::kSlowBuild ? 199 : 37;

template <class Check>
int ForPairs(const Recording& run, const std::vector<KernelRecord>& kernels, const Check& check) {
  int pairs = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      const LaunchRecord &a = kernels[i].launch, &b = kernels[j].launch;
      if (i == j || a.shape != b.shape) continue;
      const bool is_near = i + 1 == j;
      if ((!is_near || testing::kSlowBuild) && ++n % kEvery != 0) continue;
      const KernelView *base = run.Find(a.stage, a.shape), *candidate = run.Find(b.stage, b.shape);
      if (base == nullptr || candidate == nullptr) continue;
      check(*base, *candidate);
      ++pairs;
    }
  return pairs;
}

void ExpectTrue(const KernelView& base, const KernelView& candidate) {
  const Explanation e = Explain(base, candidate);
  SCOPED_TRACE(base.record().stage.id + " -> " + candidate.record().stage.id + " at " + base.record().launch.shape);
  if (!IsDifference(e.verdict.speed)) return;
  const std::string headline = Headline(e);
  EXPECT_THAT(headline, EndsWith("."));
  for (const CausePart& part : e.causes) {
    // The word of the sign, and what the cause is where it has this sign.
    EXPECT_THAT(part.text, HasSubstr(part.delta_us > 0 ? "s more, " : "s less, "));
    const std::string words(WordsFor(part.cause, part.delta_us));
    EXPECT_EQ(part.text.substr(1, words.size() - 1), words.substr(1));
    EXPECT_EQ(words == FindCause(part.cause)->title, part.delta_us > 0) << part.cause;
    EXPECT_EQ(part.text.find("against the change") != part.text.npos, part.share < 0) << part.text;
  }
  // What may be nothing takes nothing back.
  double against = 0;
  for (const CausePart& part : e.causes)
    if (!part.interval || part.interval->Excludes0()) against += std::max(0.0, -part.share);
  against += std::max(0.0, -e.unexplained_us / e.DeltaUs());
  const CausePart* first = FirstCause(e);
  for (const CausePart* part : {FirstCause(e), SecondCause(e)}) {
    if (part == nullptr) continue;
    EXPECT_GT(part->share, 0);
    EXPECT_TRUE(part->share <= kMostOfAChange || against <= kMostOfAChange - 1) << part->share << ' ' << against;
    EXPECT_LT(against, 1);
  }
  if (!e.decomposition) return;
  const bool beyond = !e.causes.empty() && e.causes.front().share > kMostOfAChange && against > kMostOfAChange - 1;
  const bool cancels = against >= 1 || beyond;
  EXPECT_EQ(headline.starts_with("none alone, because large parts cancel: "), cancels) << headline;
  if (cancels) return;
  if (!headline.starts_with("not found: ")) {
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(headline, first->cause + ": " + first->text);
    EXPECT_EQ(first->delta_us > 0, e.verdict.speed == Speed::kSlower);
  }
}

TEST(RecordedHeadlines, AreTrueOfEveryPair) {
  const testing::TemporaryFolder folder;
  testing::WriteRecorded(folder / "recorded.db");
  const Database database = Database::OpenForReading(folder / "recorded.db");
  int pairs = 0;
  for (const Recording& run : RecordedRuns(database))
    pairs += ForPairs(run, database.LoadKernels(run.run().id), ExpectTrue);
  if (pairs == 0) GTEST_SKIP() << "tests/recorded holds no pair";
  EXPECT_GT(pairs, testing::kSlowBuild ? 10 : 100);
}

}  // namespace
}  // namespace culprit
