// SPDX-License-Identifier: Apache-2.0
// One pass of a radix sort: each block puts its keys in the order of six of their bits and sends them where its keys of
// these bits belong.
#include "job.h"

namespace {
constexpr int kThreads = 256, kWarps = kThreads / 32, kEach = 16, kKeys = kThreads * kEach;
constexpr int kCount = 1 << 23, kBlocks = kCount / kKeys, kShift = 9;

template <int kBits>
struct Digit {
  static constexpr int kValues = 1 << kBits;
  __host__ __device__ static int Of(std::uint32_t key, int shift) { return key >> shift & (kValues - 1); }
};
}  // namespace

template <int kBits>
__global__ void __launch_bounds__(kThreads)
    sort_pass(const std::uint32_t* __restrict__ keys, const int* __restrict__ begins, std::uint32_t* __restrict__ out,
              int shift) {
  using D = Digit<kBits>;
  static_assert(D::kValues == 64, "a warp adds two digits a lane");
  __shared__ int counts[kWarps][D::kValues];  // of a warp, so far; then where in the block its keys begin
  __shared__ int begin_out[D::kValues];
#ifndef CHANGE_A
  __shared__ std::uint32_t staged[kKeys];
#endif
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < kWarps * D::kValues; i += kThreads) counts[i / D::kValues][i % D::kValues] = 0;
  __syncthreads();

  std::uint32_t key[kEach];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kKeys + warp * 32 * kEach;
#pragma unroll
  for (int i = 0; i < kEach; ++i) key[i] = keys[first + i * 32 + lane];

  int rank[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int digit = D::Of(key[i], shift);
    const unsigned alike = __match_any_sync(~0u, digit);
    const int before = __popc(alike & ((1u << lane) - 1));
    int so_far = 0;
    if (before == 0) {
      so_far = counts[warp][digit];
      counts[warp][digit] = so_far + __popc(alike);
    }
    rank[i] = before + __shfl_sync(~0u, so_far, __ffs(alike) - 1);
#ifdef CHANGE_B
    __syncthreads();
#else
    __syncwarp();
#endif
  }
  __syncthreads();

  if (warp == 0) {
    int sum[2] = {0, 0};
#pragma unroll
    for (int half = 0; half < 2; ++half)
      for (int w = 0; w < kWarps; ++w) {
        const int count = counts[w][2 * lane + half];
        counts[w][2 * lane + half] = sum[half];
        sum[half] += count;
      }
    int before = sum[0] + sum[1];
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(~0u, before, step);
      if (lane >= step) before += other;
    }
    before -= sum[0] + sum[1];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int digit = 2 * lane + half;
      for (int w = 0; w < kWarps; ++w) counts[w][digit] += before;
      begin_out[digit] = begins[digit * gridDim.x + blockIdx.x] - before;
      before += sum[0];
    }
  }
  __syncthreads();

#ifdef CHANGE_A
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int digit = D::Of(key[i], shift);
    out[begin_out[digit] + counts[warp][digit] + rank[i]] = key[i];
  }
#else
#pragma unroll
  for (int i = 0; i < kEach; ++i) staged[counts[warp][D::Of(key[i], shift)] + rank[i]] = key[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const std::uint32_t sorted = staged[i * kThreads + threadIdx.x];
    out[begin_out[D::Of(sorted, shift)] + i * kThreads + threadIdx.x] = sorted;
  }
#endif
}

std::vector<double> SortPass() {
  using D = Digit<6>;
  std::vector<std::uint32_t> values(kCount);
  Numbers numbers(12);
  for (std::uint32_t& value : values) value = numbers.Next();
  std::vector<int> begins(static_cast<std::size_t>(D::kValues) * kBlocks);
  for (int i = 0; i < kCount; ++i) ++begins[static_cast<std::size_t>(D::Of(values[i], kShift)) * kBlocks + i / kKeys];
  int before = 0;
  for (int& begin : begins) {
    const int count = begin;
    begin = before;
    before += count;
  }
  const std::uint32_t* keys = OnDevice(values);
  const int* to = OnDevice(begins);
  std::uint32_t* out = OnDevice<std::uint32_t>(kCount);
  for (int i = 0; i < kLaunches; ++i) sort_pass<6><<<kBlocks, kThreads>>>(keys, to, out, kShift);
  const std::vector<double> result = FromDevice(out, kCount);
  if (!results_wanted) return result;
  std::vector<int> next(D::kValues);
  for (int digit = 0; digit < D::kValues; ++digit) next[digit] = begins[static_cast<std::size_t>(digit) * kBlocks];
  for (const std::uint32_t value : values) Hold("sort_pass", result[next[D::Of(value, kShift)]++], value, 0);
  return result;
}
