// SPDX-License-Identifier: Apache-2.0
// A filter of 64 taps that keeps every fourth result. Result i needs samples 4 i ... 4 i + 63: of a signal stored as it
// was sampled, or stored as its four phases one after the other.
// Limits on an H100: L1 in both, one load per FMA. Phases: a warp's 32 samples are 128 bytes in one or two lines, 1 to
// 2 cycles; interleaved: 512 bytes in four or five lines, 4 to 5 cycles. 8e6 / 32 warps x 64 loads / 132 SMs: 0.1 to
// 0.15 ms against 0.3 to 0.35 ms; device memory takes 0.05 ms, the FMAs 0.02 ms. Kept apart because the layout is the
// input's; the signal is only known to be aligned to 4 bytes, so each load takes one.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kKeep = 4;  // one result of so many
constexpr int kTaps = 64;

struct Taps {
  float w[kTaps];
};

// Where sample kKeep * i + k lies; n results need kKeep * (n + kTaps / kKeep) samples.
template <bool kPhases>
__host__ __device__ std::size_t At(std::size_t i, int k, std::size_t n) {
  return kPhases ? (k % kKeep) * (n + kTaps / kKeep) + i + k / kKeep : i * kKeep + k;
}

template <bool kPhases>
__device__ void Decimate(const float* in, float* out, int n, const Taps& taps) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kTaps; ++k) sum = fmaf(taps.w[k], in[At<kPhases>(i, k, n)], sum);
  out[i] = sum;
}
}  // namespace

constexpr int kPhasesLine = __LINE__ + 1;
extern "C" __global__ void decimate_by_phase(const float* in, float* out, int n, Taps taps) {
  Decimate<true>(in, out, n, taps);
}
constexpr int kInterleavedLine = __LINE__ + 1;
extern "C" __global__ void decimate_interleaved(const float* in, float* out, int n, Taps taps) {
  Decimate<false>(in, out, n, taps);
}

namespace culprit {
namespace {

// n results, a multiple of a block's threads.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <bool kPhases>
std::vector<float> Signal(std::size_t n) {
  const std::vector<float> sampled = UniformFloats(kKeep * n + kTaps, 1);
  std::vector<float> stored(sampled.size());
  for (std::size_t i = 0; i < n + kTaps / kKeep; ++i)
    for (int k = 0; k < kKeep; ++k) stored[At<kPhases>(i, k, n)] = sampled[i * kKeep + k];
  return stored;
}

template <auto* kKernel, bool kPhases>
PlantedRun Make(int n) {
  const std::vector<float> weights = UniformFloats(kTaps, 2);
  Taps taps;
  std::copy(weights.begin(), weights.end(), taps.w);
  const auto launch = [n, taps](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n, taps);
  };
  const auto wanted = [n, taps](const std::vector<float>& in, std::size_t i) {
    double sum = 0, terms = 0;
    for (int k = 0; k < kTaps; ++k) {
      const double term = static_cast<double>(taps.w[k]) * in[At<kPhases>(i, k, n)];
      sum += term;
      terms += std::abs(term);
    }
    return Wanted{sum, kTaps * kFloatUnit * terms};
  };
  return PerElementRun(Signal<kPhases>(n), n, 31, launch, wanted);
}

}  // namespace

PlantedPair DecimatePhasesPair() {
  const AlikeKernels both("filters a signal with 64 taps and keeps every fourth result", "layout",
                          "kernels/planted/decimate_phases.cu");
  return {.id = "decimate_phases",
          .base = both.With("four phases", "decimate_by_phase", kPhasesLine, ::decimate_by_phase, Config,
                            Make<::decimate_by_phase, true>),
          .candidate = both.With("interleaved", "decimate_interleaved", kInterleavedLine, ::decimate_interleaved,
                                 Config, Make<::decimate_interleaved, false>),
          .sizes = {4 << 20, 8 << 20},
          .flop = [](int n) { return 2.0 * kTaps * n; },
          .min_bytes = [](int n) { return (kKeep + 1.0) * sizeof(float) * n; }};
}

}  // namespace culprit
