// SPDX-License-Identifier: Apache-2.0
// Products of a warpgroup, 64 rows by 256 columns: 256 columns at once, or 32. Each reads all of A's part from shared
// memory, 2 KB, beside its columns of B, 32 bytes each.
// Limits on an H200 with one warpgroup an SM, which both reserve shared memory for, in cycles for 256 columns and 16 of
// depth: the tensor cores, 128. Shared memory, 128 bytes a cycle: 80 at once, and 8 x 24 by 32.
#include "tests/planted/kernels/products.cuh"

namespace {
using namespace culprit;
using namespace culprit::products;
constexpr int kColumns = 256;
using Job = JobOf<kColumns>;
// More than half of the 228 KB of an SM, so that one block fits.
constexpr int kReservedBytes = 120 * 1024;

template <int kAtOnce>
__device__ __forceinline__ void Products(const float* in, float* out) {
  extern __shared__ float4 room[];
  __half* const a = reinterpret_cast<__half*>(room);
  __half* const b = a + kRows * kDepth;
  PlaceHalves(a, in + blockIdx.x * Job::kFactors, kRows + kColumns);
  ShowToTma();
  __syncthreads();
  constexpr int kParts = kColumns / kAtOnce;
  float sums[kParts][kAtOnce / 2] = {};
  WgmmaBegin();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int part = 0; part < kParts; ++part)
        Multiply(sums[part], Descriptor(SharedAddressOf(a) + step * 2 * kCoreBytes),
                 Descriptor(SharedAddressOf(b) + part * (kAtOnce / kCoreRows) * kNextRows + step * 2 * kCoreBytes));
    }
    WgmmaCommit();
    WgmmaAwait<1>();
  }
  WgmmaAwait<0>();
#pragma unroll
  for (int part = 0; part < kParts; ++part)
#pragma unroll
    for (int i = 0; i < kAtOnce / 2; ++i)
      out[(static_cast<std::size_t>(blockIdx.x) * kRows + RowOf(i)) * kColumns + part * kAtOnce + ColumnOf(i)] =
          sums[part][i];
}
}  // namespace

constexpr int k256Line = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kWarpgroup) products_256_columns(const float* in, float* out) {
  Products<256>(in, out);
}
constexpr int k32Line = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kWarpgroup) products_32_columns(const float* in, float* out) {
  Products<32>(in, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kWarpgroup), kReservedBytes}; }
}  // namespace

PlantedPair ProductsColumnsPair() {
  const AlikeKernels both("multiplies 64 rows by 256 columns by warpgroups", "columns at once",
                          "kernels/planted/products_columns.cu");
  return {.id = "products_columns",
          .base = ElementsKernel<::Job, ::products_256_columns, Config>(both, "256", "products_256_columns", k256Line),
          .candidate = ElementsKernel<::Job, ::products_32_columns, Config>(both, "32", "products_32_columns", k32Line),
          .sizes = {132, 264},
          .flop = ::Job::Flop,
          .device = kHopper};
}

}  // namespace culprit
