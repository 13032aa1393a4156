// SPDX-License-Identifier: Apache-2.0
// Multiplication by a warpgroup (128 threads) that reads both factors from shared memory (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Instructions"; sm_90a only).
//
// The 64 result rows of a warpgroup are spread over its threads: warp w has rows 16 w to 16 w + 15. Of 8 columns, lane
// l holds row l / 4, columns 2 (l % 4) and the next, in elements 4 j and 4 j + 1 of its sums, and row l / 4 + 8 in the
// next two elements.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "kernels/hgemm/wgmma_tile.h"

namespace culprit {

// Needed once before the first multiplication, because the thread may have written the registers of the sums.
__device__ __forceinline__ void WgmmaBegin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void WgmmaCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until at most kGroups committed groups are unfinished.
template <int kGroups>
__device__ __forceinline__ void WgmmaAwait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}

#define CULPRIT_F4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define CULPRIT_F16(i) CULPRIT_F4(i), CULPRIT_F4(i + 4), CULPRIT_F4(i + 8), CULPRIT_F4(i + 12)
#define CULPRIT_F64(i) CULPRIT_F16(i), CULPRIT_F16(i + 16), CULPRIT_F16(i + 32), CULPRIT_F16(i + 48)
#define CULPRIT_REGISTERS_64                                                         \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define CULPRIT_REGISTERS_96                                                         \
  CULPRIT_REGISTERS_64                                                               \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define CULPRIT_REGISTERS_128                                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// Operands: the sums, two descriptors, and whether to add to the sums or replace them. A is K-major (0 at the end), B
// is MN-major (1 at the end).
#define CULPRIT_WGMMA(shape, type, registers, a_at, b_at, add_at, ...)                                         \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " add_at                                                  \
               ", 0;\n"                                                                                        \
               "wgmma.mma_async.sync.aligned." shape ".f32." type "." type " {" registers "}, " a_at ", " b_at \
               ", add, 1, 1, 0, 1;\n}"                                                                         \
               : __VA_ARGS__                                                                                   \
               : "l"(a), "l"(b), "r"(static_cast<int>(add)))

// sums (64 x 2 N) = [sums +] a (64 x 16) * b (16 x 2 N); a thread holds N sums.
template <class Element>
__device__ __forceinline__ void Wgmma(float (&sums)[64], std::uint64_t a, std::uint64_t b, bool add) {
  if constexpr (std::is_same_v<Element, __half>)
    CULPRIT_WGMMA("m64n128k16", "f16", CULPRIT_REGISTERS_64, "%64", "%65", "%66", CULPRIT_F64(0));
  else
    CULPRIT_WGMMA("m64n128k16", "bf16", CULPRIT_REGISTERS_64, "%64", "%65", "%66", CULPRIT_F64(0));
}

template <class Element>
__device__ __forceinline__ void Wgmma(float (&sums)[96], std::uint64_t a, std::uint64_t b, bool add) {
  if constexpr (std::is_same_v<Element, __half>)
    CULPRIT_WGMMA("m64n192k16", "f16", CULPRIT_REGISTERS_96, "%96", "%97", "%98", CULPRIT_F64(0), CULPRIT_F16(64),
                  CULPRIT_F16(80));
  else
    CULPRIT_WGMMA("m64n192k16", "bf16", CULPRIT_REGISTERS_96, "%96", "%97", "%98", CULPRIT_F64(0), CULPRIT_F16(64),
                  CULPRIT_F16(80));
}

template <class Element>
__device__ __forceinline__ void Wgmma(float (&sums)[128], std::uint64_t a, std::uint64_t b, bool add) {
  if constexpr (std::is_same_v<Element, __half>)
    CULPRIT_WGMMA("m64n256k16", "f16", CULPRIT_REGISTERS_128, "%128", "%129", "%130", CULPRIT_F64(0), CULPRIT_F64(64));
  else
    CULPRIT_WGMMA("m64n256k16", "bf16", CULPRIT_REGISTERS_128, "%128", "%129", "%130", CULPRIT_F64(0), CULPRIT_F64(64));
}

// sums (64 x 128) = [sums +] a (64 x 8) * b (8 x 128) in TF32, which uses the 19 leading bits of each value. A is in
// registers: warp w has rows 16 w to 16 w + 15, lane l columns l % 4 of rows l / 4 and l / 4 + 8, then column l % 4 + 4
// of both. B is K-major, the only layout that TF32 supports.
__device__ __forceinline__ void WgmmaTf32(float (&sums)[64], const std::uint32_t (&a)[4], std::uint64_t b, bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" CULPRIT_REGISTERS_64
      "}, {%64, %65, %66, %67}, %68, add, 1, 1;\n}"
      : CULPRIT_F64(0)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)));
}

#undef CULPRIT_WGMMA
#undef CULPRIT_REGISTERS_128
#undef CULPRIT_REGISTERS_96
#undef CULPRIT_REGISTERS_64
#undef CULPRIT_F64
#undef CULPRIT_F16
#undef CULPRIT_F4

// Reduces the registers per thread of this warpgroup. Others may take the released ones.
template <int kRegisters>
__device__ __forceinline__ void GiveRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void TakeRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

}  // namespace culprit
