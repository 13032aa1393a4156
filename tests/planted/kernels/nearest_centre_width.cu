// SPDX-License-Identifier: Apache-2.0
// Squared distance of each point of 4 coordinates to the nearest of 256 centres in shared memory, one thread a point.
// All lanes want the same centre, so a load conflicts with nothing at any width. In units of a quarter of an SM:
// one load of 16 bytes a centre: 8 cycles of shared memory (lanes that agree pair up) beside 9 + 1 issue slots.
// Four loads of 4 bytes: 16 cycles. Loads are asm volatile: the compiler joins and splits none, and with "memory"
// clobbered none moves before the barrier.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kCentres = 256;
constexpr int kThreads = 256;

struct Wide {
  static __device__ __forceinline__ float4 Load(unsigned address) {
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address)
                 : "memory");
    return v;
  }
};

struct Narrow {
  static __device__ __forceinline__ float Word(unsigned address) {
    float v;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(address) : "memory");
    return v;
  }
  static __device__ __forceinline__ float4 Load(unsigned address) {
    return {Word(address), Word(address + 4), Word(address + 8), Word(address + 12)};
  }
};

template <class Width>
__device__ __forceinline__ void Nearest(const float4* centres, const float4* points, float* out) {
  __shared__ float4 shared[kCentres];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kCentres; i += kThreads) shared[i] = centres[i];
  __syncthreads();
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + thread;
  const float4 point = points[at];
  float nearest = INFINITY;
#pragma unroll 8
  for (int i = 0; i < kCentres; ++i) {
    const float4 centre = Width::Load(address + i * static_cast<unsigned>(sizeof(float4)));
    const float x = point.x - centre.x, y = point.y - centre.y, z = point.z - centre.z, w = point.w - centre.w;
    nearest = fminf(nearest, x * x + y * y + z * z + w * w);
  }
  out[at] = nearest;
}
}  // namespace

constexpr int kWideLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    nearest_centre_16_bytes(const float4* centres, const float4* points, float* out) {
  Nearest<Wide>(centres, points, out);
}
constexpr int kNarrowLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    nearest_centre_4_bytes(const float4* centres, const float4* points, float* out) {
  Nearest<Narrow>(centres, points, out);
}

namespace culprit {
namespace {

// `count` is a multiple of the block.
LaunchConfig Config(int count) { return {dim3(static_cast<unsigned>(count) / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int count) {
  constexpr int kDimensions = 4;
  const auto c = std::make_shared<std::vector<float>>(UniformFloats(kCentres * kDimensions, 1));
  const auto x = std::make_shared<std::vector<float>>(UniformFloats(static_cast<std::size_t>(count) * kDimensions, 2));
  const auto centres = Uploaded(*c), points = Uploaded(*x);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(count), stream, centres->As<float4>(), points->As<float4>(), out->As<float>());
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(count, 50'000);
    std::vector<double> wanted, bound;
    for (const std::size_t at : where) {
      double nearest = INFINITY;
      for (int i = 0; i < kCentres; ++i) {
        double squares = 0;
        for (int d = 0; d < kDimensions; ++d) {
          const double apart = double{(*x)[at * kDimensions + d]} - (*c)[i * kDimensions + d];
          squares += apart * apart;
        }
        nearest = std::min(nearest, squares);
      }
      wanted.push_back(nearest);
      // Of each squared distance, and so of the least: two roundings of a difference, a product's, and three sums'.
      bound.push_back(nearest * 6 * 0x1.01p-24);
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair NearestCentreWidthPair() {
  const AlikeKernels both("finds the squared distance of each point to the nearest of 256 centres in shared memory",
                          "shared load", "kernels/planted/nearest_centre_width.cu");
  return {.id = "nearest_centre_width",
          .base = both.With("16 bytes", "nearest_centre_16_bytes", kWideLine, ::nearest_centre_16_bytes, Config,
                            Make<::nearest_centre_16_bytes>),
          .candidate = both.With("4 bytes", "nearest_centre_4_bytes", kNarrowLine, ::nearest_centre_4_bytes, Config,
                                 Make<::nearest_centre_4_bytes>),
          .sizes = {1 << 21, 1 << 23},
          .flop = [](int count) { return 11.0 * kCentres * count; },
          .min_bytes = [](int count) { return 5.0 * sizeof(float) * count; }};
}

}  // namespace culprit
