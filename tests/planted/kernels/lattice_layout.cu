// SPDX-License-Identifier: Apache-2.0
// The density of lattice sites, the sum of 16 populations. The populations of a site lie beside each other, or each
// population of all sites in an array of its own.
// Limits on an H100: device memory in both, 68 bytes a site, 150 cycles of an SM for a warp's. Arrays: 16 requests of
// one line. Beside each other: each of 16 requests meets 16 lines, 256 cycles of L1, which must keep 2 KB a warp
// between them, 128 KB an SM. 1.5 to 4 times as long.
// Kept apart because the layout is the input's; sites are only known to be aligned to 4 bytes, so no load takes
// several.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPopulations = 16;

template <bool kBeside>
__host__ __device__ std::size_t At(std::size_t population, std::size_t site, std::size_t sites) {
  return kBeside ? site * kPopulations + population : population * sites + site;
}

template <bool kBeside>
__device__ void Density(const float* in, float* out, int n) {
  const std::size_t site = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int p = 0; p < kPopulations; ++p) sum += in[At<kBeside>(p, site, n)];
  out[site] = sum;
}
}  // namespace

constexpr int kArraysLine = __LINE__ + 1;
extern "C" __global__ void lattice_arrays(const float* in, float* out, int n) { Density<false>(in, out, n); }
constexpr int kSitesLine = __LINE__ + 1;
extern "C" __global__ void lattice_sites(const float* in, float* out, int n) { Density<true>(in, out, n); }

namespace culprit {
namespace {

// n sites.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <bool kBeside>
struct Job {
  static constexpr std::size_t kEvery = 31;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(kPopulations) * n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    Wanted w;
    for (std::size_t p = 0; p < kPopulations; ++p) {
      w.value += in[At<kBeside>(p, i, n)];
      w.bound += kPopulations * kFloatUnit * std::abs(in[At<kBeside>(p, i, n)]);
    }
    return w;
  }
};

}  // namespace

PlantedPair LatticeLayoutPair() {
  const AlikeKernels both("adds up the 16 populations of lattice sites", "layout", "kernels/planted/lattice_layout.cu");
  return {.id = "lattice_layout",
          .base = ElementsKernel<Job<false>, ::lattice_arrays, Config>(both, "arrays", "lattice_arrays", kArraysLine),
          .candidate = ElementsKernel<Job<true>, ::lattice_sites, Config>(both, "sites", "lattice_sites", kSitesLine),
          .sizes = {1 << 20, 4 << 20},
          .flop = [](int n) { return 1.0 * kPopulations * n; },
          .min_bytes = [](int n) { return sizeof(float) * (kPopulations + 1.0) * n; }};
}

}  // namespace culprit
