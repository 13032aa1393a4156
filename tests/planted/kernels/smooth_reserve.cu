// SPDX-License-Identifier: Apache-2.0
// A signal smoothed by 5 taps: a block copies a tile and its margins to shared memory, waits, and sums from there.
// One load per thread is in flight: 64 warps per SM keep 8 KB on the way, enough for some 2.5 TB/s of reads and writes.
// With 72 KB reserved per block three blocks fit an SM: 24 warps, 3 KB on the way, about 1 TB/s.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;  // outputs of a tile
constexpr int kMargin = 2;     // inputs on either side of an output
constexpr int kTiles = 16;     // of a block, one after the other
constexpr std::size_t kNeededBytes = (kThreads + 2 * kMargin) * sizeof(float);
constexpr std::size_t kReservedBytes = 72 * 1024;
// 228 KB per SM, of which each block takes 1 KB for the system (CUDA C++ Programming Guide, compute capability 9.0)
static_assert(228 * 1024 / (kReservedBytes + 1024) == 3, "three blocks of 8 warps per SM");

// in: n + 2 * kMargin floats, so that output i is the sum over in[i] to in[i + 4].
__device__ void Smooth(const float* in, float* out) {
  extern __shared__ float tile[];
  const int t = static_cast<int>(threadIdx.x);
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kTiles * kThreads;
#pragma unroll 1
  for (int i = 0; i < kTiles; ++i) {
    const std::size_t start = first + static_cast<std::size_t>(i) * kThreads;
    tile[t] = in[start + t];
    if (t < 2 * kMargin) tile[kThreads + t] = in[start + kThreads + t];
    __syncthreads();
    out[start + t] = 0.0625f * (tile[t] + tile[t + 4]) + 0.25f * (tile[t + 1] + tile[t + 3]) + 0.375f * tile[t + 2];
    __syncthreads();  // the next copy overwrites the tile
  }
}
}  // namespace

constexpr int kTightLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) smooth_tile_1k(const float* in, float* out) { Smooth(in, out); }
constexpr int kAmpleLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) smooth_tile_72k(const float* in, float* out) { Smooth(in, out); }

namespace culprit {
namespace {

// n is a multiple of a block's outputs.
template <std::size_t kBytes>
LaunchConfig Config(int n) {
  return {dim3(n / (kTiles * kThreads)), dim3(kThreads), kBytes};
}

template <auto* kKernel, std::size_t kBytes>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kBytes>(n), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    constexpr double kTaps[] = {0.0625, 0.25, 0.375, 0.25, 0.0625};
    Wanted w;
    for (int k = 0; k < 5; ++k) {
      w.value += kTaps[k] * in[i + k];
      w.bound += 5 * kFloatUnit * kTaps[k] * std::abs(in[i + k]);
    }
    return w;
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(n) + 2 * kMargin, 1), n, 7, launch, wanted);
}

}  // namespace

PlantedPair SmoothReservePair() {
  const AlikeKernels both("smooths a signal with 5 taps through a tile in shared memory", "shared memory per block",
                          "kernels/planted/smooth_reserve.cu");
  return {.id = "smooth_reserve",
          .base = both.With("1040 bytes", "smooth_tile_1k", kTightLine, ::smooth_tile_1k, Config<kNeededBytes>,
                            Make<::smooth_tile_1k, kNeededBytes>),
          .candidate = both.With("73728 bytes", "smooth_tile_72k", kAmpleLine, ::smooth_tile_72k,
                                 Config<kReservedBytes>, Make<::smooth_tile_72k, kReservedBytes>),
          .sizes = {1 << 24, 1 << 26},
          .flop = [](int n) { return 7.0 * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
