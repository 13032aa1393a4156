// SPDX-License-Identifier: Apache-2.0
// Products of matrices by a warp's tensor cores, and copies from memory to shared memory that pass by the registers.
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

namespace mma {

__device__ __forceinline__ std::uint32_t Shared(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ void Copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(Shared(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void EndCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most so many groups of copies are under way.
template <int kGroups>
__device__ __forceinline__ void WaitForCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

// Four matrices of 8x8; lane 8 * i + j names row j of matrix i.
__device__ __forceinline__ void Load4(std::uint32_t (&to)[4], const __half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(Shared(row)));
}

__device__ __forceinline__ void Load4Transposed(std::uint32_t (&to)[4], const __half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(Shared(row)));
}

// c += a * b of 16x16 and 16x8.
__device__ __forceinline__ void MultiplyAdd(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                            std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ std::uint32_t Pack(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&both);
}

}  // namespace mma
