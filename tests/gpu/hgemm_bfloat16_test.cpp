// SPDX-License-Identifier: Apache-2.0
// The element of the wgmma stages is a parameter of their text: bfloat16 against double precision.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/device_memory.h"
#include "kernels/reference.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/hgemm_bfloat16_kernel.h"

namespace culprit {
namespace {

std::vector<__nv_bfloat16> Rounded(std::vector<float>& values) {
  std::vector<__nv_bfloat16> rounded;
  for (float& value : values) {
    rounded.push_back(__float2bfloat16(value));
    value = __bfloat162float(rounded.back());
  }
  return rounded;
}

TEST(Bfloat16, IsAnElementLikeHalf) {
  Stage needs;
  needs.device = {.least = 90, .no_other = true};
  if (const std::string why = DeviceRefusal(needs); !why.empty()) GTEST_SKIP() << why;
  for (const GemmShape& shape : {GemmShape{200, 136, 104}, GemmShape{512, 512, 512}, GemmShape{129, 264, 0}}) {
    GemmInputs inputs = RandomInputs(shape, 0.75f, -1.25f, 31, ElementType::kFloat);
    const std::vector<__nv_bfloat16> a = Rounded(inputs.a), b = Rounded(inputs.b);
    inputs.element = ElementType::kHalf;  // products are exact and sums single precision, as with halves
    DeviceMemory a_there(a.size() * sizeof(a[0])), b_there(b.size() * sizeof(b[0]));
    a_there.Upload(a);
    b_there.Upload(b);
    for (const auto launch : {LaunchBfloat16, LaunchPingPongBfloat16}) {
      const DeviceArray c(inputs.c);
      launch({shape, inputs.alpha, a_there.As<__nv_bfloat16>(), b_there.As<__nv_bfloat16>(), inputs.beta, c.data()});
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      const Verification v = Compare(Float64Expected(inputs), c.Download());
      EXPECT_TRUE(v.passed) << shape.m << 'x' << shape.n << 'x' << shape.k << ": " << v.message;
    }
  }
}

}  // namespace
}  // namespace culprit
