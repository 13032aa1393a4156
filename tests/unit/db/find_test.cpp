// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Find : public testing::Test {
 protected:
  std::string Complaint(std::string_view stage, const Selector& selector) {
    return ComplaintOf([&] { db.FindKernel(stage, selector); });
  }

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
};

TEST_F(Find, TakesTheNewestByStartNotByOrderOfStoring) {
  RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7"}, {1024});
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024});
  EXPECT_EQ(db.FindKernel("v1_7", {}).run.run.started_utc, "2026-02-01T00:00:00Z");
  EXPECT_EQ(db.Runs()[0].run.started_utc, "2026-02-01T00:00:00Z");
}

TEST_F(Find, PassesOverNewerRunsWithoutTheStage) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7", "v1_6"}, {1024});
  RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7"}, {1024});
  EXPECT_EQ(db.FindKernel("v1_6", {}).run.run.started_utc, "2026-01-01T00:00:00Z");
  EXPECT_EQ(db.FindRun({}, "v1_6").run.started_utc, "2026-01-01T00:00:00Z");
}

TEST_F(Find, PassesOverNewerRunsThatOnlyOfferTheStage) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024});
  RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7"}, {});
  EXPECT_EQ(db.FindKernel("v1_7", {}).run.run.started_utc, "2026-01-01T00:00:00Z");
  EXPECT_EQ(db.FindRun({}).run.started_utc, "2026-01-01T00:00:00Z");
}

TEST_F(Find, PrefersACompleteRunToANewerUnfinishedOne) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024});
  RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7"}, {1024}, false);
  EXPECT_EQ(db.FindKernel("v1_7", {}).run.run.started_utc, "2026-01-01T00:00:00Z");
}

TEST_F(Find, TakesTheNewestUnfinishedRunWhenNoCompleteOneHasTheStage) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024}, false);
  RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7"}, {1024}, false);
  RecordRun(db, ARun("cccc", "2026-03-01T00:00:00Z"), {"v1_6"}, {1024});
  EXPECT_EQ(db.FindKernel("v1_7", {}).run.run.started_utc, "2026-02-01T00:00:00Z");
}

TEST_F(Find, TakesTheLargestSquareShape) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024, 4096, 2048});
  LaunchRecord tall = ALaunch("v1_7", 8192);
  tall.shape = "8192x8192x4096";
  db.StoreLaunch(run, tall, {});
  EXPECT_EQ(db.FindKernel("v1_7", {}).launch.shape, "4096x4096x4096");
}

TEST_F(Find, TakesTheLargestShapeByFlopWhenNoneIsSquare) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7"}, {});
  for (const auto& [shape, flop] :
       {std::pair("512x512x64", 1e6), std::pair("64x64x4096", 3e6), std::pair("9999x1x1", 2e6)}) {
    LaunchRecord launch = ALaunch("v1_7");
    launch.shape = shape;
    launch.flop = flop;
    db.StoreLaunch(run, launch, {});
  }
  EXPECT_EQ(db.FindKernel("v1_7", {}).launch.shape, "64x64x4096");
}

TEST_F(Find, TakesAnotherLaunchOfAShapeByNumberAndByRange) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"scale"}, {});
  const char* const ranges[] = {"step #/solve", "step #/check", "step #/solve"};
  for (int i = 0; i < 3; ++i) {
    LaunchRecord launch = ALaunch("scale");
    launch.shape = "64x1x1x256x1x1";
    launch.ordinal = i;
    ProgramLaunch program;
    program.name = "scale";
    program.nvtx = ranges[i];
    program.share_us = 3.0 - i;
    db.StoreProgramLaunch(db.StoreLaunch(run, launch, {}), program);
  }
  EXPECT_EQ(db.FindKernel("scale", {}).launch.ordinal, 0);
  EXPECT_EQ(db.FindKernel("scale", {.launch = 2}).launch.ordinal, 1);
  EXPECT_EQ(db.FindKernel("scale", {.nvtx = "check"}).launch.ordinal, 1);
  EXPECT_EQ(db.FindKernel("scale", {.nvtx = "step 17"}).launch.ordinal, 0) << "of several that with most time";
  EXPECT_EQ(db.FindKernel("scale", {.nvtx = "solve", .launch = 3}).launch.ordinal, 2);
  EXPECT_THAT(Complaint("scale", {.launch = 4}), HasSubstr("'scale' has no launch 4 in that run: 3 at 64x1x1x256x1x1"));
  EXPECT_THAT(Complaint("scale", {.nvtx = "solv"}),
              AllOf(HasSubstr("no launch in NVTX range 'solv'"), HasSubstr("'step #/solve', 'step #/check'")));
  EXPECT_THAT(Complaint("scale", {.nvtx = "solve", .launch = 2}), HasSubstr("no launch 2 in NVTX range 'solve'"));
}

