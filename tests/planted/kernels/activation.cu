// SPDX-License-Identifier: Apache-2.0
// Scale, shift and the activation x / (1 + |x|) of a layer. Each block takes a stretch of 64 KB: both steps on an
// element while it is in a register, or one step on the whole stretch and then the other on what the first stored.
// Limits on an H100: device memory in both. Fused 8 bytes an element, 0.55 GB and 0.19 ms for 4224 stretches. One after
// the other 16: the 1056 resident blocks move 138 MB between storing an element and reading it, nearly three times the
// L2, of which a part may stay: 1.6 to 2 times as long.
// Kept apart because the second loop reads what the first stored; compilers do not join loops.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kStretch = 16384;  // floats of a block
constexpr float kScale = 1.5f, kShift = 0.25f;

__device__ float Shifted(float x) { return fmaf(kScale, x, kShift); }
__device__ float Activated(float x) { return __fdividef(x, 1.0f + fabsf(x)); }
__device__ float4 Shifted(float4 x) { return {Shifted(x.x), Shifted(x.y), Shifted(x.z), Shifted(x.w)}; }
__device__ float4 Activated(float4 x) { return {Activated(x.x), Activated(x.y), Activated(x.z), Activated(x.w)}; }

template <bool kFused>
__device__ void Activate(const float4* in, float4* out) {
  in += static_cast<std::size_t>(blockIdx.x) * (kStretch / 4);
  out += static_cast<std::size_t>(blockIdx.x) * (kStretch / 4);
  if constexpr (kFused) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < kStretch / 4; i += kThreads) out[i] = Activated(Shifted(in[i]));
  } else {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < kStretch / 4; i += kThreads) out[i] = Shifted(in[i]);
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < kStretch / 4; i += kThreads) out[i] = Activated(out[i]);
  }
}
}  // namespace

constexpr int kFusedLine = __LINE__ + 1;
extern "C" __global__ void activation_fused(const float4* in, float4* out) { Activate<true>(in, out); }
constexpr int kStoredLine = __LINE__ + 1;
extern "C" __global__ void activation_stored(const float4* in, float4* out) { Activate<false>(in, out); }

namespace culprit {
namespace {

LaunchConfig Config(int stretches) { return {dim3(stretches), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int stretches) {
  const std::size_t count = static_cast<std::size_t>(stretches) * kStretch;
  const auto launch = [stretches](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(stretches), stream, reinterpret_cast<const float4*>(in),
                   reinterpret_cast<float4*>(out));
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) {
    const double x = static_cast<double>(kScale) * in[i] + kShift;
    // A result below 1 behind an FMA (of values below 2), a sum and a fast division (2 ulps, 4 units).
    return Wanted{x / (1 + std::abs(x)), (2 + 1 + 4) * kFloatUnit};
  };
  return PerElementRun(UniformFloats(count, 1), count, 31, launch, wanted);
}

}  // namespace

PlantedPair ActivationPair() {
  const AlikeKernels both("scales, shifts and activates a layer's values", "between the steps",
                          "kernels/planted/activation.cu");
  return {.id = "activation",
          .base = both.With("registers", "activation_fused", kFusedLine, ::activation_fused, Config,
                            Make<::activation_fused>),
          .candidate = both.With("global memory", "activation_stored", kStoredLine, ::activation_stored, Config,
                                 Make<::activation_stored>),
          .sizes = {2112, 4224},
          .flop = [](int stretches) { return 4.0 * stretches * kStretch; },
          .min_bytes = [](int stretches) { return 2.0 * sizeof(float) * stretches * kStretch; }};
}

}  // namespace culprit
