// SPDX-License-Identifier: Apache-2.0
// Stages whose blocks stay and share tiles: over several waves, on several streams at once, and from a graph.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/device_inputs.h"
#include "kernels/stage.h"
#include "kernels/verifier.h"
#include "tests/gpu/device_array.h"

namespace culprit {
namespace {

struct Stream {
  cudaStream_t handle = nullptr;
  Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), cudaSuccess); }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

class StayingBlocks : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = DeviceRefusal(stage()); !why.empty()) GTEST_SKIP() << why;
  }
  const Stage& stage() { return *FindStage(GetParam()); }
};

// First in this file: CUDA makes no pool of memory while a stream captures.
TEST_P(StayingBlocks, AreCapturedAndRunTwice) {
  const GemmInputs inputs = RandomInputs({500, 300, 400}, 1.5f, 0, 3);
  const DeviceInputs device(inputs);
  const DeviceArray c(inputs.c);
  const Stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runs = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  device.Launch(stage(), inputs.alpha, inputs.beta, c.data(), stream.handle);
  ASSERT_EQ(cudaStreamEndCapture(stream.handle, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&runs, graph, 0), cudaSuccess);
  const Verifier verifier(inputs);
  for (int i = 0; i < 2; ++i) {
    cudaMemset(c.data(), 0xff, inputs.c.size() * sizeof(float));
    ASSERT_EQ(cudaGraphLaunch(runs, stream.handle), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
    EXPECT_TRUE(verifier.CheckDevice(c.data()).passed) << verifier.CheckDevice(c.data()).message;
  }
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
}

TEST_P(StayingBlocks, AreRightOverSeveralWaves) {
  for (const GemmShape& shape : {GemmShape{2100, 1300, 40}, {2100, 1300, 0}, {4200, 1301, 71}}) {
    const GemmInputs inputs = RandomInputs(shape, 1, 0.5f, 5);
    const DeviceInputs device(inputs);
    const DeviceArray c(inputs.c);
    device.Launch(stage(), inputs.alpha, inputs.beta, c.data(), nullptr);
    const Verification v = Verifier(inputs).CheckDevice(c.data());
    EXPECT_TRUE(v.passed) << shape.m << 'x' << shape.n << 'x' << shape.k << ": " << v.message;
  }
}

TEST_P(StayingBlocks, OfSeveralStreamsDoNotMeet) {
  const GemmInputs inputs = RandomInputs({384, 260, 700}, 1, 0, 7);
  const DeviceInputs device(inputs);
  constexpr int kStreams = 4, kLaunches = 25;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<DeviceArray>> outputs;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(std::make_unique<Stream>());
    outputs.push_back(std::make_unique<DeviceArray>(inputs.c));
  }
  for (int launch = 0; launch < kLaunches; ++launch)
    for (int i = 0; i < kStreams; ++i)
      device.Launch(stage(), inputs.alpha, inputs.beta, outputs[i]->data(), streams[i]->handle);
  const Verification v = Verifier(inputs).CheckDevice(outputs[0]->data());
  EXPECT_TRUE(v.passed) << v.message;
  const std::vector<float> first = outputs[0]->Download();
  for (int i = 1; i < kStreams; ++i) EXPECT_EQ(outputs[i]->Download(), first) << "sums are the same each time";
}

INSTANTIATE_TEST_SUITE_P(All, StayingBlocks,
                         ::testing::Values("sgemm_tma", "sgemm_stream_k", "sgemm_fed", "sgemm_fed_sliced",
                                           "sgemm_fed_small"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace culprit
