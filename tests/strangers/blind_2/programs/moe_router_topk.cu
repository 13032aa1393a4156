// Mixture-of-experts router: softmax over 128 experts, top-4 selection, expert load histogram. One warp per token.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int kTokens = 262144, kExperts = 128, kTopK = 4;
constexpr int kThreads = 256, kWarps = kThreads / 32, kBlocks = 132 * 8;
constexpr unsigned kFull = 0xffffffffu;
static_assert(kTokens % kWarps == 0, "whole groups of tokens");

__host__ __device__ inline float logit(uint32_t i) {
    uint32_t x = i * 747796405u + 2891336453u;
    x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return (float)(x >> 8) * (8.0f / 16777216.0f) - 4.0f;
}
__global__ void fill(float* p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = logit(i);
}

// Monotone map float -> unsigned, so that the integer warp reduction can be used.
__device__ __forceinline__ unsigned order_key(float f) {
    const unsigned u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}
__device__ __forceinline__ float key_value(unsigned k) {
    return __uint_as_float((k & 0x80000000u) ? (k ^ 0x80000000u) : ~k);
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(kFull, v, o);
    return v;
}

struct Pick { unsigned key; int expert; };

// Largest remaining key of the warp; the owner removes it. Ties go to the lowest expert number.
__device__ __forceinline__ Pick pop_max(unsigned (&key)[4], int lane) {
    const unsigned mine = max(max(key[0], key[1]), max(key[2], key[3]));
    const unsigned best = __reduce_max_sync(kFull, mine);
    const int owner = __ffs(__ballot_sync(kFull, mine == best)) - 1;
    int slot = 3;
#pragma unroll
    for (int i = 2; i >= 0; --i) slot = (key[i] == best) ? i : slot;
    if (lane == owner) {
#pragma unroll
        for (int i = 0; i < 4; ++i) key[i] = (i == slot) ? 0u : key[i];
    }
    Pick p;
    p.key = best;
    p.expert = __shfl_sync(kFull, lane * 4 + slot, owner);
    return p;
}

__global__ void __launch_bounds__(kThreads)
route_topk(const float* __restrict__ logits, int* __restrict__ topk_id, float* __restrict__ topk_weight,
           unsigned* __restrict__ expert_load, int tokens) {
    __shared__ unsigned s_hist[kExperts];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    for (int e = threadIdx.x; e < kExperts; e += kThreads) s_hist[e] = 0u;
    __syncthreads();

    for (int base = blockIdx.x * kWarps; base < tokens; base += gridDim.x * kWarps) {
        const int token = base + warp;
        const float4 v = __ldcs(reinterpret_cast<const float4*>(logits + (size_t)token * kExperts) + lane);
        unsigned key[4] = {order_key(v.x), order_key(v.y), order_key(v.z), order_key(v.w)};

        Pick first = pop_max(key, lane);
        const float vmax = key_value(first.key);
        const float total = warp_sum(__expf(v.x - vmax) + __expf(v.y - vmax) + __expf(v.z - vmax) + __expf(v.w - vmax));

        // lane i keeps the i-th choice
        float my_logit = vmax;
        int my_expert = first.expert;
#pragma unroll
        for (int i = 1; i < kTopK; ++i) {
            const Pick p = pop_max(key, lane);
            if (lane == i) { my_logit = key_value(p.key); my_expert = p.expert; }
        }
        if (lane < kTopK) {
            topk_id[token * kTopK + lane] = my_expert;
            topk_weight[token * kTopK + lane] = __fdividef(__expf(my_logit - vmax), total);
#if defined(MISTAKE_1)
            atomicAdd(&expert_load[my_expert], 1u);
#else
            atomicAdd(&s_hist[my_expert], 1u);
#endif
        }
#if defined(MISTAKE_2)
        __syncthreads();
#endif
    }

    __syncthreads();
    for (int e = threadIdx.x; e < kExperts; e += kThreads) {
        if (s_hist[e] != 0u) atomicAdd(&expert_load[e], s_hist[e]);
    }
}

int main() {
    const int n = kTokens * kExperts;
    float *logits, *w; int* id; unsigned* load;
    CK(cudaMalloc(&logits, (size_t)n * 4));
    CK(cudaMalloc(&w, kTokens * kTopK * 4));
    CK(cudaMalloc(&id, kTokens * kTopK * 4));
    CK(cudaMalloc(&load, kExperts * 4));
    fill<<<1024, 256>>>(logits, n);
    CK(cudaGetLastError());

    for (int it = 0; it < 100; ++it) {
        CK(cudaMemsetAsync(load, 0, kExperts * 4));
        route_topk<<<kBlocks, kThreads>>>(logits, id, w, load, kTokens);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hw(kTokens * kTopK);
    std::vector<int> hid(kTokens * kTopK);
    std::vector<unsigned> hl(kExperts);
    CK(cudaMemcpy(hw.data(), w, hw.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hid.data(), id, hid.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hl.data(), load, hl.size() * 4, cudaMemcpyDeviceToHost));

    int bad = 0;
    double sum = 0.0;
    for (int t = 0; t < kTokens; t += 61) {
        float v[kExperts];
        double tot = 0.0, mx = -1e30;
        for (int e = 0; e < kExperts; ++e) { v[e] = logit(t * kExperts + e); mx = std::fmax(mx, v[e]); }
        for (int e = 0; e < kExperts; ++e) tot += std::exp(v[e] - mx);
        for (int k = 0; k < kTopK; ++k) {
            int best = 0;
            for (int e = 1; e < kExperts; ++e) if (v[e] > v[best]) best = e;
            const double ref = std::exp(v[best] - mx) / tot;
            v[best] = -1e30f;
            if (hid[t * kTopK + k] != best) ++bad;
            if (!(std::fabs(hw[t * kTopK + k] - ref) < 1e-4)) ++bad;
            sum += hw[t * kTopK + k] * (k + 1);
        }
    }
    std::vector<unsigned> ref_load(kExperts, 0u);
    for (int i = 0; i < kTokens * kTopK; ++i) {
        if (hid[i] < 0 || hid[i] >= kExperts) { ++bad; continue; }
        ++ref_load[hid[i]];
    }
    for (int e = 0; e < kExperts; ++e) bad += ref_load[e] != hl[e];
    std::printf("moe_router_topk checksum %.5f load0 %u bad %d\n", sum, hl[0], bad);
    if (bad) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
