// SPDX-License-Identifier: Apache-2.0
// Sums of 4096 floats by a tree in shared memory. At each level both kernels have the same lanes at work.
// Adjacent operands: about 400 wavefronts a tile, so 16 KB from device memory take longer, 1100 cycles of an SM.
// Operands 2, 4, 8 ... apart: each of the first five levels takes 384 wavefronts, 2200 in all, of one cycle each.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kTile = 4096;
constexpr int kThreads = 256;
constexpr int kWarp = 32;

// Where the sums of a level lie: packed at the front, or in the place of their left operand.
enum class Sums { kPacked, kInPlace };

template <Sums kSums>
__device__ void TreeSum(const float4* in, float* out) {
  __shared__ float4 quads[kTile / 4];
  float* tile = reinterpret_cast<float*>(quads);
  const int thread = static_cast<int>(threadIdx.x);
  in += static_cast<std::size_t>(blockIdx.x) * (kTile / 4);
  for (int i = thread; i < kTile / 4; i += kThreads) quads[i] = in[i];
  __syncthreads();
  int distance = 1;
  // Rolled, so that both kernels compute the distance at run time.
#pragma unroll 1
  for (int sums = kTile / 2; sums >= kWarp; sums /= 2) {
    const int offset = kSums == Sums::kPacked ? sums : distance;
    if (kSums == Sums::kInPlace) distance *= 2;
    for (int i = thread; i < sums; i += kThreads) tile[i * distance] += tile[i * distance + offset];
    __syncthreads();
  }
  if (thread >= kWarp) return;
  const float sum = culprit::WarpSum(tile[thread * distance]);
  if (thread == 0) out[blockIdx.x] = sum;
}
}  // namespace

constexpr int kPackedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tree_sum_packed(const float4* in, float* out) {
  TreeSum<Sums::kPacked>(in, out);
}
constexpr int kInPlaceLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tree_sum_in_place(const float4* in, float* out) {
  TreeSum<Sums::kInPlace>(in, out);
}

namespace culprit {
namespace {

LaunchConfig Config(int tiles) { return {dim3(static_cast<unsigned>(tiles)), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int tiles) {
  const auto values = std::make_shared<std::vector<float>>(UniformFloats(static_cast<std::size_t>(tiles) * kTile, 1));
  const auto in = Uploaded(*values);
  const auto out = std::make_shared<DeviceMemory>(tiles * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(tiles), stream, in->As<float4>(), out->As<float>());
  };
  run.check = [=, launch = run.launch] {
    constexpr double kDepth = 12;  // additions on the way of each operand
    std::vector<double> wanted(tiles), bound(tiles);
    for (std::size_t i = 0; i < values->size(); ++i) {
      wanted[i / kTile] += (*values)[i];
      bound[i / kTile] += std::abs((*values)[i]) * (kDepth + 1) * kFloatUnit;
    }
    return CheckFloats({launch, {}}, out->As<float>(), wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair ReductionStridedPair() {
  const AlikeKernels both("sums 4096 floats a block by a tree in shared memory", "place of the sums",
                          "kernels/planted/reduction_strided.cu");
  return {
      .id = "reduction_strided",
      .base = both.With("packed", "tree_sum_packed", kPackedLine, ::tree_sum_packed, Config, Make<::tree_sum_packed>),
      .candidate = both.With("in place", "tree_sum_in_place", kInPlaceLine, ::tree_sum_in_place, Config,
                             Make<::tree_sum_in_place>),
      .sizes = {8192, 24576},
      .flop = [](int tiles) { return 1.0 * tiles * (kTile - 1); },
      .min_bytes = [](int tiles) { return 1.0 * sizeof(float) * tiles * kTile; }};
}

}  // namespace culprit
