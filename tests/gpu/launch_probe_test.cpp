// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/code/static_attributes.h"
#include "profiler/device_info.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ProbeLaunchOnGpu : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(CurrentDevice()) << "this test needs a GPU"; }
};

std::optional<double> Attribute(const KernelLaunch& launch, const std::string& name) {
  for (const StaticAttribute& a : launch.attributes)
    if (a.name == name) return a.value;
  return std::nullopt;
}

TEST_F(ProbeLaunchOnGpu, NamesKernelGridBlockAndSharedMemory) {
  const auto launches = ProbeLaunch([](cudaStream_t s) { LaunchShaped({3, 2, 5}, {32, 4, 2}, 4096, s); });
  ASSERT_THAT(launches, SizeIs(1));
  const KernelLaunch& l = launches.front();
  EXPECT_EQ(l.kernel, "culprit_test_shaped");
  EXPECT_EQ(l.grid.x, 3u);
  EXPECT_EQ(l.grid.y, 2u);
  EXPECT_EQ(l.grid.z, 5u);
  EXPECT_EQ(l.block.x, 32u);
  EXPECT_EQ(l.block.y, 4u);
  EXPECT_EQ(l.block.z, 2u);
  EXPECT_EQ(l.dynamic_shared_bytes, 4096);
  EXPECT_THAT(l.arch, ::testing::MatchesRegex("sm_[0-9]+"));
}

TEST_F(ProbeLaunchOnGpu, SaysWhatTheLoadedKernelTakes) {
  const DeviceArray in(std::vector<float>(kKnownThreads, 0.0f)), out(std::vector<float>(kKnownThreads, 0.0f));
  const auto launches = ProbeLaunch([&](cudaStream_t s) { LaunchKnown(1, in.data(), out.data(), s); });
  ASSERT_THAT(launches, SizeIs(1));
  EXPECT_GT(Attribute(launches.front(), "registers").value_or(0), 0);
  EXPECT_EQ(Attribute(launches.front(), "static_shared_bytes"), kKnownThreads * sizeof(float));
  EXPECT_EQ(Attribute(launches.front(), "local_bytes"), 0);
  EXPECT_EQ(Attribute(launches.front(), "max_threads"), 1024);
}

TEST_F(ProbeLaunchOnGpu, CountsEveryKernelInOrder) {
  const DeviceArray in(std::vector<float>(kKnownThreads, 0.0f)), out(std::vector<float>(kKnownThreads, 0.0f));
  const auto launches = ProbeLaunch([&](cudaStream_t s) {
    LaunchKnown(1, in.data(), out.data(), s);
    LaunchShaped({7, 1, 1}, {64, 1, 1}, 0, s);
  });
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0].kernel, "culprit_test_known");
  EXPECT_EQ(launches[1].kernel, "culprit_test_shaped");
}

TEST_F(ProbeLaunchOnGpu, RunsNothing) {
  const DeviceArray in(std::vector<float>(kKnownThreads, 1.0f)), out(std::vector<float>(kKnownThreads, -7.0f));
  ASSERT_THAT(ProbeLaunch([&](cudaStream_t s) { LaunchKnown(1, in.data(), out.data(), s); }), SizeIs(1));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(out.Download(), ::testing::Each(-7.0f));
}

TEST_F(ProbeLaunchOnGpu, FindsNothingInALaunchThatWaitsAndLeavesCudaUsable) {
  const auto launches = ProbeLaunch([](cudaStream_t s) {
    LaunchShaped({1, 1, 1}, {32, 1, 1}, 0, s);
    cudaStreamSynchronize(s);
  });
  EXPECT_THAT(launches, IsEmpty());
  LaunchShaped({1, 1, 1}, {32, 1, 1}, 0, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(ProbeLaunch([](cudaStream_t s) { LaunchShaped({1, 1, 1}, {32, 1, 1}, 0, s); }), SizeIs(1));
}

TEST_F(ProbeLaunchOnGpu, FindsNothingInALaunchThatLaunchesNothing) {
  EXPECT_THAT(ProbeLaunch([](cudaStream_t) {}), IsEmpty());
}

}  // namespace
}  // namespace culprit
