// SPDX-License-Identifier: Apache-2.0
// How often `culprit check` is wrong about a whole run of unchanged kernels, and which slow-downs it finds. Writes
// docs/evidence/gate.md.
#include "tests/noise/gate_runs.h"

#include <gtest/gtest.h>

#include "tests/noise/gate_document.h"
#include "tests/support/evidence_page.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

constexpr int kRuns = 300, kSlowerRuns = 100;

const std::vector<Series>& H100() {
  static const std::vector<Series> series = SeriesOfH100();
  return series;
}
const std::vector<Series>& H200() {
  static const std::vector<Series> series = SeriesOfH200();
  return series;
}

const std::vector<GateTally>& Unchanged() {
  static const std::vector<GateTally> tallies = [] {
    std::vector<GateTally> all;
    for (const double limit : {0.01, 0.02}) {
      all.push_back(TallyOf("H100", H100(), {Recorded::kApart, 1}, limit, kRuns));
      for (const Design& design : {Design{Recorded::kInTurns, 5}, {Recorded::kInTurns, 8}, {Recorded::kApart, 8}})
        all.push_back(TallyOf("H100", H100(), design, limit, kRuns));
      for (const Design& design : {Design{Recorded::kInTurns, 8}, {Recorded::kApart, 8}})
        all.push_back(TallyOf("H200", H200(), design, limit, kRuns));
    }
    return all;
  }();
  return tallies;
}

const std::vector<GateTally>& Slower() {
  static const std::vector<GateTally> tallies = [] {
    std::vector<GateTally> all;
    for (const auto& [limit, slowdown] : {std::pair(0.01, 0.02), {0.01, 0.03}, {0.02, 0.03}, {0.02, 0.05}}) {
      for (const Design& design : {Design{Recorded::kInTurns, 5, 120, slowdown},
                                   {Recorded::kInTurns, 8, 120, slowdown},
                                   {Recorded::kApart, 8, 120, slowdown}})
        all.push_back(TallyOf("H100", H100(), design, limit, kSlowerRuns));
      for (const Recorded recorded : {Recorded::kInTurns, Recorded::kApart})
        all.push_back(TallyOf("H200", H200(), {recorded, 8, 120, slowdown}, limit, kSlowerRuns));
    }
    return all;
  }();
  return tallies;
}

// The launches of each run of the recordings that ship, apart from programs that measure nothing twice.
const std::vector<std::vector<KernelRecord>>& RecordedRuns() {
  static const std::vector<std::vector<KernelRecord>> runs = [] {
    Database database = Database::InMemory();
    for (const char* folder : {"", "ladder", "lines", "lanes", "planted", "planted/lines", "strangers"})
      ImportRecordings(folder, database);
    std::vector<std::vector<KernelRecord>> all;
    for (const RunSummary& run : database.Runs()) all.push_back(database.LoadKernels(run.id, Ordinals::kFirst));
    return all;
  }();
  return runs;
}

TEST(GateRuns, HaveAFalseRegressionInAtMostOneInAHundred) {
  for (const GateTally& tally : Unchanged()) {
    EXPECT_EQ(tally.runs, kRuns);
    EXPECT_LE(tally.regressions, kRuns / 100) << tally.gpu << ", " << tally.design.processes << ", " << tally.limit;
    EXPECT_TRUE(tally.design.processes > 1 || tally.regressions == 0) << "one process makes none";
  }
}

TEST(GateRuns, FindWhatIsSlowerThanTheLimit) {
  for (const GateTally& tally : Slower()) {
    if (tally.design.recorded != Recorded::kInTurns || tally.gpu != "H100") continue;
    const double found = static_cast<double>(tally.found) / tally.runs;
    EXPECT_GE(found, tally.design.slowdown < 0.03 ? 0.8 : 0.95)
        << tally.gpu << ", " << tally.design.processes << ", " << tally.design.slowdown;
  }
}

TEST(GateRuns, OfOneProcessAreNeverARegression) {
  const std::vector<RunPair> pairs = PairsOf(RecordedRuns(), 0.02);
  ASSERT_GE(pairs.size(), 15u);
  for (const RunPair& pair : pairs) {
    EXPECT_EQ(pair.regressions, 0) << pair.base;
    EXPECT_LE(pair.suspects, pair.alone) << pair.base;
  }
}

// The table of run_noise.cpp.
TEST(GateRuns, KnowTheNoiseBetweenRunsOfAnH200) {
  const MeasuredRunNoise measured(RecordedRuns()), known;
  for (const double us : {20.0, 200.0}) {
    EXPECT_GE(measured.At("NVIDIA H200", us).pairs, 100);
    EXPECT_NEAR(known.At("NVIDIA H200", us).change, measured.At("NVIDIA H200", us).change, 0.0005) << us;
    EXPECT_EQ(known.At("NVIDIA H200", us).pairs, 0);
  }
}

TEST(GateRuns, AreWhatTheDocumentSays) {
  ExpectEvidence("gate",
                 GateDocument(Unchanged(), Slower(), PairsOf(RecordedRuns(), 0.02), MeasuredRunNoise(RecordedRuns())));
}

}  // namespace
}  // namespace culprit::testing
