// SPDX-License-Identifier: Apache-2.0
// planted_score PLANTED.db LADDER.db: how right attribution is, as a table; also with samples, if planted kernels have
// any.
#include <cstdio>
#include <exception>

#include "tests/planted/score.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s PLANTED.db LADDER.db\n", arguments[0]);
    return 2;
  }
  try {
    using culprit::Database;
    using namespace culprit::testing;
    const Database planted = Database::OpenForReading(arguments[1]), ladder = Database::OpenForReading(arguments[2]);
    const Score counters = ScoreOf(planted, ladder, CULPRIT_SOURCE_DIR "/tests/planted");
    const Score sampled = ScoreOf(planted, ladder, CULPRIT_SOURCE_DIR "/tests/planted", Evidence::kSamples);
    const Score cheap = ScoreOf(planted, ladder, CULPRIT_SOURCE_DIR "/tests/planted", Evidence::kSampledCounters);
    std::fputs((ScoreReport(counters) + SamplesReport(counters, sampled) + CheapReport(counters, cheap)).c_str(),
               stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
