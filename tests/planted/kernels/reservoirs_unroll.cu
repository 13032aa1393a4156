// SPDX-License-Identifier: Apache-2.0
// Pairs of coupled reservoirs, 4096 steps of 3 instructions per pass and 1 to 3 passes. Unrolled 16 times a pass is a
// loop of 1 KB at the FMA limit. Unrolled whole it is 196 KB of code, more than the 128 KB instruction cache of an SM
// holds; blocks that start at different times run through different parts of it, and instructions come from L2.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kSteps = 4096;  // of a pass
constexpr float kOut = 0.0001220703125f, kIn = 0.00006103515625f;
constexpr int kStepBytes = 3 * 16;  // of code: three instructions of 16 bytes
static_assert(kSteps * kStepBytes > 128 * 1024, "a pass unrolled whole must exceed the instruction cache");

__host__ __device__ constexpr int PassesOf(unsigned block) {
  return 1 + static_cast<int>((block * 2654435761u >> 16) % 3);
}

template <int kUnroll>
__device__ void Exchange(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float u = in[i], v = in[n + i];
  const int passes = PassesOf(blockIdx.x);
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll kUnroll
    for (int step = 0; step < kSteps; ++step) {
      const float head = v - u;
      u = fmaf(kIn, head, u);
      v = fmaf(-kOut, head, v);
    }
  }
  out[i] = u - v;
}
}  // namespace

constexpr int kPartLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) reservoirs_unrolled_16(const float* in, float* out, int n) {
  Exchange<16>(in, out, n);
}
constexpr int kWholeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) reservoirs_unrolled_4096(const float* in, float* out, int n) {
  Exchange<kSteps>(in, out, n);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    const int steps = kSteps * PassesOf(static_cast<unsigned>(i / kThreads));
    double u = in[i], v = in[in.size() / 2 + i];
    for (int step = 0; step < steps; ++step) {
      const double head = v - u;
      u += kIn * head;
      v -= kOut * head;
    }
    // Each step is an average of u and v, so no deviation grows; it rounds both once at values below 1, and the small
    // exchange between them with 2^-13 of that.
    return {u - v, (2 * steps * 1.01 + 2) * kFloatUnit};
  };
  return PerElementRun(UniformFloats(2 * static_cast<std::size_t>(n), 1), n, 101, launch, wanted);
}

}  // namespace

PlantedPair ReservoirsUnrollPair() {
  const AlikeKernels both("exchanges between pairs of reservoirs, 4096 steps a pass", "steps unrolled",
                          "kernels/planted/reservoirs_unroll.cu");
  return {.id = "reservoirs_unroll",
          .base = both.With("16", "reservoirs_unrolled_16", kPartLine, ::reservoirs_unrolled_16, Config,
                            Make<::reservoirs_unrolled_16>),
          .candidate = both.With("4096", "reservoirs_unrolled_4096", kWholeLine, ::reservoirs_unrolled_4096, Config,
                                 Make<::reservoirs_unrolled_4096>),
          .sizes = {1 << 19, 1 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
