// SPDX-License-Identifier: Apache-2.0
// Products of a warpgroup, m64n64k16, one after the other to the same sums: each waited for when the next is on its
// way, or before. Limits on an H200 with one warpgroup an SM, which both reserve shared memory for: the tensor cores
// need 32 cycles for one; from its start until it can be used, some 60 more.
#include "tests/planted/kernels/products.cuh"

namespace {
using namespace culprit;
using namespace culprit::products;
constexpr int kColumns = 64;
using Job = JobOf<kColumns>;
// More than half of the 228 KB of an SM, so that one block fits.
constexpr int kReservedBytes = 120 * 1024;

template <int kInFlight>
__device__ __forceinline__ void Products(const float* in, float* out) {
  extern __shared__ float4 room[];
  __half* const a = reinterpret_cast<__half*>(room);
  __half* const b = a + kRows * kDepth;
  PlaceHalves(a, in + blockIdx.x * Job::kFactors, kRows + kColumns);
  ShowToTma();
  __syncthreads();
  float sums[kColumns / 2] = {};
  WgmmaBegin();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      Multiply(sums, Descriptor(SharedAddressOf(a) + step * 2 * kCoreBytes),
               Descriptor(SharedAddressOf(b) + step * 2 * kCoreBytes));
      WgmmaCommit();
      WgmmaAwait<kInFlight>();
    }
  }
  WgmmaAwait<0>();
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i)
    out[(static_cast<std::size_t>(blockIdx.x) * kRows + RowOf(i)) * kColumns + ColumnOf(i)] = sums[i];
}
}  // namespace

constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kWarpgroup) products_one_in_flight(const float* in, float* out) {
  Products<1>(in, out);
}
constexpr int kWaitedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kWarpgroup) products_each_waited_for(const float* in, float* out) {
  Products<0>(in, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kWarpgroup), kReservedBytes}; }
}  // namespace

PlantedPair ProductsInFlightPair() {
  const AlikeKernels both("multiplies by warpgroups, 64 columns at once", "products in flight at a wait",
                          "kernels/planted/products_in_flight.cu");
  return {
      .id = "products_in_flight",
      .base = ElementsKernel<::Job, ::products_one_in_flight, Config>(both, "1", "products_one_in_flight", kOneLine),
      .candidate =
          ElementsKernel<::Job, ::products_each_waited_for, Config>(both, "0", "products_each_waited_for", kWaitedLine),
      .sizes = {264, 528},
      .flop = ::Job::Flop,
      .device = kHopper};
}

}  // namespace culprit