TEST_F(Find, TakesWhatWasMeasuredBeforeWhatFailed) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6"}, {1024});
  LaunchRecord failed = ALaunch("v1_7", 4096);
  failed.state = LaunchState::kFailed;
  db.StoreLaunch(run, failed, {});
  EXPECT_EQ(db.FindKernel("v1_7", {}).launch.shape, "1024x1024x1024");
  EXPECT_EQ(db.FindKernel("v1_7", {.shape = "4096"}).launch.state, LaunchState::kFailed);
}

TEST_F(Find, ReadsASquareShapeInShortAndInFull) {
  RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024, 4096});
  EXPECT_EQ(db.FindKernel("v1_7", {.shape = "1024"}).launch.shape, "1024x1024x1024");
  EXPECT_EQ(db.FindKernel("v1_7", {.shape = "1024x1024x1024"}).launch.shape, "1024x1024x1024");
}

TEST_F(Find, LooksForARunThatHasTheShape) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {4096});
  RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7"}, {1024});
  EXPECT_EQ(db.FindKernel("v1_7", {.shape = "4096"}).run.run.started_utc, "2026-01-01T00:00:00Z");
}

TEST_F(Find, TakesARunByIdLabelOrStartOfItsUuid) {
  const RunId first = RecordRun(db, ARun("abcd1", "2026-01-01T00:00:00Z", "nightly"), {"v1_7"}, {1024});
  RecordRun(db, ARun("abcd2", "2026-02-01T00:00:00Z"), {"v1_7"}, {1024});
  for (const char* name : {"1", "nightly", "abcd1", "ABCD1000"}) EXPECT_EQ(db.FindRun({.run = name}).id, first) << name;
}

TEST_F(Find, AsksWhichOfSeveralRunsIsMeant) {
  RecordRun(db, ARun("abcd1", "2026-01-01T00:00:00Z", "nightly"), {"v1_7"}, {1024});
  RecordRun(db, ARun("abcd2", "2026-02-01T00:00:00Z", "nightly"), {"v1_7"}, {1024});
  for (const char* name : {"abcd", "nightly"})
    EXPECT_THAT(
        Complaint("v1_7", {.run = name}),
        AllOf(HasSubstr("names 2 runs: choose one of 2 (abcd2000, 'nightly', 2026-02-01T00:00:00Z), 1 (abcd1000"),
              HasSubstr("by id")));
}

TEST_F(Find, DoesNotAskWhenOnlyOneOfThemHasTheStage) {
  RecordRun(db, ARun("abcd1", "2026-01-01T00:00:00Z", "nightly"), {"v1_6"}, {1024});
  RecordRun(db, ARun("abcd2", "2026-02-01T00:00:00Z", "nightly"), {"v1_7"}, {1024});
  EXPECT_EQ(db.FindRun({.run = "nightly"}, "v1_6").id, 1);
}

TEST_F(Find, DoesNotTakeThreeCharactersForAUuid) {
  RecordRun(db, ARun("abcd"), {"v1_7"}, {1024});
  EXPECT_THAT(Complaint("v1_7", {.run = "abc"}),
              AllOf(HasSubstr("has 'abc' as its id, label or start of its UUID"), HasSubstr("1 (abcd0000")));
}

TEST_F(Find, TakesAGpuByPartOfItsName) {
  RunRecord other = ARun("bbbb", "2026-02-01T00:00:00Z");
  other.device = AGpu("NVIDIA A100-SXM4-80GB");
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024});
  RecordRun(db, other, {"v1_7"}, {1024});
  EXPECT_EQ(db.FindKernel("v1_7", {.gpu = "h100"}).run.run.device->name, "NVIDIA H100 80GB HBM3");
  EXPECT_THAT(Complaint("v1_7", {.gpu = "B200"}),
              HasSubstr("GPU called 'B200': choose among NVIDIA A100-SXM4-80GB, NVIDIA H100 80GB HBM3"));
}

