// Rotary position embedding (NeoX layout: pairs are d and d + D/2) for Q and K of a GQA model, fp16.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int kTokens = 8192, kQHeads = 32, kKHeads = 8, kDim = 128, kHalf = kDim / 2;
constexpr int kMaxPos = 4096;
constexpr int kVec = 8, kChunks = kHalf / kVec;                  // 8 chunks of 8 rotation pairs
constexpr int kThreads = (kQHeads + kKHeads) * kChunks;          // one block per token
constexpr float kTheta = 10000.0f;

__host__ __device__ inline uint32_t mix(uint32_t x) {
    x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x;
}
__host__ __device__ inline float val(uint32_t seed, uint32_t i) {
    return (float)(mix(i * 747796405u + seed) >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
__host__ __device__ inline int position_of(int token) { return (int)(mix(token + 99u) % kMaxPos); }

__global__ void fill_half(half* p, int n, uint32_t seed) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = __float2half(val(seed, i));
}
__global__ void build_table(float* cos_t, float* sin_t, int* pos) {
    const int p = blockIdx.x, d = threadIdx.x;
    const double a = (double)p * pow((double)kTheta, -2.0 * d / kDim);
    cos_t[p * kHalf + d] = (float)cos(a);
    sin_t[p * kHalf + d] = (float)sin(a);
    if (d < kTokens / kMaxPos) pos[p + d * kMaxPos] = position_of(p + d * kMaxPos);
}

__device__ __forceinline__ void to_float(uint4 a, float (&f)[kVec]) {
    const half2* v = reinterpret_cast<const half2*>(&a);
#pragma unroll
    for (int i = 0; i < 4; ++i) { float2 t = __half22float2(v[i]); f[2 * i] = t.x; f[2 * i + 1] = t.y; }
}
__device__ __forceinline__ void load8(const float* __restrict__ p, float (&f)[kVec]) {
    const float4 a = __ldg(reinterpret_cast<const float4*>(p));
    const float4 b = __ldg(reinterpret_cast<const float4*>(p) + 1);
    f[0] = a.x; f[1] = a.y; f[2] = a.z; f[3] = a.w;
    f[4] = b.x; f[5] = b.y; f[6] = b.z; f[7] = b.w;
}
__device__ __forceinline__ void store8(half* p, const float (&f)[kVec]) {
    uint4 r;
    half2* v = reinterpret_cast<half2*>(&r);
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = __floats2half2_rn(f[2 * i], f[2 * i + 1]);
    *reinterpret_cast<uint4*>(p) = r;
}
__device__ __forceinline__ void store_pairs(half* p, const float (&f)[kVec]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) reinterpret_cast<half2*>(p)[i] = __floats2half2_rn(f[2 * i], f[2 * i + 1]);
}

__global__ void __launch_bounds__(kThreads)
rope_qk(const half* __restrict__ q, const half* __restrict__ k, half* __restrict__ q_out,
        half* __restrict__ k_out, const int* __restrict__ positions,
        const float* __restrict__ cos_t, const float* __restrict__ sin_t) {
    const int token = blockIdx.x;
    const int head = threadIdx.x / kChunks;
    const int d0 = (threadIdx.x % kChunks) * kVec;
    const int pos = positions[token];

    float c[kVec], s[kVec];
#if defined(MISTAKE_1)
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
        const float inv_freq = powf(kTheta, -2.0f * (d0 + i) / kDim);
        sincosf(pos * inv_freq, &s[i], &c[i]);
    }
#else
    load8(cos_t + pos * kHalf + d0, c);
    load8(sin_t + pos * kHalf + d0, s);
#endif

    const bool is_q = head < kQHeads;
    const size_t off = is_q ? ((size_t)token * kQHeads + head) * kDim + d0
                            : ((size_t)token * kKHeads + head - kQHeads) * kDim + d0;
    const half* src = (is_q ? q : k) + off;
    half* dst = (is_q ? q_out : k_out) + off;
    float a[kVec], b[kVec], ra[kVec], rb[kVec];
    to_float(*reinterpret_cast<const uint4*>(src), a);
    to_float(*reinterpret_cast<const uint4*>(src + kHalf), b);
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
        ra[i] = a[i] * c[i] - b[i] * s[i];
        rb[i] = b[i] * c[i] + a[i] * s[i];
    }
#if defined(MISTAKE_2)
    if (is_q) {
        store8(dst, ra);
        store8(dst + kHalf, rb);
    } else {
        store_pairs(dst, ra);
        store_pairs(dst + kHalf, rb);
    }
#else
    store8(dst, ra);
    store8(dst + kHalf, rb);
#endif
}

static double check(const std::vector<half>& out, uint32_t seed, int heads, double* sum) {
    double worst = 0.0;
    for (int t = 0; t < kTokens; t += 257)
        for (int h = 0; h < heads; ++h)
            for (int d = 0; d < kHalf; ++d) {
                const uint32_t i = (t * heads + h) * kDim + d;
                const double a = __half2float(__float2half(val(seed, i)));
                const double b = __half2float(__float2half(val(seed, i + kHalf)));
                const double ang = position_of(t) * std::pow((double)kTheta, -2.0 * d / kDim);
                const double ra = a * std::cos(ang) - b * std::sin(ang), rb = b * std::cos(ang) + a * std::sin(ang);
                worst = std::fmax(worst, std::fabs(ra - __half2float(out[i])));
                worst = std::fmax(worst, std::fabs(rb - __half2float(out[i + kHalf])));
                *sum += __half2float(out[i]) + 0.5 * __half2float(out[i + kHalf]);
            }
    return worst;
}

int main() {
    const int nq = kTokens * kQHeads * kDim, nk = kTokens * kKHeads * kDim;
    half *q, *k, *qo, *ko; float *ct, *st; int* pos;
    CK(cudaMalloc(&q, nq * 2)); CK(cudaMalloc(&k, nk * 2));
    CK(cudaMalloc(&qo, nq * 2)); CK(cudaMalloc(&ko, nk * 2));
    CK(cudaMalloc(&ct, kMaxPos * kHalf * 4)); CK(cudaMalloc(&st, kMaxPos * kHalf * 4));
    CK(cudaMalloc(&pos, kTokens * 4));
    fill_half<<<1024, 256>>>(q, nq, 1u);
    fill_half<<<1024, 256>>>(k, nk, 2u);
    build_table<<<kMaxPos, kHalf>>>(ct, st, pos);
    CK(cudaGetLastError());

    for (int it = 0; it < 100; ++it) rope_qk<<<kTokens, kThreads>>>(q, k, qo, ko, pos, ct, st);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<half> hq(nq), hk(nk);
    CK(cudaMemcpy(hq.data(), qo, (size_t)nq * 2, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hk.data(), ko, (size_t)nk * 2, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    const double worst = std::fmax(check(hq, 1u, kQHeads, &sum), check(hk, 2u, kKHeads, &sum));
    std::printf("rope_neox_half checksum %.4f maxerr %.5f\n", sum, worst);
    if (!(worst < 0.01)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
