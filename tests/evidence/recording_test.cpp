// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording.h"

#include <gtest/gtest.h>

#include "tests/support/invented_database.h"
#include "tests/support/invented_gate.h"

namespace culprit {
namespace {

// What calibrate reads of a run in a few queries is what every other command reads launch by launch.
TEST(Recording, LoadedBrieflyHoldsWhatLoadingEachLaunchDoes) {
  const testing::TemporaryFolder folder;
  testing::WriteRecorded(folder / "m.db");
  const Database database = Database::OpenForReading(folder / "m.db");
  int launches = 0;
  for (const RunSummary& run : database.Runs()) {
    const Recording brief = Recording::LoadBriefly(database, run);
    for (const LaunchId id : database.Launches(run.id, "")) {
      const KernelRecord whole = database.LoadKernel(id);
      const KernelView* view = brief.Find(whole.launch.stage, whole.launch.shape);
      if (whole.launch.state != LaunchState::kOk) continue;
      ASSERT_NE(view, nullptr) << whole.launch.stage << " at " << whole.launch.shape;
      EXPECT_TRUE(view->record().repeats.empty());
      const KernelRecord& one = view->record();
      EXPECT_EQ(one.id, whole.id);
      EXPECT_EQ(one.run.run.uuid, whole.run.run.uuid);
      EXPECT_EQ(one.stage.factors, whole.stage.factors);
      EXPECT_EQ(one.cubin_digest, whole.cubin_digest);
      EXPECT_EQ(one.attributes.size(), whole.attributes.size());
      EXPECT_EQ(one.barriers, whole.barriers);
      EXPECT_EQ(one.accesses, whole.accesses);
      EXPECT_EQ(one.access_bytes, whole.access_bytes);
      ASSERT_EQ(one.samples.size(), whole.samples.size());
      for (std::size_t i = 0; i < one.samples.size(); ++i) EXPECT_EQ(one.samples[i].time_us, whole.samples[i].time_us);
      ASSERT_EQ(one.readings.size(), whole.readings.size());
      for (std::size_t i = 0; i < one.readings.size(); ++i) {
        EXPECT_EQ(one.readings[i].metric.id, whole.readings[i].metric.id);
        EXPECT_EQ(one.readings[i].metric.cupti_name, whole.readings[i].metric.cupti_name);
        EXPECT_EQ(one.readings[i].value, whole.readings[i].value);
        EXPECT_EQ(one.readings[i].status, whole.readings[i].status);
      }
      ++launches;
    }
  }
  if (launches == 0) GTEST_SKIP() << "tests/recorded holds no launch";
}

}  // namespace
}  // namespace culprit
