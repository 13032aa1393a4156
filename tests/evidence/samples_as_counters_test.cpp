// SPDX-License-Identifier: Apache-2.0
// What samples of instructions are worth in place of counters, over all recordings.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/program/instruction_kinds.h"
#include "tests/evidence/samples_document.h"
#include "tests/evidence/samples_study.h"
#include "tests/support/evidence_page.h"

namespace culprit::testing {
namespace {

// How many of the results that are not exact hold the counter.
struct Tally {
  int all = 0, held = 0;

  double Part() const { return static_cast<double>(held) / all; }
};

bool IsKind(const std::string& id) {
  return std::ranges::find(InstructionKinds(), id, &InstructionKind::id) != InstructionKinds().end();
}

void ExpectGoodIntervals(const std::vector<StudiedLaunch>& launches) {
  Tally states, kinds, of_totals;
  for (const StudiedLaunch& launch : launches)
    for (const Compared& c : Compare(launch)) {
      if (c.sampled.id.starts_with("sass_")) continue;  // only their quotients are used
      if (c.sampled.error == 0) {
        EXPECT_TRUE(c.counted == 0 || c.sampled.value > 0 || !IsKind(c.sampled.id) ||
                    c.sampled.id.ends_with("_thread_inst"))
            << c.sampled.id << " of " << launch.name;
        continue;
      }
      Tally& tally = c.sampled.id.starts_with("stall_") ? states : IsKind(c.sampled.id) ? kinds : of_totals;
      ++tally.all;
      tally.held += c.Holds();
    }
  EXPECT_GE(states.Part(), 0.9);
  EXPECT_GE(kinds.Part(), 0.9);
  EXPECT_GE(of_totals.Part(), 0.78);
}

TEST(SamplesAsCounters, AreWorthWhatTheDocumentSaysAndNoLess) {
  const std::vector<StudiedLaunch> launches = StudiedLaunches(), others = LaunchesCountedElsewhere();
  EXPECT_GE(launches.size(), 400U);
  EXPECT_GE(others.size(), 528U);
  ExpectGoodIntervals(launches);
  ExpectGoodIntervals(others);
  ExpectEvidence("samples_as_counters", SamplesDocument(launches, others));
}

}  // namespace
}  // namespace culprit::testing
