// SPDX-License-Identifier: Apache-2.0
// Median of 3 x 3 pixels by a sorting network of 19 exchanges on an array of 16 slots, one thread a pixel.
// Slots known when compiling: about 100 instructions a warp, 8 bytes a pixel: issue slots and device memory, 100
// cycles. Slots rotated by an argument: 9 + 19 * 4 + 1 accesses to memory, at 4 cycles of a quarter of an SM: 350
// cycles. The rotation is 0 in both; only a compiler that knew it could keep the array in registers.
#include <algorithm>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kSlots = 16;
constexpr int kWindow = 3;
constexpr int kThreads = 256;

// Out of an image with a border of one pixel: `in` is (n + 2) x (n + 2), `out` n x n.
__device__ __forceinline__ void Median(const float* in, float* out, int n, int rotation) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  float slot[kSlots];
  const auto at = [&](int i) -> float& { return slot[static_cast<unsigned>(i + rotation) % kSlots]; };
#pragma unroll
  for (int i = 0; i < kWindow * kWindow; ++i)
    at(i) = in[static_cast<std::size_t>(y + i / kWindow) * (n + 2) + x + i % kWindow];
  const auto exchange = [&](int i, int j) {
    const float a = at(i), b = at(j);
    at(i) = fminf(a, b);
    at(j) = fmaxf(a, b);
  };
  // Sort three rows of three; then the median of the least maximum, the middle of the middles, the greatest minimum.
  exchange(1, 2), exchange(4, 5), exchange(7, 8), exchange(0, 1), exchange(3, 4), exchange(6, 7);
  exchange(1, 2), exchange(4, 5), exchange(7, 8), exchange(0, 3), exchange(5, 8), exchange(4, 7);
  exchange(3, 6), exchange(1, 4), exchange(2, 5), exchange(4, 7), exchange(4, 2), exchange(6, 4);
  exchange(4, 2);
  out[static_cast<std::size_t>(y) * n + x] = at(4);
}
}  // namespace

constexpr int kFixedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) median_slots_fixed(const float* in, float* out, int n, int) {
  Median(in, out, n, 0);
}
constexpr int kRotatedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    median_slots_rotated(const float* in, float* out, int n, int rotation) {
  Median(in, out, n, rotation);
}

namespace culprit {
namespace {

// An n x n image; n is a multiple of the block.
LaunchConfig Config(int n) {
  return {dim3(static_cast<unsigned>(n) / kThreads, static_cast<unsigned>(n)), dim3(kThreads), 0};
}

template <auto* kKernel>
PlantedRun Make(int n) {
  const std::size_t row = static_cast<std::size_t>(n) + 2, count = static_cast<std::size_t>(n) * n;
  const auto values = std::make_shared<std::vector<float>>(UniformFloats(row * row, 1));
  const auto in = Uploaded(*values);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(n), stream, in->As<float>(), out->As<float>(), n, 0);
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(count, 100'000);
    std::vector<double> wanted;
    for (const std::size_t at : where) {
      float window[kWindow * kWindow];
      for (int i = 0; i < kWindow * kWindow; ++i)
        window[i] = (*values)[(at / n + i / kWindow) * row + at % n + i % kWindow];
      std::nth_element(window, window + 4, window + kWindow * kWindow);
      wanted.push_back(window[4]);
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted);
  };
  return run;
}

}  // namespace

PlantedPair RankFilterArrayPair() {
  const AlikeKernels both("takes the median of 3 x 3 pixels by a sorting network on an array of each thread",
                          "slot index", "kernels/planted/rank_filter_array.cu");
  return {.id = "rank_filter_array",
          .base = both.With("known when compiling", "median_slots_fixed", kFixedLine, ::median_slots_fixed, Config,
                            Make<::median_slots_fixed>),
          .candidate = both.With("an argument", "median_slots_rotated", kRotatedLine, ::median_slots_rotated, Config,
                                 Make<::median_slots_rotated>),
          .sizes = {4096, 8192},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
