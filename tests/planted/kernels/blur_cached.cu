// SPDX-License-Identifier: Apache-2.0
// A blur of 5 x 5 pixels with weights, one result per thread and 25 loads for it. Neighbours share most of what they
// load: their loads may find it in L1, or ask L2 each time.
// Limits on an H100: with L1, its 1 to 2 cycles per load of a warp: 26e6 / 32 x 25 x 1.75 / 132 SMs = 0.15 ms at 5120;
// device memory takes 0.07 ms. Without, 4 to 5 sectors per load come from L2: 26e6 / 32 x 25 x 4.5 x 32 bytes = 2.9 GB,
// 0.5 ms or more at 5.5 TB/s.
// Kept apart because ld.global.cg is defined not to look in L1.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kWidth = 32, kHeight = 8;  // of a block
constexpr int kSide = 5;                 // of the window
constexpr int kPad = 32;                 // extra columns of the input, so that rows stay aligned to lines

struct Window {
  float w[kSide * kSide];
};

template <bool kL1>
__device__ float Load(const float* p) {
  return kL1 ? *p : __ldcg(p);
}

// `in` has n + kSide - 1 rows of n + kPad.
template <bool kL1>
__device__ void Blur(const float* in, float* out, int n, const Window& window) {
  const int x = static_cast<int>(blockIdx.x * kWidth + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kHeight + threadIdx.y);
  const float* corner = in + static_cast<std::size_t>(y) * (n + kPad) + x;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSide; ++i)
#pragma unroll
    for (int j = 0; j < kSide; ++j)
      sum = fmaf(window.w[i * kSide + j], Load<kL1>(corner + static_cast<std::size_t>(i) * (n + kPad) + j), sum);
  out[static_cast<std::size_t>(y) * n + x] = sum;
}
}  // namespace

constexpr int kL1Line = __LINE__ + 1;
extern "C" __global__ void blur_loads_l1(const float* in, float* out, int n, Window window) {
  Blur<true>(in, out, n, window);
}
constexpr int kL2Line = __LINE__ + 1;
extern "C" __global__ void blur_loads_l2(const float* in, float* out, int n, Window window) {
  Blur<false>(in, out, n, window);
}

namespace culprit {
namespace {

// n x n results; n is a multiple of a block's width.
LaunchConfig Config(int n) { return {dim3(n / kWidth, n / kHeight), dim3(kWidth, kHeight), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const std::vector<float> weights = UniformFloats(kSide * kSide, 2);
  Window window;
  std::copy(weights.begin(), weights.end(), window.w);
  const auto launch = [n, window](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n, window);
  };
  const auto wanted = [n, window](const std::vector<float>& in, std::size_t at) {
    const std::size_t y = at / n, x = at % n;
    double sum = 0, terms = 0;
    for (int i = 0; i < kSide; ++i)
      for (int j = 0; j < kSide; ++j) {
        const double term = static_cast<double>(window.w[i * kSide + j]) * in[(y + i) * (n + kPad) + x + j];
        sum += term;
        terms += std::abs(term);
      }
    return Wanted{sum, kSide * kSide * kFloatUnit * terms};
  };
  const std::size_t pixels = static_cast<std::size_t>(n + kSide - 1) * (n + kPad);
  return PerElementRun(UniformFloats(pixels, 1), static_cast<std::size_t>(n) * n, 31, launch, wanted);
}

}  // namespace

PlantedPair BlurCachedPair() {
  const AlikeKernels both("blurs an image with a window of 5 x 5, loading each pixel of it", "loads look in",
                          "kernels/planted/blur_cached.cu");
  return {.id = "blur_cached",
          .base = both.With("L1 and L2", "blur_loads_l1", kL1Line, ::blur_loads_l1, Config, Make<::blur_loads_l1>),
          .candidate = both.With("L2", "blur_loads_l2", kL2Line, ::blur_loads_l2, Config, Make<::blur_loads_l2>),
          .sizes = {2560, 5120},
          .flop = [](int n) { return 2.0 * kSide * kSide * n * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
