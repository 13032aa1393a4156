// SPDX-License-Identifier: Apache-2.0
// Diagonals of 1 to 64 cells, each walked by a warp cell after cell; a block has 8 warps and all 64 diagonals. A warp
// takes every eighth diagonal, or eight neighbours.
// Limits on an H100 with 16 warps an SM, which both reserve shared memory for: a cell is 16 dependent FMAs, 64 cycles
// and more. Every eighth: 232 to 288 cells a warp. Neighbours: 36 to 484, and the block lasts as long as its last
// warp. 1.6 to 1.7 times as long.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kLanes = 32;
constexpr int kWarps = kThreads / kLanes;
constexpr int kDiagonals = 64;
constexpr int kPerWarp = kDiagonals / kWarps;
constexpr int kSteps = 16;
constexpr float kFactor = 0.96875f, kGain = 0.03125f;
// Two blocks of this fill an SM's shared memory.
constexpr int kReservedBytes = 112 * 1024;

template <bool kDealt>
__device__ void Walk(const float* in, float* out) {
  const int warp = static_cast<int>(threadIdx.x) / kLanes, lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * (kDiagonals * kLanes) + lane;
#pragma unroll 1
  for (int i = 0; i < kPerWarp; ++i) {
    const int diagonal = kDealt ? i * kWarps + warp : warp * kPerWarp + i;
    const float start = in[first + diagonal * kLanes];
    float score = start;
#pragma unroll 1
    for (int cell = 0; cell <= diagonal; ++cell)
#pragma unroll
      for (int step = 0; step < kSteps; ++step) score = fmaf(score, kFactor, kGain * start);
    out[first + diagonal * kLanes] = score;
  }
}
}  // namespace

constexpr int kDealtLine = __LINE__ + 1;
extern "C" __global__ void diagonal_every_eighth(const float* in, float* out) { Walk<true>(in, out); }
constexpr int kNeighboursLine = __LINE__ + 1;
extern "C" __global__ void diagonal_eight_neighbours(const float* in, float* out) { Walk<false>(in, out); }

namespace culprit {
namespace {

LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), kReservedBytes}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int blocks) {
    return UniformFloats(static_cast<std::size_t>(blocks) * kDiagonals * kLanes, 1);
  }
  static std::size_t Outputs(int blocks) { return static_cast<std::size_t>(blocks) * kDiagonals * kLanes; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    double score = in[i];
    for (std::size_t step = 0; step < (i / kLanes % kDiagonals + 1) * kSteps; ++step)
      score = score * kFactor + double{kGain} * in[i];
    return {score, 2 * 32 * kFloatUnit};  // a step rounds once, below 1, and 1/32 of what was there goes
  }
};

}  // namespace

PlantedPair DiagonalSharePair() {
  const AlikeKernels both("walks diagonals of 1 to 64 cells, a warp each", "diagonals of a warp",
                          "kernels/planted/diagonal_share.cu");
  return {.id = "diagonal_share",
          .base = ElementsKernel<Job, ::diagonal_every_eighth, Config>(both, "every eighth", "diagonal_every_eighth",
                                                                       kDealtLine),
          .candidate = ElementsKernel<Job, ::diagonal_eight_neighbours, Config>(
              both, "eight neighbours", "diagonal_eight_neighbours", kNeighboursLine),
          .sizes = {1056, 4224},
          .flop = nullptr,
          .min_bytes = [](int blocks) { return 2.0 * sizeof(float) * kDiagonals * kLanes * blocks; }};
}

}  // namespace culprit
