// Fused residual add + LayerNorm for transformer blocks, bf16 in / bf16 out, fp32 statistics.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int kHidden  = 2048;
constexpr int kRows    = 16384;
constexpr int kThreads = 256;
constexpr int kVec     = 8;
static_assert(kHidden == kThreads * kVec, "one vector per thread");

__host__ __device__ inline uint32_t mix(uint32_t x) {
    x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return x;
}
__host__ __device__ inline float unit(uint32_t seed, uint32_t i) {
    return (mix(i * 2654435761U + seed) >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__global__ void fill_bf16(__nv_bfloat16* p, size_t n, uint32_t seed, float scale, float shift) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = __float2bfloat16(unit(seed, (uint32_t)i) * scale + shift);
}

__device__ __forceinline__ void unpack(uint4 a, float (&f)[kVec]) {
    const __nv_bfloat162* v = reinterpret_cast<const __nv_bfloat162*>(&a);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float2 t = __bfloat1622float2(v[i]);
        f[2 * i] = t.x; f[2 * i + 1] = t.y;
    }
}
__device__ __forceinline__ uint4 pack(const float (&f)[kVec]) {
    uint4 r;
    __nv_bfloat162* v = reinterpret_cast<__nv_bfloat162*>(&r);
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = __floats2bfloat162_rn(f[2 * i], f[2 * i + 1]);
    return r;
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// Sum over the block, result in every thread. scratch is private to one call.
__device__ __forceinline__ float block_sum(float v, float* scratch) {
#if defined(MISTAKE_1)
    scratch[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int i = 0; i < kThreads; ++i) s += scratch[i];
        scratch[0] = s;
    }
    __syncthreads();
    return scratch[0];
#else
    v = warp_sum(v);
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
    __syncthreads();
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < kThreads / 32; ++i) s += scratch[i];
    return s;
#endif
}

__global__ void __launch_bounds__(kThreads)
fused_add_layernorm(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ res_in,
                    const __nv_bfloat16* __restrict__ gamma, const __nv_bfloat16* __restrict__ beta,
                    __nv_bfloat16* __restrict__ res_out, __nv_bfloat16* __restrict__ y, float eps) {
    __shared__ float scratch[2][kThreads];
    const size_t off = (size_t)blockIdx.x * kHidden + threadIdx.x * kVec;

    float h[kVec], r[kVec];
    unpack(*reinterpret_cast<const uint4*>(x + off), h);
    unpack(*reinterpret_cast<const uint4*>(res_in + off), r);
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < kVec; ++i) { h[i] += r[i]; s += h[i]; }
    *reinterpret_cast<uint4*>(res_out + off) = pack(h);

    const float mean = block_sum(s, scratch[0]) * (1.0f / kHidden);
    float q = 0.0f;
#pragma unroll
    for (int i = 0; i < kVec; ++i) { float d = h[i] - mean; q = fmaf(d, d, q); }
    const float var  = block_sum(q, scratch[1]) * (1.0f / kHidden);
    const float rstd = rsqrtf(var + eps);

    float g[kVec], b[kVec];
#if defined(MISTAKE_2)
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
        g[i] = __bfloat162float(gamma[threadIdx.x * kVec + i]);
        b[i] = __bfloat162float(beta[threadIdx.x * kVec + i]);
    }
#else
    unpack(reinterpret_cast<const uint4*>(gamma)[threadIdx.x], g);
    unpack(reinterpret_cast<const uint4*>(beta)[threadIdx.x], b);
#endif
#pragma unroll
    for (int i = 0; i < kVec; ++i) h[i] = fmaf((h[i] - mean) * rstd, g[i], b[i]);
    *reinterpret_cast<uint4*>(y + off) = pack(h);
}

static float host_val(uint32_t seed, size_t i, float scale, float shift) {
    return __bfloat162float(__float2bfloat16(unit(seed, (uint32_t)i) * scale + shift));
}

int main() {
    const size_t n = (size_t)kRows * kHidden;
    __nv_bfloat16 *x, *r, *g, *b, *ro, *y;
    CK(cudaMalloc(&x, n * 2));  CK(cudaMalloc(&r, n * 2));
    CK(cudaMalloc(&ro, n * 2)); CK(cudaMalloc(&y, n * 2));
    CK(cudaMalloc(&g, kHidden * 2)); CK(cudaMalloc(&b, kHidden * 2));
    fill_bf16<<<1024, 256>>>(x, n, 11u, 1.5f, 0.1f);
    fill_bf16<<<1024, 256>>>(r, n, 23u, 2.0f, -0.3f);
    fill_bf16<<<8, 256>>>(g, kHidden, 37u, 0.2f, 1.0f);
    fill_bf16<<<8, 256>>>(b, kHidden, 41u, 0.5f, 0.0f);
    CK(cudaGetLastError());

    for (int it = 0; it < 100; ++it)
        fused_add_layernorm<<<kRows, kThreads>>>(x, r, g, b, ro, y, 1e-5f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<__nv_bfloat16> hy(n);
    CK(cudaMemcpy(hy.data(), y, n * 2, cudaMemcpyDeviceToHost));
    double worst = 0.0, sum = 0.0;
    for (int row = 0; row < kRows; row += 1023) {
        std::vector<float> h(kHidden);
        double m = 0.0, v = 0.0;
        for (int c = 0; c < kHidden; ++c) {
            size_t i = (size_t)row * kHidden + c;
            h[c] = host_val(11u, i, 1.5f, 0.1f) + host_val(23u, i, 2.0f, -0.3f);
            m += h[c];
        }
        m /= kHidden;
        for (int c = 0; c < kHidden; ++c) v += (h[c] - m) * (h[c] - m);
        const double rs = 1.0 / std::sqrt(v / kHidden + 1e-5);
        for (int c = 0; c < kHidden; ++c) {
            double ref = (h[c] - m) * rs * host_val(37u, c, 0.2f, 1.0f) + host_val(41u, c, 0.5f, 0.0f);
            double got = __bfloat162float(hy[(size_t)row * kHidden + c]);
            worst = std::fmax(worst, std::fabs(got - ref));
            sum += got;
        }
    }
    std::printf("residual_layernorm_bf16 checksum %.5f maxerr %.5f\n", sum, worst);
    if (!(worst < 0.03)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