TEST_F(Find, ProposesStagesThatAreSpeltAlmostTheSame) {
  RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6", "sgemm_naive"}, {1024});
  EXPECT_THAT(Complaint("v1_77", {}),
              AllOf(HasSubstr("there is no kernel 'v1_77'"), HasSubstr("did you mean v1_7"), Not(HasSubstr("naive"))));
  EXPECT_THAT(Complaint("naive", {}), HasSubstr("did you mean sgemm_naive?"));
}

TEST_F(Find, ListsStagesWhenNoneIsSimilar) {
  RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6"}, {1024});
  EXPECT_THAT(Complaint("double_buffered", {}), HasSubstr("choose among v1_7, v1_6"));
}

TEST_F(Find, SaysWhenAStageWasOfferedButNotLaunched) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
  db.StoreStage(run, AStage("v1_6"), {});
  EXPECT_THAT(Complaint("v1_6", {}), HasSubstr("kernel 'v1_6' was not launched in"));
}

TEST_F(Find, SaysWhichShapesThereAre) {
  RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024, 2048});
  EXPECT_THAT(Complaint("v1_7", {.shape = "512"}), AllOf(HasSubstr("kernel 'v1_7' was not launched at shape 512"),
                                                         HasSubstr("choose among 2048x2048x2048, 1024x1024x1024")));
}

TEST_F(Find, SaysWhenNothingIsThere) {
  EXPECT_THAT(Complaint("v1_7", {}), HasSubstr("holds no runs yet: record one with 'culprit record --db"));
  RecordRun(db, ARun("aaaa"), {"v1_7"}, {});
  EXPECT_THAT(Complaint("v1_7", {}), HasSubstr("nothing was launched in"));
  EXPECT_THAT(Complaint("", {}), HasSubstr("which kernel is meant"));
  EXPECT_THAT(ComplaintOf([&] { db.LoadKernel(5); }), HasSubstr("there is no launch 5"));
}

TEST_F(Find, GivesARunWithoutLaunchesWhenThereIsNoOther) {
  RecordRun(db, ARun("aaaa"), {"v1_7"}, {});
  EXPECT_EQ(db.FindRun({}).id, 1);
}

TEST_F(Find, ListsShapesLargestFirstAndSquaresBeforeOthersOfTheSameFlop) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7"}, {512, 1024});
  LaunchRecord flat = ALaunch("v1_7", 1024);
  flat.shape = "2048x1024x512";
  db.StoreLaunch(run, flat, {});
  EXPECT_THAT(db.Shapes(run), ElementsAre("1024x1024x1024", "2048x1024x512", "512x512x512"));
}

TEST_F(Find, ListsLaunchesOfAShapeInTheOrderOfStoring) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6"}, {512, 1024});
  EXPECT_THAT(db.Launches(run, ""), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(db.Launches(run, "512"), ElementsAre(1, 3));
  EXPECT_THAT(db.Launches(run, "1024x1024x1024"), ElementsAre(2, 4));
  EXPECT_TRUE(db.Launches(run, "7").empty());
}

TEST_F(Find, GivesALaunchItsOwnWarningsAndThoseOfTheRun) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7"}, {512, 1024});
  db.StoreWarning(run, std::nullopt, {"dirty", "uncommitted changes"});
  db.StoreWarning(run, 1, {"low_clock", "of launch 1"});
  db.StoreWarning(run, 2, {"low_clock", "of launch 2"});
  EXPECT_EQ(db.LoadKernel(2).warnings.size(), 2u);
  EXPECT_EQ(db.LoadKernel(2).warnings[1].text, "of launch 2");
  EXPECT_EQ(db.Warnings(run).size(), 3u);
}

TEST_F(Find, GivesALaunchTheAttributesOfItsOwnArchitecture) {
  const RunId run = db.BeginRun(ARun("aaaa"));
  BuildRecord ampere = ABuild("v1_7", 64), hopper = ABuild("v1_7", 128);
  ampere.arch = "sm_80";
  db.StoreStage(run, AStage("v1_7"), std::vector{ampere, hopper});
  EXPECT_EQ(db.LoadKernel(db.StoreLaunch(run, ALaunch("v1_7"), {})).attributes[0].value, 128);
}

}  // namespace
}  // namespace culprit
