// SPDX-License-Identifier: Apache-2.0
// A recursive filter of order 8 over many signals of 64 samples, one thread a signal; the last 8 outputs are in a ring.
// A  ring positions are rotated by an argument, so that the ring is local memory: 9 accesses a sample.
// B  the samples of a signal lie together: a warp's load meets 32 lines.
// Both fill L1. In cycles of an SM per warp and sample: device memory 6 to 8; with A 9 wavefronts of local memory and
// one for the sample; with B 32 tags; both 41. So 7, A 10, B 32, both 41: A is about 18 %.
#include <algorithm>
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kOrder = 8;
constexpr int kSamples = 64;
constexpr int kThreads = 256;

// Of the output j samples ago; the magnitudes add up to 1/2.
__host__ __device__ constexpr float Weight(int j) { return (j % 3 == 0 ? -1.f : 1.f) * static_cast<float>(j) / 72; }

// `x` is sample 0 of this thread's signal; the next is `step` floats on.
__device__ __forceinline__ float Energy(const float* x, std::size_t step, int rotation) {
  float ring[kOrder], energy = 0;
#pragma unroll
  for (int j = 0; j < kOrder; ++j) ring[static_cast<unsigned>(j + rotation) % kOrder] = 0;
#pragma unroll 1
  for (int n = 0; n < kSamples; n += kOrder) {
#pragma unroll
    for (int i = 0; i < kOrder; ++i) {
      float y = x[(n + i) * step];
#pragma unroll
      for (int j = kOrder; j > 0; --j)
        y = fmaf(Weight(j), ring[static_cast<unsigned>(i - j + kOrder + rotation) % kOrder], y);
      ring[static_cast<unsigned>(i + rotation) % kOrder] = y;
      energy = fmaf(y, y, energy);
    }
  }
  return energy;
}

// in: [sample][signal], or [signal][sample] where kRows.
template <bool kRows>
__device__ __forceinline__ void Echo(const float* in, float* out, int signals, int rotation) {
  const std::size_t signal = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  out[signal] = Energy(in + signal * (kRows ? kSamples : 1), kRows ? 1 : signals, rotation);
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) echo_fixed_columns(const float* in, float* out, int n, int) {
  Echo<false>(in, out, n, 0);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    echo_rotated_columns(const float* in, float* out, int n, int rotation) {
  Echo<false>(in, out, n, rotation);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) echo_fixed_rows(const float* in, float* out, int n, int) {
  Echo<true>(in, out, n, 0);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    echo_rotated_rows(const float* in, float* out, int n, int rotation) {
  Echo<true>(in, out, n, rotation);
}

namespace culprit {
namespace {

// n signals, a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel, bool kRows>
PlantedRun Make(int n) {
  constexpr int kRotation = 0;  // what only a compiler that knew it could use
  std::vector<float> in = UniformFloats(static_cast<std::size_t>(n) * kSamples, 1);
  if (kRows) in = Transposed(in, kSamples, n);
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n, kRotation);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t signal) -> Wanted {
    double y[kSamples];
    Wanted w;
    for (int i = 0; i < kSamples; ++i) {
      y[i] = in[kRows ? signal * kSamples + i : static_cast<std::size_t>(i) * n + signal];
      for (int j = 1; j <= std::min(i, kOrder); ++j) y[i] += double{Weight(j)} * y[i - j];
      w.value += y[i] * y[i];
      // |y| stays below 2. A sample rounds kOrder times and each weight once; with weights of 1/2 errors at most
      // double.
      const double error = 2 * 2 * (kOrder + 1) * kFloatUnit * 2;
      w.bound += 2 * std::abs(y[i]) * error + (kSamples + 1) * kFloatUnit * y[i] * y[i];
    }
    return w;
  };
  return PerElementRun(std::move(in), n, 61, launch, wanted);
}

}  // namespace

PlantedMixture EchoRingRowsMixture() {
  const MixedKernels four("filters signals of 64 samples recursively, one thread a signal", "ring positions",
                          "samples of a signal", "kernels/planted/echo_ring_rows.cu");
  return {.id = "echo_ring_rows",
          .base = four.With("fixed", "apart", "echo_fixed_columns", kBaseLine, ::echo_fixed_columns, Config,
                            Make<::echo_fixed_columns, false>),
          .a = four.With("rotated", "apart", "echo_rotated_columns", kALine, ::echo_rotated_columns, Config,
                         Make<::echo_rotated_columns, false>),
          .b = four.With("fixed", "together", "echo_fixed_rows", kBLine, ::echo_fixed_rows, Config,
                         Make<::echo_fixed_rows, true>),
          .both = four.With("rotated", "together", "echo_rotated_rows", kBothLine, ::echo_rotated_rows, Config,
                            Make<::echo_rotated_rows, true>),
          .sizes = {1 << 18, 1 << 20},
          .flop = [](int n) { return 2.0 * (kOrder + 1) * kSamples * n; },
          .min_bytes = [](int n) { return sizeof(float) * static_cast<double>(kSamples + 1) * n; }};
}

}  // namespace culprit
