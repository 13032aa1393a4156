// SPDX-License-Identifier: Apache-2.0
// 128 Jacobi sweeps over a system of 8 equations in each thread, matrix, right-hand side and unknowns in registers.
// As many registers as it takes: 7200 cycles of FMA a warp; its 9 KB from device memory take a third of that.
// At most 64 registers: what does not fit is read from local memory in each sweep, at 4 cycles of a quarter of an SM.
// More blocks fit an SM then, and their local memory, 139 KB, still fits its L1.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kUnknowns = 8;
constexpr int kEntries = kUnknowns * kUnknowns;  // the diagonal's places hold the right-hand side
constexpr int kSweeps = 128;
constexpr int kThreads = 128;

// x <- c - M x from x = c. Entry e of system s is at [e][s].
__device__ __forceinline__ void Jacobi(const float* systems, float* out, int count) {
  const int system = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float entry[kUnknowns][kUnknowns], x[kUnknowns];
#pragma unroll
  for (int i = 0; i < kUnknowns; ++i)
#pragma unroll
    for (int j = 0; j < kUnknowns; ++j)
      entry[i][j] = systems[static_cast<std::size_t>(i * kUnknowns + j) * count + system];
#pragma unroll
  for (int i = 0; i < kUnknowns; ++i) x[i] = entry[i][i];
    // Rolled: a body for each sweep would not fit the instruction cache.
#pragma unroll 1
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    float next[kUnknowns];
#pragma unroll
    for (int i = 0; i < kUnknowns; ++i) {
      next[i] = entry[i][i];
#pragma unroll
      for (int j = 0; j < kUnknowns; ++j)
        if (j != i) next[i] -= entry[i][j] * x[j];
    }
#pragma unroll
    for (int i = 0; i < kUnknowns; ++i) x[i] = next[i];
  }
#pragma unroll
  for (int i = 0; i < kUnknowns; ++i) out[static_cast<std::size_t>(i) * count + system] = x[i];
}
}  // namespace

constexpr int kFreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, 4)
    jacobi_128_registers(const float* systems, float* out, int count) {
  Jacobi(systems, out, count);
}
constexpr int kBoundLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, 8)
    jacobi_64_registers(const float* systems, float* out, int count) {
  Jacobi(systems, out, count);
}

namespace culprit {
namespace {

// `count` is a multiple of the block.
LaunchConfig Config(int count) { return {dim3(static_cast<unsigned>(count) / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int count) {
  const auto values =
      std::make_shared<std::vector<float>>(UniformFloats(static_cast<std::size_t>(count) * kEntries, 1));
  // Rows of M sum to at most 1/2 in absolute value: the sweeps converge, and errors with them.
  for (int e = 0; e < kEntries; ++e)
    if (e % (kUnknowns + 1) != 0)
      for (int s = 0; s < count; ++s) (*values)[static_cast<std::size_t>(e) * count + s] /= 2 * (kUnknowns - 1);
  const auto systems = Uploaded(*values);
  const std::size_t outputs = static_cast<std::size_t>(count) * kUnknowns;
  const auto out = std::make_shared<DeviceMemory>(outputs * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(count), stream, systems->As<float>(), out->As<float>(), count);
  };
  run.check = [=, launch = run.launch] {
    std::vector<std::size_t> where;
    std::vector<double> wanted;
    for (const std::size_t system : SpreadIndices(count, 2'000)) {
      const auto entry = [&](int i, int j) {
        return double{(*values)[static_cast<std::size_t>(i * kUnknowns + j) * count + system]};
      };
      double x[kUnknowns], next[kUnknowns];
      for (int i = 0; i < kUnknowns; ++i) x[i] = entry(i, i);
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (int i = 0; i < kUnknowns; ++i) {
          next[i] = entry(i, i);
          for (int j = 0; j < kUnknowns; ++j)
            if (j != i) next[i] -= entry(i, j) * x[j];
        }
        for (int i = 0; i < kUnknowns; ++i) x[i] = next[i];
      }
      for (int i = 0; i < kUnknowns; ++i) {
        where.push_back(static_cast<std::size_t>(i) * count + system);
        wanted.push_back(x[i]);
      }
    }
    // A sweep adds 7 roundings of values below 2 (and 7 of products where they are not fused) and halves the errors
    // before it; an entry's own rounding, of 2^-24 of it, does not count: both sides read the rounded one.
    const std::vector<double> bound(wanted.size(), 2 * 2 * 14 * kFloatUnit);
    return CheckFloatsAt({launch, {}}, out->As<float>(), outputs, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair JacobiRegistersPair() {
  const AlikeKernels both("solves a system of 8 equations in each thread by 128 Jacobi sweeps", "register limit",
                          "kernels/planted/jacobi_registers.cu");
  return {.id = "jacobi_registers",
          .base = both.With("128", "jacobi_128_registers", kFreeLine, ::jacobi_128_registers, Config,
                            Make<::jacobi_128_registers>),
          .candidate = both.With("64", "jacobi_64_registers", kBoundLine, ::jacobi_64_registers, Config,
                                 Make<::jacobi_64_registers>),
          .sizes = {1 << 18, 1 << 20},
          .flop = [](int count) { return 2.0 * kSweeps * (kEntries - kUnknowns) * count; },
          .min_bytes = [](int count) { return 1.0 * sizeof(float) * (kEntries + kUnknowns) * count; }};
}

}  // namespace culprit
