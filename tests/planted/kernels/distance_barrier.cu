// SPDX-License-Identifier: Apache-2.0
// Sum of distances of 2 points a thread to 4096 references in shared memory. A block has an SM to itself, 32 warps.
// Barrier after each tile of references: a load and 4 additions a step, about 42 issue slots of the 8 warps of a
// quarter of an SM. Barrier after each reference: all 32 warps meet each step, and nobody issues meanwhile, about 90.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kReferences = 4096;
constexpr int kPoints = 2;
constexpr int kThreads = 1024;
// More than half of an SM's 227 KB: no second block, whose warps would issue while those of the first wait.
constexpr std::size_t kSharedBytes = 120 * 1024;

// `kBarrierEvery` references. The next one is loaded before the barrier, so that its latency is not added to it.
template <int kBarrierEvery>
__device__ __forceinline__ void Distances(const float* references, const float* x, float* out, int count) {
  extern __shared__ float shared[];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kReferences; i += kThreads) shared[i] = references[i];
  if (thread == 0) shared[kReferences] = 0;  // loaded in advance by the last step, never used
  __syncthreads();
  // Volatile: in both one load of 4 bytes for each reference.
  const volatile float* reference = shared;
  const int first = static_cast<int>(blockIdx.x) * kThreads + thread, apart = count / kPoints;
  float point[kPoints], sum[kPoints] = {};
#pragma unroll
  for (int p = 0; p < kPoints; ++p) point[p] = x[first + p * apart];
  float next = reference[0];
#pragma unroll 8
  for (int i = 0; i < kReferences; ++i) {
    const float now = next;
    next = reference[i + 1];
#pragma unroll
    for (int p = 0; p < kPoints; ++p) sum[p] += fabsf(point[p] - now);
    if ((i + 1) % kBarrierEvery == 0) __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < kPoints; ++p) out[first + p * apart] = sum[p];
}
}  // namespace

constexpr int kTileLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    distance_barrier_tile(const float* references, const float* x, float* out, int count) {
  Distances<kReferences>(references, x, out, count);
}
constexpr int kStepLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    distance_barrier_step(const float* references, const float* x, float* out, int count) {
  Distances<1>(references, x, out, count);
}

namespace culprit {
namespace {

// `blocks` blocks of 2048 points.
LaunchConfig Config(int blocks) { return {dim3(static_cast<unsigned>(blocks)), dim3(kThreads), kSharedBytes}; }

template <auto* kKernel>
PlantedRun Make(int blocks) {
  const int count = blocks * kThreads * kPoints;
  const auto r = std::make_shared<std::vector<float>>(UniformFloats(kReferences, 1));
  const auto x = std::make_shared<std::vector<float>>(UniformFloats(count, 2));
  const auto references = Uploaded(*r), points = Uploaded(*x);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(blocks), stream, references->As<float>(), points->As<float>(), out->As<float>(),
                   count);
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(count, 20'000);
    std::vector<double> wanted, bound;
    for (const std::size_t at : where) {
      double sum = 0;
      for (const float reference : *r) sum += std::abs(double{(*x)[at]} - reference);
      wanted.push_back(sum);
      bound.push_back((kReferences + 1) * kFloatUnit * sum);  // no term is negative: n additions and a difference each
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair DistanceBarrierPair() {
  const AlikeKernels both("sums the distances of each point to 4096 references in shared memory", "barrier",
                          "kernels/planted/distance_barrier.cu");
  return {.id = "distance_barrier",
          .base = both.With("after the tile", "distance_barrier_tile", kTileLine, ::distance_barrier_tile, Config,
                            Make<::distance_barrier_tile>),
          .candidate = both.With("after each reference", "distance_barrier_step", kStepLine, ::distance_barrier_step,
                                 Config, Make<::distance_barrier_step>),
          .sizes = {264, 792},
          .flop = [](int blocks) { return 2.0 * kReferences * kPoints * kThreads * blocks; },
          .min_bytes = [](int blocks) { return 2.0 * sizeof(float) * kPoints * kThreads * blocks; }};
}

}  // namespace culprit
