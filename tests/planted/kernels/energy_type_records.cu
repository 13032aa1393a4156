// SPDX-License-Identifier: Apache-2.0
// A potential of 96 terms of each particle's place, two fields of eight.
// A  the series in double precision.
// B  the eight fields of a particle lie together, in a sector of which 8 bytes are used.
// In ps a particle on an H200: device memory 2.9 (12 bytes), with B 8.6 (36 bytes); arithmetic 3.3, with A 6.7 of the
// FP64 pipe. The two overlap, so the larger rules: 3.3, A 6.7, B 8.6, both a little more than B. A's share of both is
// about a third: alone it costs half of what both do, beside B next to nothing.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kFields = 8;
constexpr int kX = 0, kY = 5;  // the fields used; not neighbours, which one load could fetch
constexpr int kTerms = 96;

// Numbers in [-7/8, 7/8] that single precision holds exactly.
__host__ __device__ constexpr float Coefficient(int k) { return static_cast<float>((k * 37 + 11) % 29 - 14) / 16; }

// in: kFields numbers for each of n particles.
template <class Real, bool kRecords>
__device__ __forceinline__ void Energy(const float* in, float* out, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const Real x = in[kRecords ? i * kFields + kX : static_cast<std::size_t>(kX) * n + i];
  const Real y = in[kRecords ? i * kFields + kY : static_cast<std::size_t>(kY) * n + i];
  const Real s = (x * x + y * y) * static_cast<Real>(0.25);
  Real sum = Coefficient(kTerms - 1);
#pragma unroll
  for (int k = kTerms - 2; k >= 0; --k) sum = sum * s + static_cast<Real>(Coefficient(k));
  out[i] = static_cast<float>(sum);
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) energy_float_arrays(const float* in, float* out, int n) {
  Energy<float, false>(in, out, n);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) energy_double_arrays(const float* in, float* out, int n) {
  Energy<double, false>(in, out, n);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) energy_float_records(const float* in, float* out, int n) {
  Energy<float, true>(in, out, n);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) energy_double_records(const float* in, float* out, int n) {
  Energy<double, true>(in, out, n);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel, bool kRecords>
PlantedRun Make(int n) {
  std::vector<float> in = UniformFloats(static_cast<std::size_t>(n) * kFields, 1);  // an array a field
  if (kRecords) in = Transposed(in, kFields, n);
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) -> Wanted {
    const double x = in[kRecords ? i * kFields + kX : static_cast<std::size_t>(kX) * n + i];
    const double y = in[kRecords ? i * kFields + kY : static_cast<std::size_t>(kY) * n + i];
    const double s = (x * x + y * y) * 0.25;
    Wanted w;
    double power = 1;
    for (int k = 0; k < kTerms; ++k) {
      const double term = Coefficient(k) * power;
      w.value += term;
      // Horner's rule: 2 kTerms roundings behind each term at most, and s itself has 3.
      w.bound += (2 * kTerms + 3 * k) * kFloatUnit * std::abs(term);
      power *= s;
    }
    return w;
  };
  return PerElementRun(std::move(in), n, 61, launch, wanted);
}

}  // namespace

PlantedMixture EnergyTypeRecordsMixture() {
  const MixedKernels four("evaluates a potential of 96 terms of each particle's place", "arithmetic", "layout",
                          "kernels/planted/energy_type_records.cu");
  return {.id = "energy_type_records",
          .base = four.With("float", "arrays", "energy_float_arrays", kBaseLine, ::energy_float_arrays, Config,
                            Make<::energy_float_arrays, false>),
          .a = four.With("double", "arrays", "energy_double_arrays", kALine, ::energy_double_arrays, Config,
                         Make<::energy_double_arrays, false>),
          .b = four.With("float", "records", "energy_float_records", kBLine, ::energy_float_records, Config,
                         Make<::energy_float_records, true>),
          .both = four.With("double", "records", "energy_double_records", kBothLine, ::energy_double_records, Config,
                            Make<::energy_double_records, true>),
          .sizes = {1 << 22, 1 << 24},
          .flop = [](int n) { return (2.0 * kTerms + 2) * n; },
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
