// SPDX-License-Identifier: Apache-2.0
// Eight polynomials of degree 64 in each thread, of which the input picks one. It is picked by comparisons, or lies in
// an array that is written once and read once, rotated by a number that only the launch knows.
// Limits on an H100: the FMA pipe, 520 instructions of a cycle a warp and sub-partition: 131072 warps / 528 x 520
// cycles = 0.07 ms at 4 Mi threads. The array is local memory: 8 stores and a load over as many lines, some 20 cycles
// of L1 a warp, 80 while the four sub-partitions compute 520.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kCurves = 8;
constexpr int kDegree = 64;

// Of curve `c`, the coefficient is the same for each power: 1/2 + c/16.
__host__ __device__ float Coefficient(int curve) { return 0.5f + 0.0625f * static_cast<float>(curve); }

// Which curve `x` in [-1, 1) picks.
__host__ __device__ int CurveOf(float x) { return static_cast<int>((x + 1) * (kCurves / 2)); }

template <bool kArray>
__device__ void Pick(const float* in, float* out, int rotation) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float x = in[i], half = 0.5f * x;
  float y[kCurves] = {};
#pragma unroll 4
  for (int power = 0; power <= kDegree; ++power)
#pragma unroll
    for (int c = 0; c < kCurves; ++c) y[c] = fmaf(y[c], half, Coefficient(c));
  const int curve = CurveOf(x);
  if (kArray) {
    float curves[kCurves];
#pragma unroll
    for (int c = 0; c < kCurves; ++c) curves[(c + rotation) % kCurves] = y[c];
    out[i] = curves[(curve + rotation) % kCurves];
  } else {
    float picked = y[0];
#pragma unroll
    for (int c = 1; c < kCurves; ++c) picked = curve == c ? y[c] : picked;
    out[i] = picked;
  }
}
}  // namespace

constexpr int kComparisonsLine = __LINE__ + 1;
extern "C" __global__ void pick_by_comparisons(const float* in, float* out, int n) { Pick<false>(in, out, n); }
constexpr int kArrayLine = __LINE__ + 1;
extern "C" __global__ void pick_from_array(const float* in, float* out, int n) { Pick<true>(in, out, n); }

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 31;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const double half = 0.5 * in[i], coefficient = Coefficient(CurveOf(in[i]));
    double y = 0;
    for (int power = 0; power <= kDegree; ++power) y = y * half + coefficient;
    return {y, 4 * 2 * kFloatUnit};  // below 2; a step rounds once and halves the errors before it at least
  }
};

}  // namespace

PlantedPair PickArrayPair() {
  const AlikeKernels both("evaluates eight polynomials and picks one", "picked", "kernels/planted/pick_array.cu");
  return {
      .id = "pick_array",
      .base = ElementsKernel<Job, ::pick_by_comparisons, Config>(both, "by comparisons", "pick_by_comparisons",
                                                                 kComparisonsLine),
      .candidate = ElementsKernel<Job, ::pick_from_array, Config>(both, "from an array", "pick_from_array", kArrayLine),
      .sizes = {2 << 20, 4 << 20},
      .flop = [](int n) { return 2.0 * kCurves * (kDegree + 1) * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
