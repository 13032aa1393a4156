// SPDX-License-Identifier: Apache-2.0
// Distances of 15 numbers to a 16th, summed over parts of a table of 8 MB in L2, four groups of 16 a float4.
// The 16th is loaded before the others, which are added as they come, or after them, so that all 64 numbers wait in
// registers: some 80, for 3 blocks of 8 warps on an SM instead of 6 or more. L2 is full either way: it gives 40 bytes a
// cycle and SM after 300 cycles, 12 KB on their way, where 24 warps keep 15 x 512 bytes each. The time stays.
// Loads are volatile: in the order written here, and past L1.
#include <cmath>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kTable = 1 << 21;  // floats
constexpr int kParts = 8;        // of the table; a block reads one
constexpr int kPart = kTable / kParts;
constexpr int kGroup = 16;

// Volatile loads go past L1, and the compiler keeps their order.
__device__ __forceinline__ float4 Load(const float4* at) {
  float4 v;
  asm volatile("ld.volatile.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(at));
  return v;
}

__device__ float Distance(float4 v, float4 pivot) {
  return (fabsf(v.x - pivot.x) + fabsf(v.y - pivot.y)) + (fabsf(v.z - pivot.z) + fabsf(v.w - pivot.w));
}

// Number j of a group is kThreads float4 behind number j - 1.
template <bool kPivotFirst>
__device__ __forceinline__ void Total(const float* table, float* out) {
  const float4* part = reinterpret_cast<const float4*>(table + blockIdx.x % kParts * kPart) + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < kPart / 4; i += kGroup * kThreads) {
    const float4* group = part + i;
    if constexpr (kPivotFirst) {
      const float4 pivot = Load(group + (kGroup - 1) * kThreads);
#pragma unroll
      for (int j = 0; j < kGroup - 1; ++j) sum += Distance(Load(group + j * kThreads), pivot);
    } else {
      float4 value[kGroup];
#pragma unroll
      for (int j = 0; j < kGroup; ++j) value[j] = Load(group + j * kThreads);
#pragma unroll
      for (int j = 0; j < kGroup - 1; ++j) sum += Distance(value[j], value[kGroup - 1]);
    }
  }
  sum = culprit::BlockSum<kThreads>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
}  // namespace

constexpr int kFirstLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) table_pivot_first(const float* table, float* out) {
  Total<true>(table, out);
}
constexpr int kLastLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) table_pivot_last(const float* table, float* out) {
  Total<false>(table, out);
}

namespace culprit {
namespace {

LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int blocks) {
  const auto launch = [blocks](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(blocks), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t block) -> Wanted {
    constexpr std::size_t kApart = 4 * kThreads;  // floats from a number of a group to the next
    const float* part = in.data() + block % kParts * kPart;
    Wanted w;
    for (std::size_t i = 0; i < kPart; ++i)
      w.value += std::abs(double{part[i]} -
                          part[i / (kGroup * kApart) * (kGroup * kApart) + (kGroup - 1) * kApart + i % kApart]);
    // 3 roundings of a float4, one addition for each of a thread's, 5 + 7 that join threads.
    w.bound = (3 + kPart / 4 / kThreads + 5 + 7) * kFloatUnit * w.value;
    return w;
  };
  return PerElementRun(UniformFloats(kTable, 1), blocks, 61, launch, wanted);
}

}  // namespace

PlantedPair TablePivotRegistersPair() {
  const AlikeKernels both("adds the distances of numbers of a table in L2 to every 16th", "the 16th",
                          "kernels/planted/table_pivot_registers.cu");
  return {.id = "table_pivot_registers",
          .base = both.With("loaded first", "table_pivot_first", kFirstLine, ::table_pivot_first, Config,
                            Make<::table_pivot_first>),
          .candidate = both.With("loaded last", "table_pivot_last", kLastLine, ::table_pivot_last, Config,
                                 Make<::table_pivot_last>),
          .sizes = {132 * 4, 132 * 16},
          .flop = nullptr,
          .min_bytes = [](int) { return 1.0 * sizeof(float) * kTable; }};
}

}  // namespace culprit
