// SPDX-License-Identifier: Apache-2.0
// Kernels whose code is stored without samples.
#include "analysis/judge/why/sampled_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analysis/judge/blame/costs.h"
#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::SizeIs;

TEST(SampledPair, CodeWithoutSamplesIsCodeOfAllLaunchesAndNoSamples) {
  const Scratch scratch;
  Database database = Database::OpenForRecording(scratch / "m.db");
  const RunId run = database.BeginRun(ARun("aaaa"));
  for (const char* stage : {"gather", "scatter"}) database.StoreStage(run, AStage(stage), {});
  LaunchRecord other = ALaunch("gather");
  other.ordinal = 1;
  const LaunchId first = database.StoreLaunch(run, ALaunch("gather"), Samples({1.0}));
  const LaunchId second = database.StoreLaunch(run, other, Samples({2.0}));
  const LaunchId without = database.StoreLaunch(run, ALaunch("scatter"), Samples({3.0}));
  SamplingRecord sampling;
  sampling.period_cycles = 2048;
  sampling.launches = 5;
  sampling.code = {{"gather", "d1", std::vector<MachineInstruction>(1)}};
  database.StoreSampling(first, sampling);
  for (const LaunchId launch : {first, second}) {
    const KernelRecord kernel = database.LoadKernel(launch);
    EXPECT_EQ(LoadSampled(database, kernel), nullptr);
    const std::optional<KernelCosts> code = LoadCode(database, kernel);
    ASSERT_TRUE(code) << launch;
    EXPECT_EQ(code->samples, 0);
    EXPECT_THAT(code->functions, SizeIs(1));
  }
  EXPECT_FALSE(LoadCode(database, database.LoadKernel(without)));

  sampling.samples = 100;
  sampling.rows = {{"gather", 0, "selected", 100, 0}};
  database.StoreSampling(first, sampling);
  EXPECT_NE(LoadSampled(database, database.LoadKernel(first)), nullptr);
  EXPECT_EQ(LoadCode(database, database.LoadKernel(first))->samples, 100);
  EXPECT_EQ(LoadCode(database, database.LoadKernel(second))->samples, 0) << "they are of the other launch";
}

}  // namespace
}  // namespace culprit
