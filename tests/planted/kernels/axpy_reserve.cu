// SPDX-License-Identifier: Apache-2.0
// y + a x over large vectors, four float4 of each in flight per thread.
// A block that reserves 72 KB of shared memory leaves room for three blocks on an SM instead of six. Device memory is
// full either way: 48 warps keep 192 KB on their way, 24 warps 96 KB, and at 14 to 21 bytes a cycle and SM and a
// latency of 700 cycles some 15 KB are enough. The time stays.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kInFlight = 4;
constexpr std::size_t kReservedBytes = 72 * 1024;
// 228 KB per SM, of which each block takes 1 KB for the system (CUDA C++ Programming Guide, compute capability 9.0)
static_assert(228 * 1024 / (kReservedBytes + 1024) == 3, "three blocks of 8 warps per SM");
constexpr float kScale = 0.75f;

__device__ __forceinline__ void AddScaled(const float4* x, const float4* y, float4* out) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * (kThreads * kInFlight) + threadIdx.x;
  float4 a[kInFlight], b[kInFlight];
#pragma unroll
  for (int j = 0; j < kInFlight; ++j) a[j] = x[first + j * kThreads];
#pragma unroll
  for (int j = 0; j < kInFlight; ++j) b[j] = y[first + j * kThreads];
#pragma unroll
  for (int j = 0; j < kInFlight; ++j)
    out[first + j * kThreads] = {fmaf(kScale, a[j].x, b[j].x), fmaf(kScale, a[j].y, b[j].y),
                                 fmaf(kScale, a[j].z, b[j].z), fmaf(kScale, a[j].w, b[j].w)};
}
}  // namespace

constexpr int kSixLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, 6) axpy_6_blocks(const float4* x, const float4* y, float4* out) {
  AddScaled(x, y, out);
}
constexpr int kThreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, 6) axpy_3_blocks(const float4* x, const float4* y, float4* out) {
  AddScaled(x, y, out);
}

namespace culprit {
namespace {

// n floats, a multiple of those of a block.
template <std::size_t kBytes>
LaunchConfig Config(int n) {
  return {dim3(n / (4 * kInFlight * kThreads)), dim3(kThreads), kBytes};
}

template <auto* kKernel, std::size_t kBytes>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kBytes>(n), stream, reinterpret_cast<const float4*>(in),
                   reinterpret_cast<const float4*>(in + n), reinterpret_cast<float4*>(out));
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) -> Wanted {
    return {double{kScale} * in[i] + in[n + i], 3 * kFloatUnit};
  };
  return PerElementRun(UniformFloats(2 * static_cast<std::size_t>(n), 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair AxpyReservePair() {
  const AlikeKernels both("adds one scaled vector to another", "shared memory per block",
                          "kernels/planted/axpy_reserve.cu");
  return {.id = "axpy_reserve",
          .base = both.With("0", "axpy_6_blocks", kSixLine, ::axpy_6_blocks, Config<0>, Make<::axpy_6_blocks, 0>),
          .candidate = both.With("72 KB", "axpy_3_blocks", kThreeLine, ::axpy_3_blocks, Config<kReservedBytes>,
                                 Make<::axpy_3_blocks, kReservedBytes>),
          .sizes = {1 << 25, 1 << 26},
          .flop = [](int n) { return 2.0 * n; },
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
