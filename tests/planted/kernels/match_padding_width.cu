// SPDX-License-Identifier: Apache-2.0
// Products of 32 keys, one a lane, with 64 queries of 32 numbers, all in shared memory; four queries at a time.
// A  the keys' rows are 36 floats apart instead of 33: lanes meet in 8 of 32 banks.
// B  the numbers of four queries, the same for all lanes, come in four loads of 4 bytes instead of one of 16.
// Both fill the shared data pipe. In its cycles per warp and number: a key's 1, with A 4; queries' 2, with B 4. So 3,
// A 6, B 5, both 8: they add up, and A is 3 of 5, 60 %.
// Loads of 4 bytes are volatile: as many as written here.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kKeys = 32;  // of a block
constexpr int kNumbers = 32;
constexpr int kQueries = 64;
constexpr int kTogether = 4;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kKeys;
constexpr int kTurns = kQueries / kTogether / kWarps;  // of a warp

// queries: [number][query]. out: for each warp of each block and key, the sum of the squares of the warp's products.
template <int kRow, bool kNarrow>
__device__ __forceinline__ void Match(const float* keys, const float* queries, float* out) {
  __shared__ float key[kKeys * kRow];
  __shared__ float4 query[kNumbers * kQueries / kTogether];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kKeys, warp = thread / kKeys;
  keys += static_cast<std::size_t>(blockIdx.x) * (kKeys * kNumbers);
  for (int i = thread; i < kKeys * kNumbers; i += kThreads) key[i / kNumbers * kRow + i % kNumbers] = keys[i];
  for (int i = thread; i < kNumbers * kQueries; i += kThreads) reinterpret_cast<float*>(query)[i] = queries[i];
  __syncthreads();
  const volatile float* own = key + lane * kRow;
  float energy = 0;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
    const float4* four = query + (warp * kTurns + turn);
    float product[kTogether] = {};
#pragma unroll 8
    for (int k = 0; k < kNumbers; ++k) {
      const float x = own[k];
      float4 q;
      if constexpr (kNarrow) {
        const volatile float* words = reinterpret_cast<const volatile float*>(four + k * (kQueries / kTogether));
        q.x = words[0], q.y = words[1], q.z = words[2], q.w = words[3];
      } else {
        q = four[k * (kQueries / kTogether)];
      }
      product[0] = fmaf(x, q.x, product[0]);
      product[1] = fmaf(x, q.y, product[1]);
      product[2] = fmaf(x, q.z, product[2]);
      product[3] = fmaf(x, q.w, product[3]);
    }
#pragma unroll
    for (const float p : product) energy = fmaf(p, p, energy);
  }
  out[static_cast<std::size_t>(blockIdx.x) * kThreads + thread] = energy;
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    match_33_wide(const float* keys, const float* queries, float* out) {
  Match<33, false>(keys, queries, out);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    match_36_wide(const float* keys, const float* queries, float* out) {
  Match<36, false>(keys, queries, out);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    match_33_narrow(const float* keys, const float* queries, float* out) {
  Match<33, true>(keys, queries, out);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    match_36_narrow(const float* keys, const float* queries, float* out) {
  Match<36, true>(keys, queries, out);
}

namespace culprit {
namespace {

// n keys, a multiple of a block's.
LaunchConfig Config(int n) { return {dim3(n / kKeys), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto queries = std::make_shared<std::vector<float>>(UniformFloats(kNumbers * kQueries, 2));
  const auto device_queries = Uploaded(*queries);
  const auto launch = [=](cudaStream_t stream, const float* keys, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, keys, device_queries->As<float>(), out);
  };
  const auto wanted = [queries](const std::vector<float>& keys, std::size_t i) -> Wanted {
    const std::size_t key = i / kThreads * kKeys + i % kKeys, warp = i / kKeys % kWarps;
    Wanted w;
    for (int query = 0; query < kTurns * kTogether; ++query) {
      double product = 0, size = 0;
      for (int k = 0; k < kNumbers; ++k) {
        const double term =
            double{keys[key * kNumbers + k]} * (*queries)[k * kQueries + warp * kTurns * kTogether + query];
        product += term;
        size += std::abs(term);
      }
      w.value += product * product;
      // A product has kNumbers roundings of at most its size, its square twice that and its own, the sum 8 more.
      w.bound += (2 * kNumbers + 9) * kFloatUnit * size * size;
    }
    return w;
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(n) * kNumbers, 1), static_cast<std::size_t>(n) * kWarps,
                       211, launch, wanted);
}

}  // namespace

PlantedMixture MatchPaddingWidthMixture() {
  const MixedKernels four("multiplies 32 keys with 64 queries in shared memory", "key row", "query load",
                          "kernels/planted/match_padding_width.cu");
  return {
      .id = "match_padding_width",
      .base = four.With("33 floats", "16 bytes", "match_33_wide", kBaseLine, ::match_33_wide, Config,
                        Make<::match_33_wide>),
      .a = four.With("36 floats", "16 bytes", "match_36_wide", kALine, ::match_36_wide, Config, Make<::match_36_wide>),
      .b = four.With("33 floats", "4 bytes", "match_33_narrow", kBLine, ::match_33_narrow, Config,
                     Make<::match_33_narrow>),
      .both = four.With("36 floats", "4 bytes", "match_36_narrow", kBothLine, ::match_36_narrow, Config,
                        Make<::match_36_narrow>),
      .sizes = {1 << 18, 1 << 20},
      .flop = [](int n) { return 2.0 * kNumbers * kQueries * n; },
      .min_bytes = [](int n) { return sizeof(float) * static_cast<double>(kNumbers + kWarps) * n; }};
}

}  // namespace culprit
