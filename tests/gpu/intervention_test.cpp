// SPDX-License-Identifier: Apache-2.0
// Kernels whose answer to fewer resident blocks is known; and that nothing else about them changes.
#include "profiler/intervention.h"

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "db/error.h"
#include "db/records.h"
#include "profiler/cuda_context.h"
#include "profiler/device_info.h"
#include "profiler/timer.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"
#include "tests/planted/kernels/planted.h"

namespace culprit {
namespace {

// For any value of four bytes.
class DeviceInts {
 public:
  explicit DeviceInts(const std::vector<int>& values) : count_(values.size()) {
    if (cudaMalloc(reinterpret_cast<void**>(&data_), count_ * sizeof(int)) != cudaSuccess ||
        cudaMemcpy(data_, values.data(), count_ * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess)
      throw Error("no device memory for a test");
  }
  ~DeviceInts() { cudaFree(data_); }
  DeviceInts(const DeviceInts&) = delete;
  int* data() const { return data_; }
  std::vector<int> Download() const {
    std::vector<int> values(count_);
    if (cudaMemcpy(values.data(), data_, count_ * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
      throw Error("cannot read a test's result");
    return values;
  }

 private:
  std::size_t count_;
  int* data_ = nullptr;
};

class InterventionOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = CurrentDevice();
    ASSERT_TRUE(device_) << "this test needs a GPU";
  }

  // The time with `blocks` of them on an SM; median of five, the first launch not counted.
  double TimeWith(KernelResidency& kernel, int blocks, const std::function<void()>& launch) {
    const auto bytes = kernel.BytesFor(blocks);
    if (!bytes) throw Error("no amount of shared memory leaves " + std::to_string(blocks) + " blocks");
    std::vector<double> us;
    for (int i = 0; i < 6; ++i) us.push_back(timer_.Measure([&] { watch_.LaunchWith(*bytes, launch); }));
    timer_.TakeSamples();
    std::nth_element(us.begin() + 1, us.begin() + 3, us.end());
    return us[3];
  }

  std::optional<Device> device_;
  LaunchIntervention watch_;
  Timer timer_{CacheState::kHot};
};

// What the driver holds for a kernel: the runtime keeps an answer of its own.
int AttributeOf(const SeenLaunch& launch, CUfunction_attribute attribute) {
  CUresult (*const get)(int*, CUfunction_attribute, CUfunction) = DriverFunction("cuFuncGetAttribute", 12000);
  int value = -2;
  EXPECT_EQ(get(&value, attribute, static_cast<CUfunction>(launch.function)), CUDA_SUCCESS);
  return value;
}
std::vector<int> AttributesOf(const SeenLaunch& launch) {
  return {AttributeOf(launch, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
          AttributeOf(launch, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)};
}

std::vector<int> Ring() {
  std::vector<int> next(kChaseWindow);
  for (int i = 0; i < kChaseWindow; ++i) next[i] = (i + 4099) % kChaseWindow;
  return next;
}

TEST_F(InterventionOnGpu, LatencyTakesAsManyTimesLongerAsThereAreFewerWarps) {
  const int blocks = 16 * 2 * device_->sm_count, rounds = 200;
  const DeviceInts next(Ring()), out(std::vector<int>(blocks * kChaseThreads / 32));
  const auto launch = [&] { LaunchChase(blocks, rounds, next.data(), out.data(), nullptr); };
  const auto seen = watch_.Watch(launch);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].special, "");
  EXPECT_EQ(seen[0].Blocks(), blocks);
  EXPECT_EQ(seen[0].BlockWarps(), 4);
  cudaDeviceSynchronize();
  const std::vector<int> before = out.Download();
  const std::vector<int> attributes = AttributesOf(seen[0]);
  {
    KernelResidency kernel(seen[0]);
    kernel.SetCarveout(kCarveoutMostShared);
    ASSERT_EQ(kernel.BlocksWith(0), 16);
    EXPECT_NE(AttributesOf(seen[0])[0], attributes[0]);
    EXPECT_NE(AttributesOf(seen[0])[1], attributes[1]);
    const double all = TimeWith(kernel, 16, launch);
    for (const int fewer : {8, 4, 2, 1}) {
      const double times = TimeWith(kernel, fewer, launch) / all;
      std::printf("chase: %2d of 16 blocks take %.3f x\n", fewer, times);
      EXPECT_GT(times, 0.85 * 16 / fewer);
      EXPECT_LT(times, 1.05 * 16 / fewer);
    }
  }
  EXPECT_EQ(AttributesOf(seen[0]), attributes);
  EXPECT_EQ(out.Download(), before);
}

TEST_F(InterventionOnGpu, AFullPipeTakesAsLongWithFewerWarps) {
  const int blocks = 8 * 8 * device_->sm_count;
  const DeviceArray out(std::vector<float>(blocks * 256, 0.0f));
  const auto launch = [&] { LaunchFullPipe(blocks, 2048, out.data(), nullptr); };
  const auto seen = watch_.Watch(launch);
  ASSERT_EQ(seen.size(), 1u);
  cudaDeviceSynchronize();
  const std::vector<float> before = out.Download();
  KernelResidency kernel(seen[0]);
  kernel.SetCarveout(kCarveoutMostShared);
  ASSERT_EQ(kernel.BlocksWith(0), 8);
  const double all = TimeWith(kernel, 8, launch);
  for (const int fewer : {4, 2}) {
    const double times = TimeWith(kernel, fewer, launch) / all;
    std::printf("full pipe: %d of 8 blocks take %.3f x\n", fewer, times);
    EXPECT_NEAR(times, 1, 0.05);
  }
  EXPECT_EQ(out.Download(), before);
}

TEST_F(InterventionOnGpu, AddsSharedMemoryHoweverAKernelIsLaunched) {
  const DeviceInts out({-1});
  for (const LaunchWay way : {LaunchWay::kPlain, LaunchWay::kExtended}) {
    const auto launch = [&] { LaunchSharedSize(way, 1000, out.data(), nullptr); };
    const auto seen = watch_.Watch(launch);
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].special, "");
    EXPECT_EQ(seen[0].dynamic_shared_bytes, 1000);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out.Download()[0], 1000);
    {
      const KernelResidency kernel(seen[0]);
      watch_.LaunchWith(100'000, launch);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(out.Download()[0], 101'000);
    }
    launch();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out.Download()[0], 1000) << "only what is launched by LaunchWith is changed";
  }
}

