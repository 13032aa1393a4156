// SPDX-License-Identifier: Apache-2.0
// Lines by samples and counters together: who waited, says the one; for what, the other.
#include "analysis/judge/why/causes_on_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using enum Operation;

constexpr double kBaseUs = 5;  // of each kind of waiting

// A line of which each kind of waiting changed by so much.
DifferentLine Line(int line, const CostByKind& changed) {
  DifferentLine different;
  different.base = different.candidate = CodePlace{{"k.cu", line}, ""};
  for (const auto& [kind, us] : changed) {
    different.base_for[kind] = us < 0 ? kBaseUs - us : kBaseUs;
    different.candidate_for[kind] = different.base_for[kind] + us;
    different.blamed_for[kind] = us;
    different.base_us += different.base_for[kind];
    different.candidate_us += different.candidate_for[kind];
  }
  return different;
}

LineDifferences Of(std::vector<DifferentLine> lines) {
  LineDifferences differences;
  differences.lines = std::move(lines);
  return differences;
}

// By line.
std::map<int, double> Deltas(const LineDifferences& differences) {
  std::map<int, double> deltas;
  for (const DifferentLine& line : differences.lines) deltas[line.candidate->frame.line] = line.DeltaUs();
  return deltas;
}

const std::pair<Operation, std::string> kLoaded{kGlobalLoad, "long_scoreboard"}, kAdded{kGlobalAtomic, "drain"},
    kDoubled{kFp64, "math_pipe_throttle"}, kComputed{kFp32, "wait"};

// Loads that wait behind atomics.
TEST(CausesOnLines, GiveACausesLineWhatOthersWaitedForIt) {
  LineDifferences lines = Of({Line(24, {{kLoaded, 80}}), Line(28, {{kAdded, 20}})});
  PutCausesOnLines({{"atomics", 90}}, lines);
  EXPECT_NEAR(Deltas(lines)[28], 90, 1e-9);
  EXPECT_NEAR(Deltas(lines)[24], 10, 1e-9) << "what is not explained stays";
  EXPECT_NEAR(lines.DeltaUs(), 100, 1e-9);
  EXPECT_EQ(lines.lines.front().candidate->frame.line, 28) << "the largest first";
  EXPECT_NEAR(lines.lines.front().moved_us, 70, 1e-9);
  EXPECT_NEAR(lines.lines.front().blamed_for.at(kAdded), 90, 1e-9);
  EXPECT_NEAR(lines.lines.front().candidate_us, kBaseUs + 90, 1e-9);
  EXPECT_NEAR(lines.lines.front().base_us, kBaseUs, 1e-9);
}

TEST(CausesOnLines, LeaveLinesAloneThatSayTheSame) {
  LineDifferences lines = Of({Line(24, {{kLoaded, 70}}), Line(28, {{kDoubled, 30}})});
  PutCausesOnLines({{"exposed_latency", 70}, {"fp64_pipe", 30}}, lines);
  EXPECT_THAT(Deltas(lines), ElementsAre(Pair(24, 70), Pair(28, 30)));
  EXPECT_EQ(lines.lines.front().moved_us, 0);
  PutCausesOnLines(CauseMicroseconds(), lines);
  EXPECT_THAT(Deltas(lines), ElementsAre(Pair(24, 70), Pair(28, 30)));
}

// Fewer warps wait longer each, at whatever line: that is none's.
TEST(CausesOnLines, TakeFromThemWhatStandsOnNone) {
  LineDifferences lines = Of({Line(37, {{kLoaded, 60}}), Line(41, {{kDoubled, 40}})});
  PutCausesOnLines({{"occupancy_registers", 70}, {"fp64_pipe", 30}}, lines);
  ASSERT_THAT(lines.on_no_line, ElementsAre(Pair("occupancy_registers", ::testing::DoubleNear(70, 1e-9))));
  EXPECT_NEAR(Deltas(lines)[37], 0, 1e-9);
  EXPECT_NEAR(Deltas(lines)[41], 30, 1e-9);
  EXPECT_NEAR(lines.DeltaUs(), 100, 1e-9);
}

