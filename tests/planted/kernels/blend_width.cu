// SPDX-License-Identifier: Apache-2.0
// A weighted mean of two images. Each block walks through a stretch of both, every thread with one access per image and
// step: of four floats, or of one. Both are coalesced; 16 warps share an SM, which both reserve shared memory for.
// Limits on an H100: four floats keep 16 warps x 2 x 512 bytes = 16 KB in flight per SM, enough for device memory's
// 14 bytes a cycle and SM at 650 cycles of latency; single floats keep 4 KB, 6 bytes a cycle of the 9.5 that are loads,
// and issue four times the loads, stores and loop instructions. 1.5 to 2 times as long.
// Kept apart because the loop is not unrolled and neither kernel sees two steps at once.
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 128;
constexpr int kStretch = 4096;  // floats of a block
// Four blocks (16 warps) of this and the system's 1 KB each are the 228 KB of an SM.
constexpr int kReservedBytes = 56 * 1024;
constexpr float kWeight = 0.375f;

__device__ float Mix(float a, float b) { return fmaf(kWeight, b - a, a); }
__device__ float4 Mix(float4 a, float4 b) { return {Mix(a.x, b.x), Mix(a.y, b.y), Mix(a.z, b.z), Mix(a.w, b.w)}; }

template <class Access>
__device__ void Blend(const float* a, const float* b, float* out) {
  constexpr int kAccesses = kStretch * sizeof(float) / sizeof(Access);
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kAccesses + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < kAccesses; i += kThreads)
    reinterpret_cast<Access*>(out)[first + i] =
        Mix(reinterpret_cast<const Access*>(a)[first + i], reinterpret_cast<const Access*>(b)[first + i]);
}
}  // namespace

constexpr int kFourLine = __LINE__ + 1;
extern "C" __global__ void blend_four_floats(const float* a, const float* b, float* out) { Blend<float4>(a, b, out); }
constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void blend_one_float(const float* a, const float* b, float* out) { Blend<float>(a, b, out); }

namespace culprit {
namespace {

// Images of n floats, a multiple of a block's stretch.
LaunchConfig Config(int n) { return {dim3(n / kStretch), dim3(kThreads), kReservedBytes}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, in + n, out);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) {
    const double a = in[i], b = in[n + i];
    return Wanted{a + kWeight * (b - a), 2 * kFloatUnit};  // the difference (below 2) times the weight, then the sum
  };
  return PerElementRun(UniformFloats(2 * static_cast<std::size_t>(n), 1), n, 7, launch, wanted);
}

}  // namespace

PlantedPair BlendWidthPair() {
  const AlikeKernels both("blends two images, one access per image and thread in a step", "access",
                          "kernels/planted/blend_width.cu");
  return {.id = "blend_width",
          .base = both.With("4 floats", "blend_four_floats", kFourLine, ::blend_four_floats, Config,
                            Make<::blend_four_floats>),
          .candidate =
              both.With("1 float", "blend_one_float", kOneLine, ::blend_one_float, Config, Make<::blend_one_float>),
          .sizes = {16 << 20, 32 << 20},
          .flop = [](int n) { return 3.0 * n; },
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
