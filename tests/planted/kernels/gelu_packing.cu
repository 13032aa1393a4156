// SPDX-License-Identifier: Apache-2.0
// GELU by its approximation with tanh: each access takes 16 bytes, or 4.
// Limits on an H100: with 16 bytes device memory, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi. With 4 bytes there are
// four times as many requests and warps, and a warp keeps a quarter in flight: 64 warps x 128 bytes = 8 KB, less than
// the latency of device memory asks for. 1.1 to 2 times as long.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr float kSlope = -1.5957691f, kCubic = 0.044715f;  // -2 sqrt(2 / pi)

// x (1 + tanh(u)) / 2 is x / (1 + exp(-2 u)).
__device__ float Gelu(float x) { return __fdividef(x, 1 + __expf(kSlope * x * fmaf(kCubic * x, x, 1.0f))); }
}  // namespace

constexpr int kPackedLine = __LINE__ + 1;
extern "C" __global__ void gelu_16_bytes(const float4* in, float4* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float4 x = in[i];
  out[i] = {Gelu(x.x), Gelu(x.y), Gelu(x.z), Gelu(x.w)};
}
constexpr int kScalarLine = __LINE__ + 1;
extern "C" __global__ void gelu_4_bytes(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  out[i] = Gelu(in[i]);
}

namespace culprit {
namespace {

template <int kPerThread>
LaunchConfig Config(int n) {
  return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0};
}

struct Job {
  static constexpr std::size_t kEvery = 31;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const double x = in[i], y = x / (1 + std::exp(double{kSlope} * x * (1 + double{kCubic} * x * x)));
    // Three roundings of an exponent below 1.7, twice; __expf's 2 + 2 ulp, the sum, __fdividef's 2 ulp.
    return {y, (2 * 3 + 2 * 4 + 1 + 4) * kFloatUnit * std::abs(x)};
  }
};

}  // namespace

PlantedPair GeluPackingPair() {
  const AlikeKernels both("computes GELU", "bytes of an access", "kernels/planted/gelu_packing.cu");
  return {.id = "gelu_packing",
          .base = ElementsKernel<Job, ::gelu_16_bytes, Config<4>>(both, "16", "gelu_16_bytes", kPackedLine),
          .candidate = ElementsKernel<Job, ::gelu_4_bytes, Config<1>>(both, "4", "gelu_4_bytes", kScalarLine),
          .sizes = {16 << 20, 32 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