TEST(CausesOnLines, LeaveWhatIsNotExplainedWhereSamplesPutIt) {
  LineDifferences lines = Of({Line(37, {{kLoaded, 60}}), Line(41, {{kComputed, 40}})});
  PutCausesOnLines({{"launch", 50}}, lines);  // of 100 the other half is unexplained
  EXPECT_NEAR(lines.on_no_line.at("launch"), 50, 1e-9);
  EXPECT_NEAR(Deltas(lines)[37], 30, 1e-9);
  EXPECT_NEAR(Deltas(lines)[41], 20, 1e-9);
}

TEST(CausesOnLines, ShareGrowthThatTwoClaimByWhatEachMisses) {
  // Both are about accesses to global memory; the lines are theirs, and nothing is left to move.
  LineDifferences lines = Of({Line(1, {{kLoaded, 75}}), Line(2, {{kLoaded, 25}})});
  PutCausesOnLines({{"l2_traffic", 60}, {"global_uncoalesced", 40}}, lines);
  EXPECT_NEAR(Deltas(lines)[1], 75, 1e-6);
  EXPECT_NEAR(Deltas(lines)[2], 25, 1e-6);
}

TEST(CausesOnLines, WorkAlikeForAFasterCandidate) {
  LineDifferences lines = Of({Line(24, {{kLoaded, -80}}), Line(28, {{kAdded, -20}})});
  PutCausesOnLines({{"atomics", -90}}, lines);
  EXPECT_NEAR(Deltas(lines)[28], -90, 1e-9);
  EXPECT_NEAR(Deltas(lines)[24], -10, 1e-9);
  for (const DifferentLine& line : lines.lines) EXPECT_GE(line.base_us, 0);
}

// What a line gained by one of its waits it does not have to give.
TEST(CausesOnLines, TakeNoMoreFromALineThanItGrew) {
  LineDifferences lines = Of({Line(1, {{kLoaded, 90}, {kComputed, -80}}), Line(2, {{kDoubled, 90}})});
  PutCausesOnLines({{"launch", 100}}, lines);
  EXPECT_NEAR(Deltas(lines)[1], 0, 1e-9);
  EXPECT_NEAR(Deltas(lines)[2], 0, 1e-9);
  EXPECT_NEAR(lines.on_no_line.at("launch"), 100, 1e-9);
}

TEST(CausesOnLines, MoveNothingToACauseWithoutInstructions) {
  LineDifferences lines = Of({Line(1, {{kLoaded, 100}})});
  PutCausesOnLines({{"atomics", 90}}, lines);
  EXPECT_THAT(Deltas(lines), ElementsAre(Pair(1, 100)));
  EXPECT_THAT(lines.on_no_line, IsEmpty());
}

TEST(CausesOnLines, ThatDidNotGrowAtTheirOwnStandWhereTheyWait) {
  LineDifferences lines = Of({Line(24, {{kLoaded, 100}}), Line(28, {{kAdded, 0}})});
  PutCausesOnLines({{"atomics", 100}}, lines);
  EXPECT_NEAR(Deltas(lines)[28], 100, 1e-9);
  EXPECT_NEAR(Deltas(lines)[24], 0, 1e-9);
}

TEST(CausesOnLines, DoNotMoveWhatWorksAgainstTheChange) {
  LineDifferences lines = Of({Line(24, {{kLoaded, 120}}), Line(28, {{kDoubled, -20}})});
  PutCausesOnLines({{"exposed_latency", 120}, {"clock", -20}}, lines);
  EXPECT_THAT(lines.on_no_line, IsEmpty());
  EXPECT_THAT(Deltas(lines), ElementsAre(Pair(24, 120), Pair(28, -20)));
}

// Lanes that ask for different constants hold the queue of the instructions that fetch them.
TEST(CausesOnLines, OfConstantsAreTheirLoadsToo) {
  const std::pair<Operation, std::string> queued{kConstantLoad, "mio_throttle"}, missed{kInteger, "imc_miss"};
  LineDifferences lines = Of({Line(41, {{missed, 1}}), Line(46, {{queued, 99}})});
  PutCausesOnLines({{"constant_cache", 100}}, lines);
  EXPECT_NEAR(Deltas(lines)[46], 99, 1e-6);
}

}  // namespace
}  // namespace culprit
