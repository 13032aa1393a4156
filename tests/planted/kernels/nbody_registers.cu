// SPDX-License-Identifier: Apache-2.0
// Gravity of 256 bodies in shared memory on 8 bodies a thread, whose places and accelerations are in registers.
// As many registers as it takes: 8 * 12 FMA-pipe instructions and 8 reciprocal roots of 8 cycles a step: 110 cycles.
// At most 40 registers: values that do not fit are written and read in each step, at 4 cycles of a quarter of an SM.
// More blocks fit an SM then, and their local memory, 184 KB, still fits its L1 beside 30 KB of shared memory.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kSources = 256;
constexpr int kBodies = 8;
constexpr int kThreads = 256;
constexpr float kSoftening = 0.01f;  // added to squared distances; keeps a body from itself

// Body b of a thread is b * `apart` after its first. Accelerations are x, y, z planes of `count`.
__device__ __forceinline__ void Gravity(const float4* sources, const float4* bodies, float* out, int count) {
  __shared__ float4 source[kSources];
  for (int i = static_cast<int>(threadIdx.x); i < kSources; i += kThreads) source[i] = sources[i];
  __syncthreads();
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), apart = count / kBodies;
  float x[kBodies], y[kBodies], z[kBodies], ax[kBodies] = {}, ay[kBodies] = {}, az[kBodies] = {};
#pragma unroll
  for (int b = 0; b < kBodies; ++b) {
    const float4 body = bodies[first + b * apart];
    x[b] = body.x, y[b] = body.y, z[b] = body.z;
  }
#pragma unroll 1
  for (int i = 0; i < kSources; ++i) {
    const float4 s = source[i];
#pragma unroll
    for (int b = 0; b < kBodies; ++b) {
      const float dx = s.x - x[b], dy = s.y - y[b], dz = s.z - z[b];
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float pull = s.w * inverse * inverse * inverse;
      ax[b] += pull * dx, ay[b] += pull * dy, az[b] += pull * dz;
    }
  }
#pragma unroll
  for (int b = 0; b < kBodies; ++b) {
    float* at = out + first + b * apart;
    at[0] = ax[b];
    at[count] = ay[b];
    at[2 * static_cast<std::size_t>(count)] = az[b];
  }
}
}  // namespace

constexpr int kFreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, 2)
    nbody_128_registers(const float4* sources, const float4* bodies, float* out, int count) {
  Gravity(sources, bodies, out, count);
}
constexpr int kBoundLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, 6)
    nbody_40_registers(const float4* sources, const float4* bodies, float* out, int count) {
  Gravity(sources, bodies, out, count);
}

namespace culprit {
namespace {

// `count` is a multiple of a block's bodies.
LaunchConfig Config(int count) {
  return {dim3(static_cast<unsigned>(count) / (kThreads * kBodies)), dim3(kThreads), 0};
}

template <auto* kKernel>
PlantedRun Make(int count) {
  constexpr int kFloats = 4;
  const auto s = std::make_shared<std::vector<float>>(UniformFloats(kSources * kFloats, 1));
  const auto b = std::make_shared<std::vector<float>>(UniformFloats(static_cast<std::size_t>(count) * kFloats, 2));
  const auto sources = Uploaded(*s), bodies = Uploaded(*b);
  const std::size_t outputs = 3 * static_cast<std::size_t>(count);
  const auto out = std::make_shared<DeviceMemory>(outputs * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(count), stream, sources->As<float4>(), bodies->As<float4>(), out->As<float>(),
                   count);
  };
  run.check = [=, launch = run.launch] {
    std::vector<std::size_t> where;
    std::vector<double> wanted, bound;
    for (const std::size_t body : SpreadIndices(count, 2'000)) {
      double sum[3] = {}, magnitude[3] = {};
      for (int i = 0; i < kSources; ++i) {
        double d[3], squares = double{kSoftening};
        for (int k = 0; k < 3; ++k) {
          d[k] = double{(*s)[i * kFloats + k]} - (*b)[body * kFloats + k];
          squares += d[k] * d[k];
        }
        const double pull = (*s)[i * kFloats + 3] / (squares * std::sqrt(squares));
        for (int k = 0; k < 3; ++k) {
          sum[k] += pull * d[k];
          magnitude[k] += std::abs(pull * d[k]);
        }
      }
      for (int k = 0; k < 3; ++k) {
        where.push_back(k * static_cast<std::size_t>(count) + body);
        wanted.push_back(sum[k]);
        // Each term: 3/2 of the squares' 6 roundings, three times rsqrtf's 2 ulp (4 units of 2^-24), 4 products, a
        // difference; then the additions.
        bound.push_back((9 + 12 + 4 + 1 + kSources) * 0x1.01p-24 * magnitude[k]);
      }
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), outputs, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair NbodyRegistersPair() {
  const AlikeKernels both("sums the gravity of 256 bodies in shared memory on 8 bodies a thread", "register limit",
                          "kernels/planted/nbody_registers.cu");
  return {.id = "nbody_registers",
          .base = both.With("128", "nbody_128_registers", kFreeLine, ::nbody_128_registers, Config,
                            Make<::nbody_128_registers>),
          .candidate = both.With("40", "nbody_40_registers", kBoundLine, ::nbody_40_registers, Config,
                                 Make<::nbody_40_registers>),
          .sizes = {1 << 21, 1 << 22},
          .flop = [](int count) { return 20.0 * kSources * count; },
          .min_bytes = [](int count) { return 7.0 * sizeof(float) * count; }};
}

}  // namespace culprit
