// SPDX-License-Identifier: Apache-2.0
// The spectra of signals of 256 samples, two of 256 frequencies per thread: a sample costs 6 operations per frequency
// (a rotation and two sums). In single precision they run at the FMA limit. In double precision they are 24 cycles of
// the FP64 pipe per sample, warp and sub-partition where the FMA pipe took 12; converting the sample adds 8 elsewhere.
#include <cmath>
#include <numbers>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 128;
constexpr int kSamples = 256;  // and frequencies
constexpr int kPerThread = 2;  // frequencies, kThreads apart
static_assert(kThreads * kPerThread == kSamples);

// turns: cosine and sine of each frequency's angle per sample. out: for each signal all real parts, then all imaginary.
template <class Real>
__device__ void Transform(const float2* turns, const float* in, float* out) {
  __shared__ float samples[kSamples];
  const int t = static_cast<int>(threadIdx.x);
  const float* signal = in + static_cast<std::size_t>(blockIdx.x) * kSamples;
  for (int i = t; i < kSamples; i += kThreads) samples[i] = signal[i];
  __syncthreads();
  Real wr[kPerThread], wi[kPerThread], zr[kPerThread], zi[kPerThread], re[kPerThread], im[kPerThread];
#pragma unroll
  for (int f = 0; f < kPerThread; ++f) {
    const float2 turn = turns[t + f * kThreads];
    wr[f] = turn.x, wi[f] = turn.y, zr[f] = 1, zi[f] = 0, re[f] = 0, im[f] = 0;
  }
#pragma unroll 8
  for (int j = 0; j < kSamples; ++j) {
    const Real x = samples[j];
#pragma unroll
    for (int f = 0; f < kPerThread; ++f) {
      re[f] += x * zr[f];
      im[f] += x * zi[f];
      const Real turned = zr[f] * wr[f] - zi[f] * wi[f];
      zi[f] = zr[f] * wi[f] + zi[f] * wr[f];
      zr[f] = turned;
    }
  }
  float* spectrum = out + static_cast<std::size_t>(blockIdx.x) * 2 * kSamples;
#pragma unroll
  for (int f = 0; f < kPerThread; ++f) {
    spectrum[t + f * kThreads] = static_cast<float>(re[f]);
    spectrum[kSamples + t + f * kThreads] = static_cast<float>(im[f]);
  }
}
}  // namespace

constexpr int kFloatLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) fourier_float(const float2* turns, const float* in, float* out) {
  Transform<float>(turns, in, out);
}
constexpr int kDoubleLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    fourier_double(const float2* turns, const float* in, float* out) {
  Transform<double>(turns, in, out);
}

namespace culprit {
namespace {

LaunchConfig Config(int signals) { return {dim3(signals), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int signals) {
  std::vector<float> turns(2 * kSamples);
  for (int f = 0; f < kSamples; ++f) {
    const double angle = 2 * std::numbers::pi * f / kSamples;
    turns[2 * f] = static_cast<float>(std::cos(angle));
    turns[2 * f + 1] = static_cast<float>(std::sin(angle));
  }
  const auto device_turns = Uploaded(turns);
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(signals), stream, device_turns->As<float2>(), in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    const float* signal = in.data() + i / (2 * kSamples) * kSamples;
    const std::size_t frequency = i % kSamples;
    const bool imaginary = i % (2 * kSamples) >= kSamples;
    Wanted w;
    for (std::size_t j = 0; j < kSamples; ++j) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(frequency * j % kSamples) / kSamples;
      w.value += signal[j] * (imaginary ? std::sin(angle) : std::cos(angle));
      // A complex product rounds to sqrt(5) units (Brent, Percival and Zimmermann, "Error bounds on complex
      // floating-point multiplication", 2007) and the turn itself to one: 4 units per rotation, j of them; and a sum's
      // rounding for each sample.
      w.bound += (4.0 * static_cast<double>(j) + kSamples) * kFloatUnit * std::abs(signal[j]);
    }
    return w;
  };
  const std::size_t samples = static_cast<std::size_t>(signals) * kSamples;
  return PerElementRun(UniformFloats(samples, 1), 2 * samples, 211, launch, wanted);
}

}  // namespace

PlantedPair FourierTypePair() {
  const AlikeKernels both("transforms signals of 256 samples by rotating a phasor per frequency", "arithmetic",
                          "kernels/planted/fourier_type.cu");
  return {
      .id = "fourier_type",
      .base = both.With("float", "fourier_float", kFloatLine, ::fourier_float, Config, Make<::fourier_float>),
      .candidate = both.With("double", "fourier_double", kDoubleLine, ::fourier_double, Config, Make<::fourier_double>),
      .sizes = {4096, 16384},
      .flop = nullptr,
      .min_bytes = [](int n) { return 3.0 * sizeof(float) * kSamples * n; }};
}

}  // namespace culprit
