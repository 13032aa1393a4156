// SPDX-License-Identifier: Apache-2.0
// Energy of a signal under 3 filters of 17 taps, one output a thread, from a tile of shared memory.
// Window in registers: 17 loads and 51 FMA an output, so about 95 issue slots a warp; device memory takes 70 cycles.
// Window read for each filter: 51 loads of 4 cycles of a quarter of an SM, 204 cycles. Reads are volatile in both.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kTaps = 17;
constexpr int kFilters = 3;
constexpr int kThreads = 256;

// Taps that differ from each other and sum to less than 1 in absolute value: n / 512 with n in 2..26.
__host__ __device__ constexpr float Tap(int filter, int k) {
  return static_cast<float>((k * (2 * filter + 3) + 5 * filter) % 23 + 2 + filter) *
         (k % (filter + 2) == 0 ? -1.f : 1.f) / 512.f;
}

// out[i] = sum over filters f of (sum over k of Tap(f, k) in[i + k])^2
template <bool kOnce>
__device__ __forceinline__ void Energy(const float* in, float* out) {
  __shared__ float shared[kThreads + kTaps - 1];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads;
  shared[thread] = in[first + thread];
  if (thread < kTaps - 1) shared[kThreads + thread] = in[first + kThreads + thread];
  __syncthreads();
  const volatile float* tile = shared + thread;
  float window[kTaps];
  if (kOnce) {
#pragma unroll
    for (int k = 0; k < kTaps; ++k) window[k] = tile[k];
  }
  float energy = 0;
#pragma unroll
  for (int f = 0; f < kFilters; ++f) {
    float response = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) response += Tap(f, k) * (kOnce ? window[k] : tile[k]);
    energy += response * response;
  }
  out[first + thread] = energy;
}
}  // namespace

constexpr int kOnceLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) filter_energy_window(const float* in, float* out) {
  Energy<true>(in, out);
}
constexpr int kRereadLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) filter_energy_reread(const float* in, float* out) {
  Energy<false>(in, out);
}

namespace culprit {
namespace {

// `count` is a multiple of the block.
LaunchConfig Config(int count) { return {dim3(static_cast<unsigned>(count) / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int count) {
  const auto values =
      std::make_shared<std::vector<float>>(UniformFloats(static_cast<std::size_t>(count) + kTaps - 1, 1));
  const auto in = Uploaded(*values);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(count), stream, in->As<float>(), out->As<float>());
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(count, 100'000);
    std::vector<double> wanted, bound;
    for (const std::size_t at : where) {
      double energy = 0, allowed = 0;
      for (int f = 0; f < kFilters; ++f) {
        double response = 0, magnitude = 0;
        for (int k = 0; k < kTaps; ++k) {
          response += double{Tap(f, k)} * (*values)[at + k];
          magnitude += std::abs(double{Tap(f, k)} * (*values)[at + k]);
        }
        energy += response * response;
        allowed += 2 * magnitude * (kTaps + 1) * magnitude;  // |a^2 - b^2| <= |a - b| (|a| + |b|)
      }
      wanted.push_back(energy);
      bound.push_back((allowed + (kFilters + 1) * energy) * 0x1.01p-24);
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair FilterEnergyTapsPair() {
  const AlikeKernels both("sums the energy of a signal under 3 filters of 17 taps from a tile of shared memory",
                          "window read", "kernels/planted/filter_energy_taps.cu");
  return {.id = "filter_energy_taps",
          .base = both.With("once for 3 filters", "filter_energy_window", kOnceLine, ::filter_energy_window, Config,
                            Make<::filter_energy_window>),
          .candidate = both.With("for each filter", "filter_energy_reread", kRereadLine, ::filter_energy_reread, Config,
                                 Make<::filter_energy_reread>),
          .sizes = {1 << 24, 1 << 26},
          .flop = [](int count) { return 2.0 * kFilters * (kTaps + 1) * count; },
          .min_bytes = [](int count) { return 2.0 * sizeof(float) * count; }};
}

}  // namespace culprit
