// Decode-time grouped-query attention: one new token per sequence, fp16 KV cache, keys split over blocks.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int kBatch = 16, kKvHeads = 8, kGroup = 4, kCtx = 4096, kDim = 128;
constexpr int kThreads = 128;
constexpr int kTeams = kThreads / 16;         // half-warps, each works on its own keys
constexpr int kStep = 4;                      // keys per team and iteration
constexpr int kMaxSplits = 16;
constexpr float kLog2e = 1.4426950408889634f;

__host__ __device__ inline float val(uint32_t seed, uint32_t i) {
    uint32_t x = i * 747796405u + seed; x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return (float)(x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
__global__ void fill_half(half* p, int n, uint32_t seed, float scale) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = __float2half(scale * val(seed, i));
}

__device__ __forceinline__ void widen(uint4 u, float (&f)[8]) {
    const half2* h = reinterpret_cast<const half2*>(&u);
#pragma unroll
    for (int i = 0; i < 4; ++i) { const float2 t = __half22float2(h[i]); f[2 * i] = t.x; f[2 * i + 1] = t.y; }
}
__device__ __forceinline__ float team_sum(float v) {
#pragma unroll
    for (int o = 8; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// grid: (splits, kv heads, batch)
__global__ void __launch_bounds__(kThreads)
decode_attention(const half* __restrict__ q, const half* __restrict__ k_cache, const half* __restrict__ v_cache,
                 float* __restrict__ part_acc, float2* __restrict__ part_ml, int keys_per_split) {
    __shared__ float s_acc[kTeams][kGroup][kDim];
    __shared__ float s_m[kTeams][kGroup], s_l[kTeams][kGroup];
    const int pair = blockIdx.z * kKvHeads + blockIdx.y;
    const int team = threadIdx.x >> 4, tl = threadIdx.x & 15;
    const size_t kv0 = ((size_t)pair * kCtx + (size_t)blockIdx.x * keys_per_split) * kDim + tl * 8;

    float qf[kGroup][8], acc[kGroup][8], m[kGroup], l[kGroup];
    const float scale = rsqrtf((float)kDim) * kLog2e;
#pragma unroll
    for (int h = 0; h < kGroup; ++h) {
        widen(*reinterpret_cast<const uint4*>(q + ((size_t)pair * kGroup + h) * kDim + tl * 8), qf[h]);
        m[h] = -1e30f; l[h] = 0.0f;
#pragma unroll
        for (int d = 0; d < 8; ++d) { qf[h][d] *= scale; acc[h][d] = 0.0f; }
    }

    for (int key = team * kStep; key < keys_per_split; key += kTeams * kStep) {
        uint4 kr[kStep], vr[kStep];
#pragma unroll
        for (int j = 0; j < kStep; ++j) kr[j] = __ldcs(reinterpret_cast<const uint4*>(k_cache + kv0 + (size_t)(key + j) * kDim));
#pragma unroll
        for (int j = 0; j < kStep; ++j) vr[j] = __ldcs(reinterpret_cast<const uint4*>(v_cache + kv0 + (size_t)(key + j) * kDim));
        float sc[kGroup][kStep];
#pragma unroll
        for (int j = 0; j < kStep; ++j) {
            float kf[8];
            widen(kr[j], kf);
#pragma unroll
            for (int h = 0; h < kGroup; ++h) {
                float s = 0.0f;
#pragma unroll
                for (int d = 0; d < 8; ++d) s = fmaf(qf[h][d], kf[d], s);
                sc[h][j] = team_sum(s);
            }
        }
#pragma unroll
        for (int h = 0; h < kGroup; ++h) {
            const float mn = fmaxf(m[h], fmaxf(fmaxf(sc[h][0], sc[h][1]), fmaxf(sc[h][2], sc[h][3])));
            const float fix = exp2f(m[h] - mn);
            m[h] = mn;
            l[h] *= fix;
#pragma unroll
            for (int d = 0; d < 8; ++d) acc[h][d] *= fix;
#pragma unroll
            for (int j = 0; j < kStep; ++j) { sc[h][j] = exp2f(sc[h][j] - mn); l[h] += sc[h][j]; }
        }
#pragma unroll
        for (int j = 0; j < kStep; ++j) {
            float vf[8];
            widen(vr[j], vf);
#pragma unroll
            for (int h = 0; h < kGroup; ++h)
#pragma unroll
                for (int d = 0; d < 8; ++d) acc[h][d] = fmaf(sc[h][j], vf[d], acc[h][d]);
        }
    }

#pragma unroll
    for (int h = 0; h < kGroup; ++h) {
        if (tl == 0) { s_m[team][h] = m[h]; s_l[team][h] = l[h]; }
        float4* dst = reinterpret_cast<float4*>(&s_acc[team][h][tl * 8]);
        dst[0] = make_float4(acc[h][0], acc[h][1], acc[h][2], acc[h][3]);
        dst[1] = make_float4(acc[h][4], acc[h][5], acc[h][6], acc[h][7]);
    }
    __syncthreads();

    // merge the teams of this block
#if defined(MISTAKE_2)
    if (threadIdx.x >= 32) return;
    for (int d = threadIdx.x; d < kDim; d += 32)
#else
    const int d = threadIdx.x;
#endif
    {
        for (int h = 0; h < kGroup; ++h) {
            float mx = s_m[0][h];
            for (int t = 1; t < kTeams; ++t) mx = fmaxf(mx, s_m[t][h]);
            float lsum = 0.0f, a = 0.0f;
            for (int t = 0; t < kTeams; ++t) {
                const float f = exp2f(s_m[t][h] - mx);
                lsum = fmaf(f, s_l[t][h], lsum);
                a = fmaf(f, s_acc[t][h][d], a);
            }
            const size_t slot = ((size_t)pair * kGroup + h) * kMaxSplits + blockIdx.x;
            part_acc[slot * kDim + d] = a;
            if (d == 0) part_ml[slot] = make_float2(mx, lsum);
        }
    }
}

__global__ void combine_splits(const float* part_acc, const float2* part_ml, float* out, int splits) {
    const size_t head = blockIdx.x;
    float mx = -1e30f, l = 0.0f, a = 0.0f;
    for (int s = 0; s < splits; ++s) mx = fmaxf(mx, part_ml[head * kMaxSplits + s].x);
    for (int s = 0; s < splits; ++s) {
        const float2 ml = part_ml[head * kMaxSplits + s];
        const float f = exp2f(ml.x - mx);
        l = fmaf(f, ml.y, l);
        a = fmaf(f, part_acc[(head * kMaxSplits + s) * kDim + threadIdx.x], a);
    }
    out[head * kDim + threadIdx.x] = a / l;
}

int main() {
    const int heads = kBatch * kKvHeads * kGroup, nq = heads * kDim, nkv = kBatch * kKvHeads * kCtx * kDim;
    half *q, *k, *v; float *pa, *out; float2* pml;
    CK(cudaMalloc(&q, nq * 2)); CK(cudaMalloc(&k, (size_t)nkv * 2)); CK(cudaMalloc(&v, (size_t)nkv * 2));
    CK(cudaMalloc(&pa, (size_t)nq * kMaxSplits * 4)); CK(cudaMalloc(&pml, heads * kMaxSplits * sizeof(float2)));
    CK(cudaMalloc(&out, nq * 4));
    fill_half<<<1024, 256>>>(q, nq, 1u, 3.0f);
    fill_half<<<1024, 256>>>(k, nkv, 2u, 2.0f);
    fill_half<<<1024, 256>>>(v, nkv, 3u, 1.0f);
    CK(cudaGetLastError());
#if defined(MISTAKE_1)
    const int splits = 1;
#else
    const int splits = kMaxSplits;
#endif
    for (int it = 0; it < 100; ++it) {
        decode_attention<<<dim3(splits, kKvHeads, kBatch), kThreads>>>(q, k, v, pa, pml, kCtx / splits);
        combine_splits<<<heads, kDim>>>(pa, pml, out, splits);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(nq);
    CK(cudaMemcpy(h.data(), out, (size_t)nq * 4, cudaMemcpyDeviceToHost));
    auto hv = [](uint32_t seed, size_t i, float s) { return (double)__half2float(__float2half(s * val(seed, (uint32_t)i))); };
    double sum = 0.0, worst = 0.0;
    for (int hd = 5; hd < heads; hd += 83) {
        const size_t kv = (size_t)(hd / kGroup) * kCtx * kDim;
        std::vector<double> o(kDim, 0.0);
        double l = 0.0;
        for (int t = 0; t < kCtx; ++t) {
            double s = 0.0;
            for (int d = 0; d < kDim; ++d) s += hv(1u, (size_t)hd * kDim + d, 3.0f) * hv(2u, kv + (size_t)t * kDim + d, 2.0f);
            const double p = std::exp(s / std::sqrt((double)kDim));
            l += p;
            for (int d = 0; d < kDim; ++d) o[d] += p * hv(3u, kv + (size_t)t * kDim + d, 1.0f);
        }
        for (int d = 0; d < kDim; ++d) {
            worst = std::fmax(worst, std::fabs(o[d] / l - h[(size_t)hd * kDim + d]));
            sum += h[(size_t)hd * kDim + d];
        }
    }
    std::printf("decode_attention_splitkv checksum %.6f maxerr %.2e\n", sum, worst);
    if (!(worst < 1e-3)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
