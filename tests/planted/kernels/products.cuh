// SPDX-License-Identifier: Apache-2.0
// Products of a warpgroup on small whole numbers, over and over: what pairs that differ in how wgmma is used have in
// common. Sums are whole numbers below 2^24, which floats hold, so that any order of adding them is right.
#pragma once
#include <cuda_fp16.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/hgemm/wgmma.cuh"
#include "kernels/tma.cuh"
#include "tests/planted/kernels/job.h"

namespace culprit::products {

inline constexpr int kRows = 64, kDepth = 64, kStepDepth = 16, kSteps = kDepth / kStepDepth;
inline constexpr int kRounds = 1024;  // each block computes its products as often

// Where a factor lies in shared memory, row (of A) or column (of B) by row, without a permutation: cores of 8 rows of
// 16 bytes, 128 bytes each, those of a row's depth one after the other.
inline constexpr int kCoreRows = 8, kCoreBytes = 128, kNextRows = kDepth / 8 * kCoreBytes;

__device__ __forceinline__ std::uint64_t Descriptor(SharedAddress at) {
  return (at & 0x3ffffu) >> 4 | std::uint64_t{kCoreBytes >> 4} << 16 | std::uint64_t{kNextRows >> 4} << 32;
}

// From rows of kDepth floats.
__device__ __forceinline__ void PlaceHalves(__half* to, const float* from, int rows) {
  for (int i = static_cast<int>(threadIdx.x); i < rows * kDepth; i += kWarpgroup) {
    const int row = i / kDepth, k = i % kDepth;
    to[row / kCoreRows * (kNextRows / 2) + k / 8 * (kCoreBytes / 2) + row % kCoreRows * 8 + k % 8] =
        __float2half(from[i]);
  }
}

// Element (row, column) of the sums of a thread, by its index: see wgmma.cuh.
__device__ __forceinline__ int RowOf(int i) {
  const int t = static_cast<int>(threadIdx.x);
  return t / 32 * 16 + t % 32 / 4 + i % 4 / 2 * 8;
}
__device__ __forceinline__ int ColumnOf(int i) { return i / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2; }

#define CULPRIT_F4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define CULPRIT_F16(i) CULPRIT_F4(i), CULPRIT_F4(i + 4), CULPRIT_F4(i + 8), CULPRIT_F4(i + 12)
#define CULPRIT_F64(i) CULPRIT_F16(i), CULPRIT_F16(i + 16), CULPRIT_F16(i + 32), CULPRIT_F16(i + 48)

// sums (64 x 2 N) += a (64 x 16) * b (16 x 2 N), where a thread holds N sums.
__device__ __forceinline__ void Multiply(float (&sums)[16], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
      "}, %16, %17, 1, 1, 1, 0, 0;"
      : CULPRIT_F16(0)
      : "l"(a), "l"(b));
}
__device__ __forceinline__ void Multiply(float (&sums)[32], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
      "}, %32, %33, 1, 1, 1, 0, 0;"
      : CULPRIT_F16(0), CULPRIT_F16(16)
      : "l"(a), "l"(b));
}
__device__ __forceinline__ void Multiply(float (&sums)[128], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
      "%59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "
      "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, "
      "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, "
      "%113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, 1, 1, 1, 0, 0;"
      : CULPRIT_F64(0), CULPRIT_F64(64)
      : "l"(a), "l"(b));
}

#undef CULPRIT_F64
#undef CULPRIT_F16
#undef CULPRIT_F4

// Each block has factors of its own, 64 rows of A, then kColumns columns of B; `size` is the number of blocks.
template <int kColumns>
struct JobOf {
  static constexpr std::size_t kEvery = 127;
  static constexpr std::size_t kFactors = static_cast<std::size_t>(kRows + kColumns) * kDepth;
  static std::vector<float> Inputs(int blocks) {
    std::vector<float> values = UniformFloats(kFactors * blocks, 1);
    for (float& v : values) v = std::rint(2 * v);
    return values;
  }
  static std::size_t Outputs(int blocks) { return static_cast<std::size_t>(blocks) * kRows * kColumns; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const std::size_t block = i / (kRows * kColumns), row = i / kColumns % kRows, column = i % kColumns;
    const float* a = in.data() + block * kFactors + row * kDepth;
    const float* b = in.data() + block * kFactors + (kRows + column) * kDepth;
    double sum = 0;
    for (int k = 0; k < kDepth; ++k) sum += static_cast<double>(a[k]) * b[k];
    return {kRounds * sum, 0};
  }
  static double Flop(int blocks) { return 2.0 * kRows * kColumns * kDepth * kRounds * blocks; }
};
static_assert(4.0 * kDepth * kRounds < 1 << 24, "floats hold every sum");

}  // namespace culprit::products
