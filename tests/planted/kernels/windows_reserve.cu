// SPDX-License-Identifier: Apache-2.0
// Sums of the 64 samples from each of 1024 places on, in shared memory; 4 places a thread, and each sample is loaded
// for each of them. A block that reserves 68 KB more leaves room for three blocks on an SM instead of eight. The shared
// data pipe is full either way: it serves a load a cycle after some 30 cycles, and 24 warps have 4 in flight. The time
// stays. Loads are volatile: as many as written here.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPlaces = 4;  // of a thread, kThreads apart
constexpr int kOutputs = kThreads * kPlaces;
constexpr int kSamples = 64;
constexpr std::size_t kTileBytes = (kOutputs + kSamples) * sizeof(float);
constexpr std::size_t kReservedBytes = 68 * 1024;
// 228 KB per SM, of which each block takes 1 KB for the system (CUDA C++ Programming Guide, compute capability 9.0)
static_assert(228 * 1024 / (kReservedBytes + kTileBytes + 1024) == 3, "three blocks of 8 warps per SM");

// in: kOutputs floats a block, and kSamples - 1 behind the last.
__device__ __forceinline__ void Sum(const float* in, float* out) {
  __shared__ float tile[kOutputs + kSamples];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kOutputs;
  for (int i = thread; i < kOutputs + kSamples - 1; i += kThreads) tile[i] = in[first + i];
  __syncthreads();
  const volatile float* from = tile + thread;
  float sum[kPlaces] = {};
#pragma unroll 8
  for (int k = 0; k < kSamples; ++k)
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) sum[p] += from[p * kThreads + k];
#pragma unroll
  for (int p = 0; p < kPlaces; ++p) out[first + p * kThreads + thread] = sum[p];
}
}  // namespace

constexpr int kEightLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) windows_8_blocks(const float* in, float* out) { Sum(in, out); }
constexpr int kThreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) windows_3_blocks(const float* in, float* out) { Sum(in, out); }

namespace culprit {
namespace {

// n is a multiple of a block's outputs.
template <std::size_t kBytes>
LaunchConfig Config(int n) {
  return {dim3(n / kOutputs), dim3(kThreads), kBytes};
}

template <auto* kKernel, std::size_t kBytes>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kBytes>(n), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    Wanted w;
    for (int k = 0; k < kSamples; ++k) {
      w.value += in[i + k];
      w.bound += kSamples * kFloatUnit * std::abs(in[i + k]);
    }
    return w;
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(n) + kSamples, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair WindowsReservePair() {
  const AlikeKernels both("adds the 64 samples from each place on", "shared memory reserved",
                          "kernels/planted/windows_reserve.cu");
  return {.id = "windows_reserve",
          .base = both.With("0", "windows_8_blocks", kEightLine, ::windows_8_blocks, Config<0>,
                            Make<::windows_8_blocks, 0>),
          .candidate = both.With("68 KB", "windows_3_blocks", kThreeLine, ::windows_3_blocks, Config<kReservedBytes>,
                                 Make<::windows_3_blocks, kReservedBytes>),
          .sizes = {1 << 22, 1 << 24},
          .flop = [](int n) { return 1.0 * kSamples * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
