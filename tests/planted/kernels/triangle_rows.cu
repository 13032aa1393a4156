// SPDX-License-Identifier: Apache-2.0
// Row sums of a triangular matrix of pair terms that are computed, not stored: row i has i + 1 terms of some 8 FMAs,
// one warp per row, at the FMA limit. One block of 32 warps on each of 132 SMs. Dealt out, all blocks have the same
// work; with consecutive rows the last block has almost twice the mean and the SMs wait for it.
#include <cmath>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kLanes = 32;
constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / kLanes;
constexpr int kBlocks = 132;  // the SMs of an H100 SXM

// A smooth function of the squared distance, 0 <= s < 4: the series of exp(-s / 4).
template <class Real>
__host__ __device__ Real PairTerm(Real s) {
  Real t = Real(0.25) * s, y = Real(-1.0 / 5040);
  y = y * t + Real(1.0 / 720);
  y = y * t - Real(1.0 / 120);
  y = y * t + Real(1.0 / 24);
  y = y * t - Real(1.0 / 6);
  y = y * t + Real(0.5);
  y = y * t - Real(1);
  return y * t + Real(1);
}

// n = 132 blocks * rows of a block; those are a multiple of 64. Warps take a block's rows to and fro, so that within a
// block each has the same work whichever rows they are.
template <bool kDealt>
__device__ void SumRows(const float* x, float* out, int n) {
  const int rows = n / kBlocks;
  const int block = static_cast<int>(blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x) / kLanes, lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int round = 0; round < rows / kWarps; ++round) {
    const int local = round * kWarps + (round % 2 == 0 ? warp : kWarps - 1 - warp);
    const int row = kDealt ? local * kBlocks + block : block * rows + local;
    const float at = x[row];
    float sum = 0;
#pragma unroll 4
    for (int j = lane; j <= row; j += kLanes) {
      const float distance = at - x[j];
      sum += PairTerm(distance * distance);
    }
    sum = culprit::WarpSum(sum);
    if (lane == 0) out[row] = sum;
  }
}
}  // namespace

constexpr int kDealtLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) triangle_rows_dealt(const float* x, float* out, int n) {
  SumRows<true>(x, out, n);
}
constexpr int kConsecutiveLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) triangle_rows_consecutive(const float* x, float* out, int n) {
  SumRows<false>(x, out, n);
}

namespace culprit {
namespace {

LaunchConfig Config(int) { return {dim3(kBlocks), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n);
  };
  const auto wanted = [](const std::vector<float>& x, std::size_t row) -> Wanted {
    Wanted w;
    for (std::size_t j = 0; j <= row; ++j) {
      const double distance = static_cast<double>(x[row]) - x[j];
      w.value += PairTerm(distance * distance);
    }
    // A lane adds row / 32 terms one after the other, then 5 partial sums; a term (between 1/3 and 1) has some 10
    // roundings of values up to 1 behind it.
    const double terms = static_cast<double>(row) + 1;
    w.bound = (terms / kLanes + 5 + 3 * 10) * kFloatUnit * terms;
    return w;
  };
  return PerElementRun(UniformFloats(n, 1), n, 37, launch, wanted);
}

}  // namespace

PlantedPair TriangleRowsPair() {
  const AlikeKernels both("sums the rows of a triangle of pair terms, one warp per row", "rows of a block",
                          "kernels/planted/triangle_rows.cu");
  return {.id = "triangle_rows",
          .base = both.With("every 132nd", "triangle_rows_dealt", kDealtLine, ::triangle_rows_dealt, Config,
                            Make<::triangle_rows_dealt>),
          .candidate = both.With("consecutive", "triangle_rows_consecutive", kConsecutiveLine,
                                 ::triangle_rows_consecutive, Config, Make<::triangle_rows_consecutive>),
          .sizes = {128 * kBlocks, 256 * kBlocks},
          .flop = [](int n) { return 18.0 * n * (n + 1.0) / 2; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
