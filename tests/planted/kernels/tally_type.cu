// SPDX-License-Identifier: Apache-2.0
// How many values below 256 are below 77. Each is a byte, or a 32-bit word; a warp adds its count to one of 256
// totals.
// Limits on an H100: device memory, 128 MB in 0.04 ms at 128 Mi bytes, or 512 MB in 0.16 ms as words. A warp counts
// 2048 values before it adds, so that both make the same 65536 additions, which spread over 32 sectors take some us.
#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 64;
constexpr unsigned kTotals = 256;
constexpr unsigned kLimit = 77;

__device__ int Below(std::uint8_t, uint4 bytes) {
  int count = 0;
  for (const unsigned word : {bytes.x, bytes.y, bytes.z, bytes.w})
    for (int shift = 0; shift < 32; shift += 8) count += (word >> shift & 0xff) < kLimit;
  return count;
}
__device__ int Below(std::uint32_t, uint4 words) {
  return (words.x < kLimit) + (words.y < kLimit) + (words.z < kLimit) + (words.w < kLimit);
}

template <class Value>
__device__ void Tally(const uint4* in, unsigned* totals) {
  constexpr int kLoads = kPerThread * static_cast<int>(sizeof(Value)) / 16;
  const uint4* mine = in + static_cast<std::size_t>(blockIdx.x) * (kThreads * kLoads) + threadIdx.x;
  int count = 0;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) count += Below(Value{}, mine[i * kThreads]);
  count = culprit::WarpSum(count);
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / culprit::kWarpLanes;
  if (threadIdx.x % culprit::kWarpLanes == 0) atomicAdd(totals + warp % kTotals, static_cast<unsigned>(count));
}
}  // namespace

constexpr int kBytesLine = __LINE__ + 1;
extern "C" __global__ void tally_bytes(const uint4* in, unsigned* totals) { Tally<std::uint8_t>(in, totals); }
constexpr int kWordsLine = __LINE__ + 1;
extern "C" __global__ void tally_words(const uint4* in, unsigned* totals) { Tally<std::uint32_t>(in, totals); }

namespace culprit {
namespace {

// n values, a multiple of what a block takes.
LaunchConfig Config(int n) { return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0}; }

template <class Value>
struct Job {
  using Total = unsigned;
  static constexpr std::size_t kCopies = kTotals;
  static std::vector<Value> Inputs(int n) {
    std::mt19937 random(1);
    std::vector<Value> values(n);
    for (Value& value : values) value = static_cast<Value>(random() >> 24);
    return values;
  }
  static std::vector<double> Totals(const std::vector<Value>& in) {
    double below = 0;
    for (const Value value : in) below += value < kLimit;
    return {below};
  }
};

}  // namespace

PlantedPair TallyTypePair() {
  const AlikeKernels both("counts small values, one atomic addition per warp", "type of a value",
                          "kernels/planted/tally_type.cu");
  return {
      .id = "tally_type",
      .base = TotalsKernel<Job<std::uint8_t>, ::tally_bytes, Config>(both, "8 bits", "tally_bytes", kBytesLine),
      .candidate = TotalsKernel<Job<std::uint32_t>, ::tally_words, Config>(both, "32 bits", "tally_words", kWordsLine),
      .sizes = {64 << 20, 128 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 1.0 * n; }};
}

}  // namespace culprit
