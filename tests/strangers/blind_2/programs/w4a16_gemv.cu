// Weight-only int4 quantised matrix-vector product (batch 1 LLM decoding): groups of 128, fp16 scales, fp16 x.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int kRows = 28672, kK = 8192, kGroup = 128;
constexpr int kThreads = 256, kWarps = kThreads / 32, kRowsPerWarp = 4;
constexpr int kWords = kK / 8;                 // 32-bit words per row
constexpr int kIters = kK / (32 * 32);         // a lane takes 32 weights (one uint4) per iteration

__host__ __device__ inline uint32_t mix(uint32_t x) {
    x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x;
}
__host__ __device__ inline uint32_t weight_word(uint32_t i) { return mix(i * 747796405u + 17u); }
__host__ __device__ inline float scale_of(uint32_t i) { return 0.01f + (mix(i + 0x51ed270bU) >> 8) * (0.03f / 16777216.0f); }
__host__ __device__ inline float x_of(uint32_t i) { return (mix(i + 0x9e3779b9U) >> 8) * (2.0f / 16777216.0f) - 1.0f; }

__global__ void init(uint32_t* w, half* s, half* x) {
    const int n = kRows * kWords;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        w[i] = weight_word(i);
        if (i < kRows * (kK / kGroup)) s[i] = __float2half(scale_of(i));
        if (i < kK) x[i] = __float2half(x_of(i));
    }
}

__device__ __forceinline__ half2 bits2half2(uint32_t u) { return *reinterpret_cast<half2*>(&u); }

// Eight weights times eight activations. The activations come as (0,4) (1,5) (2,6) (3,7) so that
// two nibbles of the word drop into the mantissas of 1024.0 with one mask.
__device__ __forceinline__ half2 dot8(uint32_t w, uint4 x, half2 acc) {
    const half2 bias = __float2half2_rn(1032.0f);
    const half2* xv = reinterpret_cast<const half2*>(&x);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const half2 q = __hsub2(bits2half2(((w >> (4 * i)) & 0x000f000fu) | 0x64006400u), bias);
        acc = __hfma2(q, xv[i], acc);
    }
    return acc;
}

__device__ __forceinline__ uint4 interleave(uint4 v) {
    uint4 r;
    r.x = __byte_perm(v.x, v.z, 0x5410);
    r.y = __byte_perm(v.x, v.z, 0x7632);
    r.z = __byte_perm(v.y, v.w, 0x5410);
    r.w = __byte_perm(v.y, v.w, 0x7632);
    return r;
}

// Where the chunk of 8 activations that belongs to word j of a lane lives in shared memory.
__device__ __forceinline__ int x_slot(int it, int lane, int j) {
#if defined(MISTAKE_1)
    return it * 128 + lane * 4 + j;
#else
    return it * 128 + j * 32 + lane;
#endif
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void __launch_bounds__(kThreads)
w4a16_gemv(const uint32_t* __restrict__ w, const half* __restrict__ scales, const half* __restrict__ x,
           float* __restrict__ y) {
    __shared__ uint4 s_x[kK / 8];
#if defined(MISTAKE_2)
    __shared__ float s_row[kWarps];
#endif
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    for (int c = threadIdx.x; c < kK / 8; c += kThreads)
        s_x[x_slot(c >> 7, (c >> 2) & 31, c & 3)] = interleave(reinterpret_cast<const uint4*>(x)[c]);
#if defined(MISTAKE_2)
    if (threadIdx.x < kWarps) s_row[threadIdx.x] = 0.0f;
#endif
    __syncthreads();

    const int row0 = (blockIdx.x * kWarps + warp) * kRowsPerWarp;
    for (int r = 0; r < kRowsPerWarp; ++r) {
        const int row = row0 + r;
        const uint4* wr = reinterpret_cast<const uint4*>(w + (size_t)row * kWords);
        const half* sr = scales + (size_t)row * (kK / kGroup);
        float acc = 0.0f;
#pragma unroll
        for (int it = 0; it < kIters; ++it) {
            const uint4 q = __ldcs(wr + it * 32 + lane);
            const float s = __half2float(sr[it * 8 + (lane >> 2)]);
            half2 p0 = __float2half2_rn(0.0f), p1 = p0;
            p0 = dot8(q.x, s_x[x_slot(it, lane, 0)], p0);
            p1 = dot8(q.y, s_x[x_slot(it, lane, 1)], p1);
            p0 = dot8(q.z, s_x[x_slot(it, lane, 2)], p0);
            p1 = dot8(q.w, s_x[x_slot(it, lane, 3)], p1);
            const float2 f0 = __half22float2(p0), f1 = __half22float2(p1);
            acc = fmaf(s, (f0.x + f0.y) + (f1.x + f1.y), acc);
        }
#if defined(MISTAKE_2)
        atomicAdd(&s_row[warp], acc);
        __syncwarp();
        if (lane == 0) {
            y[row] = s_row[warp];
            s_row[warp] = 0.0f;
        }
        __syncwarp();
#else
        acc = warp_sum(acc);
        if (lane == 0) y[row] = acc;
#endif
    }
}

int main() {
    uint32_t* w; half *s, *x; float* y;
    CK(cudaMalloc(&w, (size_t)kRows * kWords * 4));
    CK(cudaMalloc(&s, (size_t)kRows * (kK / kGroup) * 2));
    CK(cudaMalloc(&x, kK * 2));
    CK(cudaMalloc(&y, kRows * 4));
    init<<<2048, 256>>>(w, s, x);
    CK(cudaGetLastError());

    for (int it = 0; it < 100; ++it) w4a16_gemv<<<kRows / (kWarps * kRowsPerWarp), kThreads>>>(w, s, x, y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(kRows);
    CK(cudaMemcpy(h.data(), y, kRows * 4, cudaMemcpyDeviceToHost));
    double sum = 0.0, worst = 0.0;
    for (int r = 0; r < kRows; ++r) sum += h[r];
    for (int r = 0; r < kRows; r += 97) {
        double a = 0.0;
        for (int i = 0; i < kWords; ++i) {
            const uint32_t q = weight_word((uint32_t)r * kWords + i);
            const double sc = __half2float(__float2half(scale_of(r * (kK / kGroup) + i * 8 / kGroup)));
            for (int n = 0; n < 8; ++n)
                a += ((int)((q >> (4 * n)) & 15) - 8) * sc * __half2float(__float2half(x_of(i * 8 + n)));
        }
        worst = std::fmax(worst, std::fabs(a - h[r]));
    }
    std::printf("w4a16_gemv checksum %.4f maxerr %.4f\n", sum, worst);
    if (!(worst < 0.15)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
