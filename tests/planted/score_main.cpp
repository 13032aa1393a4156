// SPDX-License-Identifier: Apache-2.0
// planted_score PLANTED.db LADDER.db: how right attribution is, as a table.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/planted/score.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s PLANTED.db LADDER.db\n", arguments[0]);
    return 2;
  }
  try {
    using culprit::Database;
    const Database planted = Database::OpenForReading(arguments[1]), ladder = Database::OpenForReading(arguments[2]);
    const auto score = culprit::testing::ScoreOf(planted, ladder, CULPRIT_SOURCE_DIR "/tests/planted",
                                                 getenv("S")?culprit::testing::Evidence::kSamples:culprit::testing::Evidence::kCounters);
    if (getenv("S")) std::fprintf(stderr, "%d\n", score.pairs_sampled);
    std::fputs(culprit::testing::ScoreReport(score).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
