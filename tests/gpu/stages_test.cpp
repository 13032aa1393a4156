// SPDX-License-Identifier: Apache-2.0
// Every stage x awkward shapes: right everywhere, nothing written outside C, and C not read when beta is 0.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/device_inputs.h"
#include "kernels/stage.h"
#include "kernels/verifier.h"
#include "tests/gpu/device_array.h"

namespace culprit {
namespace {

using ::testing::IsEmpty;

constexpr GemmShape kShapes[] = {{1, 1, 1},        {1, 1, 0},         {127, 129, 33},  {2, 3, 5},       {33, 1, 257},
                                 {1, 131, 64},     {128, 128, 8},     {128, 128, 0},   {32, 32, 32},    {16, 16, 16},
                                 {96, 160, 64},    {128, 384, 40},    {384, 128, 24},  {256, 256, 512}, {512, 512, 512},
                                 {640, 384, 1000}, {1024, 256, 2048}, {128, 256, 32},  {256, 512, 96},  {128, 256, 0},
                                 {128, 256, 64},   {384, 256, 32},    {128, 512, 160}, {256, 1024, 64}, {640, 768, 96},
                                 {1152, 512, 288}, {128, 1280, 1024}};

struct Scale {
  float alpha, beta;
};
constexpr Scale kScales[] = {{1, 0}, {1, 1}, {-2.5f, 0.75f}, {0, 0}, {0, 2}};

constexpr float kGuard = 12345.0f;
constexpr std::size_t kGuards = 1024;  // on either side of C; a multiple of 4, so C stays aligned to 16 bytes

class StageOnGpu : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = DeviceRefusal(stage()); !why.empty()) GTEST_SKIP() << why;
  }
  const Stage& stage() { return *FindStage(GetParam()); }
};

void RunOnce(const Stage& stage, const GemmInputs& inputs, const Verifier& verifier) {
  const DeviceInputs device(inputs);
  std::vector<float> guarded(inputs.c.size() + 2 * kGuards, kGuard);
  std::ranges::copy(inputs.c, guarded.begin() + kGuards);
  const DeviceArray c(guarded);
  device.Launch(stage, inputs.alpha, inputs.beta, c.data() + kGuards, nullptr);

  const Verification v = verifier.CheckDevice(c.data() + kGuards);
  EXPECT_TRUE(v.passed) << v.reference << ": " << v.message;
  const std::vector<float> after = c.Download();
  const auto is_guard = [](float value) { return value == kGuard; };
  EXPECT_TRUE(std::all_of(after.begin(), after.begin() + kGuards, is_guard)) << "wrote before C";
  EXPECT_TRUE(std::all_of(after.end() - kGuards, after.end(), is_guard)) << "wrote behind C";
}

TEST_P(StageOnGpu, IsRightForEveryShapeThatItTakes) {
  // Beyond the extents that are checked in double precision as well, cuBLAS in single precision is the only reference:
  // to compare it with itself proves nothing.
  const bool is_the_reference = stage().family == "reference" && ElementOf(stage()) == ElementType::kFloat;
  int taken = 0;
  for (const GemmShape& shape : kShapes) {
    if (!Refusal(stage(), shape).empty()) continue;
    if (is_the_reference && std::max({shape.m, shape.n, shape.k}) > kFloat64Extent) continue;
    ++taken;
    for (const Scale scale : kScales) {
      SCOPED_TRACE(::testing::Message() << stage().id << ' ' << shape.m << 'x' << shape.n << 'x' << shape.k << " alpha "
                                        << scale.alpha << " beta " << scale.beta);
      const GemmInputs inputs = RandomInputs(shape, scale.alpha, scale.beta, 17, ElementOf(stage()));
      RunOnce(stage(), inputs, Verifier(inputs));
    }
  }
  EXPECT_GE(taken, 13);
}

TEST_P(StageOnGpu, RefusesWhatItsConstraintExcludes) {
  const ShapeConstraint c = stage().constraint;
  const GemmShape fits{c.m_multiple, c.n_multiple, c.k_multiple};
  EXPECT_THAT(Refusal(stage(), fits), IsEmpty());
  if (c.m_multiple > 1) {
    EXPECT_THAT(Refusal(stage(), {fits.m + 1, fits.n, fits.k}), Not(IsEmpty()));
  }
  if (c.n_multiple > 1) {
    EXPECT_THAT(Refusal(stage(), {fits.m, fits.n + 1, fits.k}), Not(IsEmpty()));
  }
  if (c.k_multiple > 1) {
    EXPECT_THAT(Refusal(stage(), {fits.m, fits.n, fits.k + 1}), Not(IsEmpty()));
  }
}

TEST_P(StageOnGpu, GivesTheSameBitsTwice) {
  const GemmInputs inputs = RandomInputs({256, 256, 96}, 1, 0, 23, ElementOf(stage()));
  const DeviceInputs device(inputs);
  const DeviceArray first(inputs.c), second(inputs.c);
  device.Launch(stage(), 1, 0, first.data(), nullptr);
  device.Launch(stage(), 1, 0, second.data(), nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(first.Download(), second.Download());
}

TEST_P(StageOnGpu, RunsOnTheStreamItIsGiven) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  const GemmInputs inputs = RandomInputs({128, 256, 128}, 1, 0, 29, ElementOf(stage()));
  const DeviceInputs device(inputs);
  const DeviceArray c(inputs.c);
  device.Launch(stage(), 1, 0, c.data(), stream);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const Verification v = Verifier(inputs).CheckDevice(c.data());
  EXPECT_TRUE(v.passed) << v.message;
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

std::vector<std::string> Ids() {
  std::vector<std::string> ids;
  for (const Stage& stage : AllStages()) ids.push_back(stage.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(All, StageOnGpu, ::testing::ValuesIn(Ids()), [](const auto& id) { return id.param; });

}  // namespace
}  // namespace culprit