TEST_F(InterventionOnGpu, TellsLaunchesThatMustStayAsTheyAre) {
  const DeviceInts out({-1});
  const auto special = [&](LaunchWay way) {
    const auto seen = watch_.Watch([&] { LaunchSharedSize(way, 0, out.data(), nullptr); });
    return seen.size() == 1 ? seen[0].special : "seen " + std::to_string(seen.size()) + " times";
  };
  EXPECT_EQ(special(LaunchWay::kCooperative), "a cooperative launch");
  if (device_->cc_major >= 9) {
    EXPECT_EQ(special(LaunchWay::kCluster), "a launch in clusters");
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(InterventionOnGpu, SeesEveryKernelOfALaunchAndChangesOneAlone) {
  const DeviceInts out({-1});
  const auto twice = [&] {
    for (int i = 0; i < 2; ++i) LaunchSharedSize(LaunchWay::kPlain, 0, out.data(), nullptr);
  };
  EXPECT_EQ(watch_.Watch(twice).size(), 2u);
  EXPECT_THROW(watch_.LaunchWith(0, twice), Error);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(InterventionOnGpu, ASecondSubscriberIsRefusedInASentence) { EXPECT_THROW(LaunchIntervention(), Error); }

// What an empty kernel takes with each carve-out is what changing it costs, which no comparison may take for the
// kernel's own.
TEST_F(InterventionOnGpu, AnotherCarveoutCostsAShortKernelNothing) {
  const DeviceInts out({-1});
  const auto launch = [&] { LaunchSharedSize(LaunchWay::kPlain, 0, out.data(), nullptr); };
  const auto seen = watch_.Watch(launch);
  ASSERT_EQ(seen.size(), 1u);
  KernelResidency kernel(seen[0]);
  std::vector<double> times;
  for (const int carveout : {kCarveoutAsItIs, kCarveoutMostL1, kCarveoutMostShared}) {
    kernel.SetCarveout(carveout);
    std::vector<double> us;
    for (int i = 0; i < 31; ++i) us.push_back(timer_.Measure(launch));
    std::nth_element(us.begin(), us.begin() + 15, us.end());
    std::printf("empty kernel, carve-out %d: %.3f us\n", carveout, us[15]);
    times.push_back(us[15]);
  }
  EXPECT_LT(*std::ranges::max_element(times) - *std::ranges::min_element(times), 1.0);
}

// Those whose occupancy was changed on purpose: they have the most to lose.
TEST_F(InterventionOnGpu, ResultsOfKernelsStayRight) {
  const std::set<std::string> about{"list_walk", "column_sum_block", "gather_block", "table_pivot_registers",
                                    "windows_reserve"};
  std::size_t tried = 0;
  for (const PlantedPair& pair : PlantedPairs()) {
    if (!about.contains(pair.id)) continue;
    for (const PlantedKernel* planted : {&pair.base, &pair.candidate}) {
      const PlantedRun run = planted->make(pair.sizes.front());
      const auto launch = [&] { run.launch(nullptr); };
      const auto seen = watch_.Watch(launch);
      ASSERT_EQ(seen.size(), 1u) << planted->id;
      KernelResidency kernel(seen[0]);
      kernel.SetCarveout(kCarveoutMostShared);
      const auto bytes = kernel.BytesFor(1);
      ASSERT_TRUE(bytes) << planted->id;
      PlantedCheck check;
      // Counts one launch: the check's.
      watch_.LaunchWith(*bytes, [&] { check = run.check(); });
      EXPECT_LE(check.error_over_bound, 1) << planted->id << " with one block on an SM: " << check.message;
      check = run.check();
      EXPECT_LE(check.error_over_bound, 1) << planted->id << " afterwards: " << check.message;
      ++tried;
    }
  }
  EXPECT_EQ(tried, 2 * about.size());
}

}  // namespace
}  // namespace culprit
