// Fused AdamW step: fp32 master weights and moments, bf16 gradients, bf16 working copy of the weights.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int kN = 1 << 24;
constexpr int kThreads = 256, kBlocks = 132 * 3;
constexpr int kSteps = 100;

struct AdamParams { float lr, beta1, beta2, eps, decay, corr1, corr2; };
using bf16x4 = uint2;   // four packed bf16 values

__host__ __device__ inline float val(uint32_t seed, uint32_t i) {
    uint32_t x = i * 747796405u + seed; x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return (float)(x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
__global__ void init_state(float* p, __nv_bfloat16* g, float* m, float* v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        p[i] = 0.5f * val(1u, i);
        g[i] = __float2bfloat16(0.1f * val(2u, i));
        m[i] = 0.0f;
        v[i] = 0.0f;
    }
}

__device__ __forceinline__ float4 expand(bf16x4 g) {
    const __nv_bfloat162* h = reinterpret_cast<const __nv_bfloat162*>(&g);
    const float2 a = __bfloat1622float2(h[0]), b = __bfloat1622float2(h[1]);
    return make_float4(a.x, a.y, b.x, b.y);
}
__host__ __device__ __forceinline__ float first_moment(float m, float g, const AdamParams& h) {
    return h.beta1 * m + (1.0f - h.beta1) * g;
}
__host__ __device__ __forceinline__ float second_moment(float v, float g, const AdamParams& h) {
    return h.beta2 * v + (1.0f - h.beta2) * g * g;
}
__host__ __device__ __forceinline__ float new_weight(float p, float m, float v, const AdamParams& h) {
    const float denom = sqrtf(v * h.corr2) + h.eps;
    return p - h.lr * (m * h.corr1 / denom + h.decay * p);
}
__device__ __forceinline__ float4 first_moment4(float4 m, float4 g, const AdamParams& h) {
    return make_float4(first_moment(m.x, g.x, h), first_moment(m.y, g.y, h), first_moment(m.z, g.z, h), first_moment(m.w, g.w, h));
}
__device__ __forceinline__ float4 second_moment4(float4 v, float4 g, const AdamParams& h) {
    return make_float4(second_moment(v.x, g.x, h), second_moment(v.y, g.y, h), second_moment(v.z, g.z, h), second_moment(v.w, g.w, h));
}
__device__ __forceinline__ float4 new_weight4(float4 p, float4 m, float4 v, const AdamParams& h) {
    return make_float4(new_weight(p.x, m.x, v.x, h), new_weight(p.y, m.y, v.y, h),
                       new_weight(p.z, m.z, v.z, h), new_weight(p.w, m.w, v.w, h));
}
__device__ __forceinline__ bf16x4 shrink(float4 p) {
    bf16x4 r;
    __nv_bfloat162* h = reinterpret_cast<__nv_bfloat162*>(&r);
    h[0] = __floats2bfloat162_rn(p.x, p.y);
    h[1] = __floats2bfloat162_rn(p.z, p.w);
    return r;
}

__global__ void __launch_bounds__(kThreads)
adamw_step(float4* p, bf16x4* w, const bf16x4* g, float4* m, float4* v, int n4, AdamParams h) {
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const int total = gridDim.x * blockDim.x;
#if defined(MISTAKE_1)
    const int chunk = (n4 + total - 1) / total;
    const int begin = tid * chunk, end = min(begin + chunk, n4), step = 1;
#else
    const int begin = tid, end = n4, step = total;
#endif
    for (int i = begin; i < end; i += step) {
#if defined(MISTAKE_2)
        const float4 gi = expand(g[i]);
        const float4 mi = first_moment4(m[i], gi, h);
        m[i] = mi;
        const float4 vi = second_moment4(v[i], gi, h);
        v[i] = vi;
        const float4 pi = new_weight4(p[i], mi, vi, h);
        p[i] = pi;
        w[i] = shrink(pi);
#else
        const bf16x4 g_old = g[i];
        const float4 m_old = m[i], v_old = v[i], p_old = p[i];
        const float4 gi = expand(g_old);
        const float4 mi = first_moment4(m_old, gi, h);
        const float4 vi = second_moment4(v_old, gi, h);
        const float4 pi = new_weight4(p_old, mi, vi, h);
        m[i] = mi;
        v[i] = vi;
        p[i] = pi;
        w[i] = shrink(pi);
#endif
    }
}

static AdamParams params_for(int step) {
    AdamParams h;
    h.lr = 1e-3f; h.beta1 = 0.9f; h.beta2 = 0.999f; h.eps = 1e-8f; h.decay = 0.01f;
    h.corr1 = (float)(1.0 / (1.0 - std::pow(0.9, step)));
    h.corr2 = (float)(1.0 / (1.0 - std::pow(0.999, step)));
    return h;
}

int main() {
    float *p, *m, *v; __nv_bfloat16 *g, *w;
    CK(cudaMalloc(&p, (size_t)kN * 4)); CK(cudaMalloc(&m, (size_t)kN * 4)); CK(cudaMalloc(&v, (size_t)kN * 4));
    CK(cudaMalloc(&g, (size_t)kN * 2)); CK(cudaMalloc(&w, (size_t)kN * 2));
    init_state<<<1024, 256>>>(p, g, m, v, kN);
    CK(cudaGetLastError());

    for (int s = 1; s <= kSteps; ++s)
        adamw_step<<<kBlocks, kThreads>>>(reinterpret_cast<float4*>(p), reinterpret_cast<bf16x4*>(w),
                                          reinterpret_cast<const bf16x4*>(g), reinterpret_cast<float4*>(m),
                                          reinterpret_cast<float4*>(v), kN / 4, params_for(s));
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hp(kN);
    std::vector<__nv_bfloat16> hw(kN);
    CK(cudaMemcpy(hp.data(), p, (size_t)kN * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hw.data(), w, (size_t)kN * 2, cudaMemcpyDeviceToHost));
    double sum = 0.0, worst = 0.0, worst_w = 0.0;
    for (int i = 3; i < kN; i += 2053) {
        float pi = 0.5f * val(1u, i), mi = 0.0f, vi = 0.0f;
        const float gi = __bfloat162float(__float2bfloat16(0.1f * val(2u, i)));
        for (int s = 1; s <= kSteps; ++s) {
            const AdamParams h = params_for(s);
            mi = first_moment(mi, gi, h);
            vi = second_moment(vi, gi, h);
            pi = new_weight(pi, mi, vi, h);
        }
        worst = std::fmax(worst, std::fabs(pi - hp[i]));
        worst_w = std::fmax(worst_w, std::fabs(__bfloat162float(hw[i]) - hp[i]));
        sum += hp[i];
    }
    std::printf("adamw_step checksum %.6f maxerr %.2e\n", sum, worst);
    if (!(worst < 1e-4) || !(worst_w < 4e-3)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
