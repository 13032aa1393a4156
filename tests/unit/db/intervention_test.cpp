// SPDX-License-Identifier: Apache-2.0
// What launches take with one thing about them changed: stored, read, exported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Intervention : public testing::Test {
 protected:
  Intervention() {
    run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("v1_7"), {});
    launch = db.StoreLaunch(run, ALaunch("v1_7"), Samples({1.0}));
  }

  const std::vector<InterventionRecord> kSweep{
      {InterventionKind::kOccupancy, 57344, 4, 32, 2.0, 1.9, 2.1, 1980.0, 7},
      {InterventionKind::kOccupancy, 0, 8, 64, 1.0, 0.9, 1.1, 1980.0, 7},
      {InterventionKind::kCarveout, kCarveoutAsItIs, 8, 64, 1.0, 0.9, 1.1, std::nullopt, 7},
      {InterventionKind::kL2, 1, std::nullopt, std::nullopt, 1.5, 1.4, 1.6, 1980.0, 5}};

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RunId run = 0;
  LaunchId launch = 0;
};

TEST_F(Intervention, ComesBackByKindAndSetting) {
  db.StoreInterventions(launch, kSweep);
  const auto loaded = db.LoadKernel(launch).interventions;
  ASSERT_EQ(loaded.size(), 4u);
  EXPECT_EQ(loaded[0].kind, InterventionKind::kCarveout);
  EXPECT_EQ(loaded[0].setting, kCarveoutAsItIs);
  EXPECT_FALSE(loaded[0].clock_mhz) << "not measured is not 0";
  EXPECT_EQ(loaded[1].kind, InterventionKind::kL2);
  EXPECT_FALSE(loaded[1].resident_warps);
  EXPECT_EQ(loaded[2].resident_warps, 64);
  EXPECT_EQ(loaded[3].setting, 57344);
  EXPECT_EQ(loaded[3].resident_blocks, 4);
  EXPECT_EQ(loaded[3].time_us, 2.0);
  EXPECT_EQ(loaded[3].least_us, 1.9);
  EXPECT_EQ(loaded[3].most_us, 2.1);
  EXPECT_EQ(loaded[3].clock_mhz, 1980.0);
  EXPECT_EQ(loaded[3].samples, 7);
  EXPECT_EQ(db.LoadKernels(run).front().interventions.size(), 4u);
}

TEST_F(Intervention, IsReplacedAsAWhole) {
  db.StoreInterventions(launch, kSweep);
  db.StoreInterventions(launch, std::span(kSweep).first(1));
  EXPECT_EQ(db.LoadKernel(launch).interventions.size(), 1u);
  db.StoreLaunch(run, ALaunch("v1_7"), Samples({1.0}));
  EXPECT_THAT(db.LoadKernels(run).front().interventions, IsEmpty()) << "it goes with its launch";
}

TEST_F(Intervention, IsRefusedWhereItIsNoTimeAndLeavesWhatIsThere) {
  db.StoreInterventions(launch, kSweep);
  std::vector<InterventionRecord> bad = kSweep;
  bad[0].time_us = std::nan("");
  EXPECT_THROW(db.StoreInterventions(launch, bad), Error);
  EXPECT_EQ(db.LoadKernel(launch).interventions.size(), 4u);
  EXPECT_THROW(db.StoreInterventions(launch + 1, kSweep), Error);
}

TEST_F(Intervention, Travels) {
  db.StoreInterventions(launch, kSweep);
  const std::string text = db.Export();
  EXPECT_THAT(text, HasSubstr("INSERT INTO intervention"));
  Database other = Database::OpenForRecording(scratch / "other.db");
  other.Import(text, "m.sql");
  EXPECT_EQ(other.FindKernel("v1_7", {}).interventions.size(), 4u);
  EXPECT_EQ(other.Export(), text);
}

}  // namespace
}  // namespace culprit
