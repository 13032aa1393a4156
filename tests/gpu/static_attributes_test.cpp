// SPDX-License-Identifier: Apache-2.0
// What the build wrote down about the stages against what the running system says.
#include "profiler/code/static_attributes.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "db/error.h"
#include "db/records.h"
#include "kernels/stage.h"
#include "profiler/occupancy.h"
#include "profiler/static_table.h"

namespace culprit {
namespace {

std::string DeviceArch() {
  cudaDeviceProp device;
  EXPECT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  return "sm_" + std::to_string(device.major * 10 + device.minor);
}

// What cudaFuncGetAttributes says about a kernel, with source "runtime". user_constant_bytes are those of the user's
// __constant__ variables, not of the bank 0 that the cubin counts.
std::vector<StaticAttribute> RuntimeAttributes(const void* kernel) {
  cudaFuncAttributes a{};
  if (const cudaError_t status = cudaFuncGetAttributes(&a, kernel); status != cudaSuccess) {
    cudaGetLastError();  // reported here; the next launch must not report it again
    throw Error(std::string("cannot ask CUDA for a kernel's attributes: ") + cudaGetErrorString(status) +
                "; build for this GPU with -DCULPRIT_CUDA_ARCHITECTURES=native");
  }
  const auto attribute = [](const char* name, double value) {
    return StaticAttribute{name, "runtime", value, ReadingStatus::kOk};
  };
  return {attribute("registers", a.numRegs), attribute("static_shared_bytes", static_cast<double>(a.sharedSizeBytes)),
          attribute("user_constant_bytes", static_cast<double>(a.constSizeBytes)),
          attribute("local_bytes", static_cast<double>(a.localSizeBytes)),
          attribute("max_threads", a.maxThreadsPerBlock)};
}

// This device's record of `stage` with the runtime's attributes; none when the build has no code of its own for the
// device.
std::optional<BuildRecord> Build(const Stage& stage) {
  for (BuildRecord build : StaticTable(stage.id)) {
    if (build.arch != DeviceArch()) continue;
    const std::vector<StaticAttribute> runtime = RuntimeAttributes(stage.kernel);
    build.attributes.insert(build.attributes.end(), runtime.begin(), runtime.end());
    return build;
  }
  return std::nullopt;
}

class StaticAttributes : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    build_ = Build(stage());
    if (!build_) GTEST_SKIP() << "built without code for " << DeviceArch();
  }
  const Stage& stage() { return *FindStage(GetParam()); }
  std::optional<double> Of(const char* name, const char* source) { return FindAttribute(*build_, name, source); }
  std::optional<BuildRecord> build_;
};

TEST_P(StaticAttributes, AgreeBetweenCubinAndRuntime) {
  EXPECT_EQ(Of("registers", "runtime"), Of("registers", "cubin"));
  EXPECT_EQ(Of("static_shared_bytes", "runtime"), Of("static_shared_bytes", "cubin"));
  EXPECT_EQ(Of("local_bytes", "runtime"), Of("local_bytes", "cubin"));
  EXPECT_EQ(Of("local_bytes", "runtime"), Of("stack_frame_bytes", "compiler"));
}

TEST_P(StaticAttributes, AgreeOnTheLargestBlock) {
  const char* const source = Of("max_threads", "cubin") ? "cubin" : "model";
  EXPECT_EQ(Of("max_threads", "runtime"), Of("max_threads", source));
}

TEST_P(StaticAttributes, PredictTheOccupancyThatCudaComputes) {
  const LaunchConfig config = stage().config({4096, 4096, 4096});
  const int threads = static_cast<int>(config.block.x * config.block.y * config.block.z);
  const int dynamic = static_cast<int>(config.dynamic_shared_bytes);
  if (dynamic > 0) {
    ASSERT_EQ(cudaFuncSetAttribute(stage().kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic), cudaSuccess);
  }
  int blocks = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stage().kernel, threads, dynamic), cudaSuccess);
  AddOccupancy(*build_, threads, dynamic);
  EXPECT_EQ(Of("theoretical_warps_per_sm", "model"), blocks * threads / 32);
}

std::vector<std::string> Ids() {
  std::vector<std::string> ids;
  for (const Stage& stage : AllStages()) {
    if (stage.kernel != nullptr) ids.push_back(stage.id);
  }
  return ids;
}

INSTANTIATE_TEST_SUITE_P(All, StaticAttributes, ::testing::ValuesIn(Ids()), [](const auto& id) { return id.param; });

}  // namespace
}  // namespace culprit
