// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes: 256 counters in shared memory for each block, added to global ones at the end. The counters and
// the four bytes of a load have names of their own, or CUDA's.
// Limits on an H100: 32 lanes add to 32 random counters, some 3.5 of them in one bank: 64 Mi / 32 x 3.5 / 132 cycles
// or more, 0.04 ms; device memory has 1 byte per value. Both are the same machine code.
#include <cstddef>
#include <random>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 64;  // bytes
constexpr int kBins = 256;
using Counter = unsigned;
using Pixel = uchar4;

template <class Quad, class Count>
__device__ void Add(Quad quad, Count* bins) {
  atomicAdd(bins + quad.x, 1u);
  atomicAdd(bins + quad.y, 1u);
  atomicAdd(bins + quad.z, 1u);
  atomicAdd(bins + quad.w, 1u);
}
}  // namespace

constexpr int kPlainLine = __LINE__ + 1;
extern "C" __global__ void census_plain_types(const uchar4* in, unsigned* out) {
  __shared__ unsigned bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const uchar4* mine = in + static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread / 4) + threadIdx.x;
#pragma unroll 4
  for (int i = 0; i < kPerThread / 4; ++i) Add(mine[i * kThreads], bins);
  __syncthreads();
  atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}
constexpr int kNamedLine = __LINE__ + 1;
extern "C" __global__ void census_named_types(const Pixel* in, Counter* out) {
  __shared__ Counter bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const Pixel* mine = in + static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread / 4) + threadIdx.x;
#pragma unroll 4
  for (int i = 0; i < kPerThread / 4; ++i) Add<Pixel, Counter>(mine[i * kThreads], bins);
  __syncthreads();
  atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}
static_assert(kThreads == kBins, "a thread clears and adds one bin");

namespace culprit {
namespace {

// n bytes, a multiple of what a block takes.
LaunchConfig Config(int n) { return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0}; }

struct Job {
  using Total = unsigned;
  static constexpr std::size_t kCopies = 1;
  static std::vector<unsigned char> Inputs(int n) {
    std::mt19937 random(1);
    std::vector<unsigned char> bytes(n);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random() >> 24);
    return bytes;
  }
  static std::vector<double> Totals(const std::vector<unsigned char>& in) {
    std::vector<double> totals(kBins);
    for (const unsigned char byte : in) ++totals[byte];
    return totals;
  }
};

}  // namespace

PlantedPair CensusTypesPair() {
  const AlikeKernels both("counts bytes in shared memory", "names of the types", "kernels/planted/census_types.cu");
  return {
      .id = "census_types",
      .base = TotalsKernel<Job, ::census_plain_types, Config>(both, "CUDA's", "census_plain_types", kPlainLine),
      .candidate = TotalsKernel<Job, ::census_named_types, Config>(both, "its own", "census_named_types", kNamedLine),
      .sizes = {64 << 20, 128 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 1.0 * n; }};
}

}  // namespace culprit
