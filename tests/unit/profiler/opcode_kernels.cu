// SPDX-License-Identifier: Apache-2.0
// Kernels that ask for instructions by name, in numbers that sass_opcode_test.cpp knows. `volatile` keeps each of them.
// Never launched.
#include <cstdint>

__constant__ float kWeights[64];

extern "C" __global__ void five_barriers(float* out, int name) {
  asm volatile("bar.sync 0;");
  asm volatile("bar.sync 2, 64;");
  asm volatile("bar.arrive 3, 64;");
  asm volatile("bar.sync %0;" ::"r"(name & 7));
  asm volatile("bar.sync %0, %1;" ::"r"(name & 7), "r"(blockDim.x));
  out[threadIdx.x] = 0;
}

// The pipe that counts barriers counts these too.
extern "C" __global__ void constants_without_barriers(float* out) {
  float sum = 0;
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) sum += kWeights[i];
  out[threadIdx.x] = sum;
}

extern "C" __global__ void memory(float* global, unsigned* counter) {
  __shared__ volatile float tile[64];
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(const_cast<float*>(tile)));
  float a, b;
  asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(a) : "l"(global));
  asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(b) : "l"(global + 32));
  tile[threadIdx.x] = a;
  tile[threadIdx.x ^ 1] = b;
  asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(address), "f"(a));
  std::uint32_t matrix;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(matrix) : "r"(address));
  asm volatile("st.volatile.global.f32 [%0], %1;" ::"l"(global), "f"(tile[threadIdx.x ^ 2]));
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(global + 32), "r"(matrix));
  unsigned before;
  asm volatile("atom.global.cas.b32 %0, [%1], 0, %2;" : "=r"(before) : "l"(counter), "r"(matrix));
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(global + 64), "r"(before));
}

extern "C" __global__ void arithmetic(float* out) {
  const float a = out[threadIdx.x], b = out[threadIdx.x + 1], c = out[threadIdx.x + 2];
  float fused, root;
  asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "=f"(fused) : "f"(a), "f"(b), "f"(c));
  asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(fused));
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, root, 1);
}
