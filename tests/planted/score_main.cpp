// SPDX-License-Identifier: Apache-2.0
// planted_score PLANTED.db LADDER.db: how right attribution is, as a table; also with samples, if planted kernels have
// any. planted_score PLANTED.db LOOP.db loop: the same for a recording of planted_loop, on the pairs that both have.
// planted_score PLANTED.db small: changes of everyday size. planted_score PARTS.db parts: kernels of which a part is slow.
// planted_score PLACES.db places: kernels that are slow because of where their data lies.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "tests/planted/places.h"
#include "tests/planted/real_parts.h"
#include "tests/planted/score.h"
#include "tests/planted/small_changes.h"
#include "tests/planted/two_phases.h"

int main(int count, char** arguments) {
  const bool is_loop = count == 4 && std::string_view(arguments[3]) == "loop";
  const bool is_small = count == 3 && std::string_view(arguments[2]) == "small";
  if (count != 3 && !is_loop) {
    std::fprintf(
        stderr,
        "usage: %s PLANTED.db LADDER.db, PLANTED.db LOOP.db loop, PLANTED.db small, PARTS.db parts, or PLACES.db "
        "places\n",
        arguments[0]);
    return 2;
  }
  try {
    using culprit::Database;
    using namespace culprit::testing;
    const char* const answers = CULPRIT_SOURCE_DIR "/tests/planted";
    const Database planted = Database::OpenForReading(arguments[1]);
    if (count == 3 && std::string_view(arguments[2]) == "parts") {
      std::fputs(RealPartsReport(JudgeRealParts(planted, std::string(answers) + "/parts")).c_str(), stdout);
      return 0;
    }
    if (count == 3 && std::string_view(arguments[2]) == "places") {
      std::fputs(PlacesReport(JudgePlaces(planted, std::string(answers) + "/places")).c_str(), stdout);
      return 0;
    }
    if (is_small) {
      const auto changes = JudgeSmallChanges(planted, answers);
      std::fputs((SmallChangesReport(changes) + "\n" + WrongSmallChanges(changes) + "\n" +
                  TwoPhasesReport(JudgeTwoPhases(planted, answers, 400)))
                     .c_str(),
                 stdout);
      return 0;
    }
    const Database other = Database::OpenForReading(arguments[2]);
    if (is_loop) {
      const Score replayed = ScoreOf(planted, planted, answers, Evidence::kSamples);
      const Score loop = ScoreOf(other, other, answers, Evidence::kSamples);
      std::fputs(LoopReport(replayed, loop).c_str(), stdout);
      return 0;
    }
    const Score counters = ScoreOf(planted, other, answers);
    const Score sampled = ScoreOf(planted, other, answers, Evidence::kSamples);
    const Score cheap = ScoreOf(planted, other, answers, Evidence::kSampledCounters);
    const Score both = ScoreOf(planted, other, answers, Evidence::kBoth);
    std::fputs((ScoreReport(counters) + SamplesReport(counters, sampled) + CheapReport(counters, cheap, both)).c_str(),
               stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
