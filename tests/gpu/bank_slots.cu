// SPDX-License-Identifier: Apache-2.0
#include "db/error.h"
#include "profiler/cuda_context.h"
#include "tests/bank_patterns/patterns.h"
#include "tests/gpu/bank_slots.h"

namespace culprit::testing {
namespace {

// volatile in the PTX as well: otherwise ptxas takes the access out of its loop. A predicate turns a lane off, so that
// the instruction is one for all lanes.
struct Load4 {
  static __device__ unsigned Access(unsigned address, bool active, unsigned v) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.volatile.shared.u32 %0, [%1]; }"
                 : "+r"(v)
                 : "r"(address), "r"(static_cast<unsigned>(active))
                 : "memory");
    return v;
  }
};
struct Load8 {
  static __device__ unsigned Access(unsigned address, bool active, unsigned v) {
    unsigned w = v;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p ld.volatile.shared.v2.u32 {%0, %1}, [%2]; }"
                 : "+r"(v), "+r"(w)
                 : "r"(address), "r"(static_cast<unsigned>(active))
                 : "memory");
    return v ^ w;
  }
};
struct Load16 {
  static __device__ unsigned Access(unsigned address, bool active, unsigned v) {
    unsigned w = v, x = v, y = v;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "+r"(v), "+r"(w), "+r"(x), "+r"(y)
                 : "r"(address), "r"(static_cast<unsigned>(active))
                 : "memory");
    return v ^ w ^ x ^ y;
  }
};
struct Store4 {
  static __device__ unsigned Access(unsigned address, bool active, unsigned v) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p st.volatile.shared.u32 [%0], %2; }" ::"r"(address),
                 "r"(static_cast<unsigned>(active)), "r"(v)
                 : "memory");
    return v;
  }
};
struct Store8 {
  static __device__ unsigned Access(unsigned address, bool active, unsigned v) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p st.volatile.shared.v2.u32 [%0], {%2, %3}; }" ::"r"(address),
                 "r"(static_cast<unsigned>(active)), "r"(v), "r"(v + 1)
                 : "memory");
    return v;
  }
};
struct Store16 {
  static __device__ unsigned Access(unsigned address, bool active, unsigned v) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %1, 0; @p st.volatile.shared.v4.u32 [%0], {%2, %3, %4, %5}; }" ::"r"(address),
        "r"(static_cast<unsigned>(active)), "r"(v), "r"(v + 1), "r"(v + 2), "r"(v + 3)
        : "memory");
    return v;
  }
};

template <int kMatrices, bool kTransposed>
struct LoadMatrix {
  static __device__ unsigned Access(unsigned address, bool, unsigned v) {
    unsigned w = 0, x = 0, y = 0;
    if constexpr (kMatrices == 1 && !kTransposed)
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(address) : "memory");
    if constexpr (kMatrices == 1 && kTransposed)
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(address) : "memory");
    if constexpr (kMatrices == 2 && !kTransposed)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                   : "=r"(v), "=r"(w)
                   : "r"(address)
                   : "memory");
    if constexpr (kMatrices == 2 && kTransposed)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(v), "=r"(w)
                   : "r"(address)
                   : "memory");
    if constexpr (kMatrices == 4 && !kTransposed)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v), "=r"(w), "=r"(x), "=r"(y)
                   : "r"(address)
                   : "memory");
    if constexpr (kMatrices == 4 && kTransposed)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v), "=r"(w), "=r"(x), "=r"(y)
                   : "r"(address)
                   : "memory");
    return v ^ w ^ x ^ y;
  }
};

template <int kMatrices, bool kTransposed>
struct StoreMatrix {
  static __device__ unsigned Access(unsigned address, bool, unsigned v) {
#if __CUDA_ARCH__ >= 900
    if constexpr (kMatrices == 1 && !kTransposed)
      asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(v) : "memory");
    if constexpr (kMatrices == 1 && kTransposed)
      asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(address), "r"(v) : "memory");
    if constexpr (kMatrices == 2 && !kTransposed)
      asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(v), "r"(v + 1)
                   : "memory");
    if constexpr (kMatrices == 2 && kTransposed)
      asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(v), "r"(v + 1)
                   : "memory");
    if constexpr (kMatrices == 4 && !kTransposed)
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v),
                   "r"(v + 1), "r"(v + 2), "r"(v + 3)
                   : "memory");
    if constexpr (kMatrices == 4 && kTransposed)
      asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v),
                   "r"(v + 1), "r"(v + 2), "r"(v + 3)
                   : "memory");
#endif
    return v + address;
  }
};

template <class Instruction>
__global__ void BankSlots(const int* addresses, const int* repeats, unsigned* sink, unsigned step) {
  __shared__ __align__(1024) unsigned char tile[kPatternBytes];
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  unsigned v = threadIdx.x;
#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot) {
    const int address = addresses[slot * kWarpLanes + threadIdx.x];
    unsigned at = base + address;
#pragma unroll 1
    for (int r = repeats[slot]; r > 0; --r) {
      v ^= Instruction::Access(at, address >= 0, v);
      at += step;  // 0, which the compiler does not know: ldmatrix stays in its loop. A barrier would count wavefronts.
    }
  }
  sink[threadIdx.x] = v;
}

using Kernel = void (*)(const int*, const int*, unsigned*, unsigned);

template <template <int, bool> class Form>
Kernel KernelOfForm(const BankInstruction& i) {
  switch (i.matrices) {
    case 1:
      return i.transposed ? BankSlots<Form<1, true>> : BankSlots<Form<1, false>>;
    case 2:
      return i.transposed ? BankSlots<Form<2, true>> : BankSlots<Form<2, false>>;
    case 4:
      return i.transposed ? BankSlots<Form<4, true>> : BankSlots<Form<4, false>>;
  }
  throw Error("a matrix instruction takes 1, 2 or 4 matrices.");
}

Kernel KernelOf(const BankInstruction& i) {
  switch (i.op) {
    case SharedOp::kLoad:
      return i.lane_bytes == 4 ? BankSlots<Load4> : i.lane_bytes == 8 ? BankSlots<Load8> : BankSlots<Load16>;
    case SharedOp::kStore:
      return i.lane_bytes == 4 ? BankSlots<Store4> : i.lane_bytes == 8 ? BankSlots<Store8> : BankSlots<Store16>;
    case SharedOp::kLoadMatrix:
      return KernelOfForm<LoadMatrix>(i);
    case SharedOp::kStoreMatrix:
      return KernelOfForm<StoreMatrix>(i);
  }
  throw Error("an instruction that this kernel does not have.");
}

}  // namespace

bool NeedsHopper(const BankInstruction& instruction) { return instruction.op == SharedOp::kStoreMatrix; }

void LaunchBankSlots(const BankInstruction& instruction, const int* addresses, const int* repeats, unsigned* sink,
                     cudaStream_t stream) {
  KernelOf(instruction)<<<1, kWarpLanes, 0, stream>>>(addresses, repeats, sink, 0);
  CheckCuda(cudaGetLastError(), "launch the accesses whose banks are counted");
}

}  // namespace culprit::testing
