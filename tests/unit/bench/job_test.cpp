// SPDX-License-Identifier: Apache-2.0
// What is recorded of a workload without running it. This program carries the static table of our stages.
#include "bench/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "profiler/code/static_attributes.h"
#include "profiler/occupancy.h"
#include "profiler/static_table.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<StaticAttribute> kLoaded = {{"registers", "runtime", 40, ReadingStatus::kOk},
                                              {"static_shared_bytes", "runtime", 1024, ReadingStatus::kOk},
                                              {"local_bytes", "runtime", std::nullopt, ReadingStatus::kFailed},
                                              {"max_threads", "runtime", 1024, ReadingStatus::kOk}};

Job JobOf(const std::string& id) {
  Job job;
  job.workload.id = id;
  job.workload.shape = "1024x1024x1024";
  return job;
}

TEST(Job, IsNamedGroupIdAndShape) {
  Job job = JobOf("v1_6");
  EXPECT_EQ(job.Name(), "v1_6/1024x1024x1024");
  job.workload.group = "sgemm";
  EXPECT_EQ(job.Name(), "sgemm/v1_6/1024x1024x1024");
}

KernelLaunch Launched(const char* kernel, dim3 grid, dim3 block) {
  KernelLaunch launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  return launch;
}

TEST(MainKernel, IsTheOneCalledAsItsStageHoweverFewItsThreads) {
  const KernelLaunch inputs = Launched("sgemm_tma_inputs", {1024, 1, 1}, {256, 1, 1});
  const KernelLaunch product = Launched("sgemm_tma", {132, 1, 1}, {384, 1, 1});
  EXPECT_EQ(MainKernel({inputs, product}, "sgemm_tma").kernel, "sgemm_tma");
  EXPECT_EQ(MainKernel({product, inputs}, "sgemm_tma").kernel, "sgemm_tma");
}

TEST(MainKernel, IsTheOneWithTheMostThreadsWhereNoneIsCalledAsItsStage) {
  const KernelLaunch few = Launched("few", {2, 2, 2}, {32, 1, 1});
  const KernelLaunch many = Launched("many", {3, 3, 1}, {8, 4, 1});
  EXPECT_EQ(MainKernel({few, many}, "mine").kernel, "many");
  EXPECT_EQ(MainKernel({many, few}, "mine").kernel, "many");
}

TEST(StageOf, KeepsWhatTheWorkloadSaysOfItself) {
  Workload w;
  w.id = "saxpy4";
  w.shape = "1048576";
  w.family = "blas1";
  w.parent = "saxpy";
  w.idea = "load four at a time";
  w.constraint = "n % 4 == 0";
  w.source_file = "saxpy.cu";
  w.source_line = 12;
  w.factors = {{"load width", "float4"}};
  const StageRecord stage = StageOf(w);
  EXPECT_EQ(stage.id, "saxpy4");
  EXPECT_EQ(stage.family, "blas1");
  EXPECT_EQ(stage.parent, "saxpy");
  EXPECT_EQ(stage.idea, "load four at a time");
  EXPECT_EQ(stage.constraint, "n % 4 == 0");
  EXPECT_EQ(stage.source_file, "saxpy.cu");
  EXPECT_EQ(stage.source_line, 12);
  EXPECT_THAT(stage.factors, ElementsAre(std::pair<const std::string, std::string>("load width", "float4")));
}

TEST(BuildsOf, AreOnePerArchitectureOfTheStagesKernel) {
  const auto builds = BuildsOf(JobOf("sgemm_naive"));
  ASSERT_THAT(builds, SizeIs(StaticTable("sgemm_naive").size()));
  ASSERT_FALSE(builds.empty());
  std::set<std::string> archs;
  for (const BuildRecord& b : builds) {
    EXPECT_EQ(b.stage, "sgemm_naive");
    EXPECT_TRUE(archs.insert(b.arch).second) << b.arch;
    EXPECT_GT(FindAttribute(b, "registers", "cubin").value_or(0), 0) << b.arch;
  }
}

TEST(BuildsOf, HaveTheOccupancyOfThePlannedLaunch) {
  Job job = JobOf("sgemm_naive");
  job.workload.block_threads = 96;
  job.workload.dynamic_shared_bytes = 48 * 1024;
  for (const BuildRecord& b : BuildsOf(job)) {
    EXPECT_EQ(FindAttribute(b, "block_threads", "model"), 96);
    EXPECT_EQ(FindAttribute(b, "dynamic_shared_bytes", "model"), 48 * 1024);
    const Chip* const sm = FindChip(b.arch);
    if (sm == nullptr) continue;
    const Occupancy expected = ComputeOccupancy(
        *sm, {.threads = 96,
              .registers = static_cast<int>(FindAttribute(b, "registers", "cubin").value()),
              .static_shared_bytes = static_cast<int>(FindAttribute(b, "static_shared_bytes", "cubin").value()),
              .dynamic_shared_bytes = 48 * 1024});
    ASSERT_GT(expected.warps, 0) << b.arch;
    EXPECT_EQ(FindAttribute(b, "theoretical_warps_per_sm", "model"), expected.warps) << b.arch;
    EXPECT_EQ(FindAttribute(b, "theoretical_occupancy", "model"), expected.ratio) << b.arch;
  }
}

