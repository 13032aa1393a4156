// SPDX-License-Identifier: Apache-2.0
// 0.3 x + 0.7, four values a thread; the literals have their suffix, or the map is computed in double precision.
// Limits on an H100: device memory, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi, that is 12 to 17 cycles of an SM a
// warp's values. In double precision they take half a cycle of the FP64 pipes and 4 of conversions.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;

template <class Number>
__device__ __forceinline__ float Level(float x) {
  return static_cast<float>(Number(0.3) * Number{x} + Number(0.7));
}

template <class Number>
__device__ __forceinline__ void LevelFour(const float4* in, float4* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float4 x = in[i];
  out[i] = {Level<Number>(x.x), Level<Number>(x.y), Level<Number>(x.z), Level<Number>(x.w)};
}
}  // namespace

constexpr int kFloatLine = __LINE__ + 1;
extern "C" __global__ void level_float_literals(const float4* in, float4* out) { LevelFour<float>(in, out); }
constexpr int kDoubleLine = __LINE__ + 1;
extern "C" __global__ void level_double_literals(const float4* in, float4* out) { LevelFour<double>(in, out); }

namespace culprit {
namespace {

// n values, a multiple of what a block takes.
LaunchConfig Config(int n) { return {dim3(n / (4 * kThreads)), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  // Both literals round, and so does the map, of a value below 1.
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) { return {0.3 * in[i] + 0.7, 3 * kFloatUnit}; }
};

}  // namespace

PlantedPair LevelLiteralPair() {
  const AlikeKernels both("scales and shifts values", "literals", "kernels/planted/level_literal.cu");
  return {
      .id = "level_literal",
      .base = ElementsKernel<Job, ::level_float_literals, Config>(both, "float", "level_float_literals", kFloatLine),
      .candidate =
          ElementsKernel<Job, ::level_double_literals, Config>(both, "double", "level_double_literals", kDoubleLine),
      .sizes = {16 << 20, 32 << 20},
      .flop = [](int n) { return 2.0 * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
