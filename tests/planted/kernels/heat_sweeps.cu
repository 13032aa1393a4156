// SPDX-License-Identifier: Apache-2.0
// 1024 sweeps of heat along rods of 1024 cells, a rod a block, one cell a thread, in two buffers of shared memory.
// One barrier a sweep: load, compute, store and meet in turn, near 190 cycles, since a block has an SM to itself.
// Three barriers: two more meetings of 32 warps, about 35 cycles each.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kCells = 1024;
constexpr int kSweeps = 1024;  // even: the result is where the input was
// More than half of an SM's 227 KB: no second block, whose warps would issue while those of the first wait.
constexpr std::size_t kSharedBytes = 120 * 1024;
constexpr float kRate = 0.25f;

// The ends keep their temperature. The other buffer makes one barrier enough, whatever `kBarriers` is.
template <int kBarriers>
__device__ __forceinline__ void Sweep(const float* in, float* out) {
  extern __shared__ float buffers[];
  const int cell = static_cast<int>(threadIdx.x);
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kCells + cell;
  float mine = in[at];
  float *from = buffers, *to = buffers + kCells;
  from[cell] = mine;
  __syncthreads();
  const int left = max(cell - 1, 0), right = min(cell + 1, kCells - 1);
  const float rate = cell == left || cell == right ? 0 : kRate;
#pragma unroll 2
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const float sum = from[left] + from[right];
    if (kBarriers > 2) __syncthreads();
    mine += rate * (sum - 2 * mine);
    if (kBarriers > 1) __syncthreads();
    to[cell] = mine;
    __syncthreads();
    float* const swap = from;
    from = to;
    to = swap;
  }
  out[at] = mine;
}
}  // namespace

constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kCells) heat_1_barrier(const float* in, float* out) { Sweep<1>(in, out); }
constexpr int kThreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kCells) heat_3_barriers(const float* in, float* out) { Sweep<3>(in, out); }

namespace culprit {
namespace {

LaunchConfig Config(int rods) { return {dim3(static_cast<unsigned>(rods)), dim3(kCells), kSharedBytes}; }

template <auto* kKernel>
PlantedRun Make(int rods) {
  const std::size_t count = static_cast<std::size_t>(rods) * kCells;
  const auto values = std::make_shared<std::vector<float>>(UniformFloats(count, 1));
  const auto in = Uploaded(*values);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(rods), stream, in->As<float>(), out->As<float>());
  };
  run.check = [=, launch = run.launch] {
    constexpr int kSamples = 32;
    std::vector<std::size_t> where;
    std::vector<double> wanted;
    for (const std::size_t rod : SpreadIndices(rods, kSamples)) {
      const float* start = values->data() + rod * kCells;
      std::vector<double> now(start, start + kCells), next(now);
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (int i = 1; i < kCells - 1; ++i) next[i] = now[i] + kRate * (now[i - 1] + now[i + 1] - 2 * now[i]);
        now.swap(next);
      }
      for (int i = 0; i < kCells; ++i) {
        where.push_back(rod * kCells + i);
        wanted.push_back(now[i]);
      }
    }
    // No sweep makes errors larger (weights 1/4, 1/2, 1/4); each adds the roundings of a sum and a difference of up to
    // 4, of a quarter of them, and of a result of up to 1: at most (2 + 4) / 4 + 1 + 1 units of 2^-24.
    const std::vector<double> bound(wanted.size(), 4 * kSweeps * kFloatUnit);
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair HeatSweepsPair() {
  const AlikeKernels both("lets heat flow along rods in shared memory, one cell a thread", "barriers a sweep",
                          "kernels/planted/heat_sweeps.cu");
  return {
      .id = "heat_sweeps",
      .base = both.With("1", "heat_1_barrier", kOneLine, ::heat_1_barrier, Config, Make<::heat_1_barrier>),
      .candidate = both.With("3", "heat_3_barriers", kThreeLine, ::heat_3_barriers, Config, Make<::heat_3_barriers>),
      .sizes = {264, 660},
      .flop = [](int rods) { return 5.0 * kSweeps * kCells * rods; },
      .min_bytes = [](int rods) { return 2.0 * sizeof(float) * kCells * rods; }};
}

}  // namespace culprit