TEST(BuildsOf, TrustTheLaunchThatHappenedOverThePlannedOne) {
  Job job = JobOf("sgemm_naive");
  job.workload.block_threads = 96;
  job.workload.dynamic_shared_bytes = 48 * 1024;
  job.record.block_x = 32, job.record.block_y = 8, job.record.block_z = 1;
  for (const BuildRecord& b : BuildsOf(job)) {
    EXPECT_EQ(FindAttribute(b, "block_threads", "model"), 256);
    EXPECT_EQ(FindAttribute(b, "dynamic_shared_bytes", "model"), 0);
  }
}

TEST(BuildsOf, SayNothingOfOccupancyWhenNobodyKnowsTheLaunch) {
  for (const BuildRecord& b : BuildsOf(JobOf("sgemm_naive")))
    EXPECT_EQ(FindAttribute(b, "theoretical_occupancy"), std::nullopt) << b.arch;
}

TEST(BuildsOf, GiveTheRunningSystemsWordToTheArchitectureThatRan) {
  const auto table = StaticTable("sgemm_naive");
  ASSERT_FALSE(table.empty());
  Job job = JobOf("sgemm_naive");
  job.record.arch = table.front().arch;
  job.launched = kLoaded;
  for (const BuildRecord& b : BuildsOf(job)) {
    const auto registers = FindAttribute(b, "registers", "runtime");
    EXPECT_EQ(registers, b.arch == table.front().arch ? std::optional<double>(40) : std::nullopt) << b.arch;
  }
}

TEST(BuildsOf, FindAUsersKernelByTheNameThatWasLaunched) {
  Job job = JobOf("my_workload");
  job.record.kernel = "sgemm_naive";
  const auto builds = BuildsOf(job);
  ASSERT_FALSE(builds.empty());
  EXPECT_EQ(builds.front().stage, "my_workload");
  EXPECT_EQ(builds.front().kernel, "sgemm_naive");
}

TEST(BuildsOf, MakeABuildOfWhatTheRunningSystemSaysOfAUsersKernel) {
  Job job = JobOf("my_workload");
  job.record.kernel = "_Z9my_kernelPf";
  job.record.arch = "sm_90";
  job.record.block_x = 128, job.record.block_y = 1, job.record.block_z = 1;
  job.launched = kLoaded;
  const auto builds = BuildsOf(job);
  ASSERT_THAT(builds, SizeIs(1));
  EXPECT_EQ(builds.front().stage, "my_workload");
  EXPECT_EQ(builds.front().arch, "sm_90");
  EXPECT_EQ(builds.front().kernel, "_Z9my_kernelPf");
  EXPECT_EQ(builds.front().cubin_digest, "");
  EXPECT_EQ(FindAttribute(builds.front(), "registers"), 40);
  EXPECT_EQ(FindAttribute(builds.front(), "block_threads", "model"), 128);
}

TEST(BuildsOf, MakeNoneOfALibrarysKernel) {
  Job job = JobOf("cublas_sgemm");
  job.workload.family = "reference";
  job.record.kernel = "ampere_sgemm_128x64_nn";
  job.record.arch = "sm_80";
  job.record.block_x = 128, job.record.block_y = 1, job.record.block_z = 1;
  job.launched = kLoaded;
  EXPECT_THAT(BuildsOf(job), IsEmpty());
}

TEST(BuildsOf, AreNoneWhenNothingIsKnown) { EXPECT_THAT(BuildsOf(JobOf("my_workload")), IsEmpty()); }

TEST(LaunchReadings, AreOfTheLoadedKernel) {
  Job job = JobOf("v1_6");
  job.launched = kLoaded;
  const auto readings = LaunchReadings(job, 1.25);
  ASSERT_THAT(readings, SizeIs(4));
  EXPECT_EQ(readings[0].metric.id, "launch_registers");
  EXPECT_EQ(readings[0].value, 40);
  EXPECT_EQ(readings[1].metric.id, "launch_local_bytes");
  EXPECT_EQ(readings[1].value, std::nullopt);
  EXPECT_EQ(readings[1].status, ReadingStatus::kFailed) << "what could not be asked is not 0";
  EXPECT_EQ(readings[2].metric.id, "launch_static_shared_bytes");
  EXPECT_EQ(readings[2].value, 1024);
  EXPECT_EQ(readings[3].metric.id, "launch_overhead_us");
  EXPECT_EQ(readings[3].value, 1.25);
  for (const Reading& r : readings) {
    EXPECT_EQ(r.metric.source, "launch");
    EXPECT_EQ(r.metric.cupti_name, "");
    EXPECT_FALSE(r.metric.unit.empty() || r.metric.meaning.empty()) << r.metric.id;
  }
}

TEST(LaunchReadings, OfALaunchThatCouldNotBeAskedHaveOnlyWhatLaunchingTakes) {
  const auto readings = LaunchReadings(JobOf("v1_6"), std::nullopt);
  ASSERT_THAT(readings, SizeIs(1));
  EXPECT_EQ(readings[0].metric.id, "launch_overhead_us");
  EXPECT_EQ(readings[0].value, std::nullopt);
  EXPECT_EQ(readings[0].status, ReadingStatus::kFailed);
}

}  // namespace
}  // namespace culprit
