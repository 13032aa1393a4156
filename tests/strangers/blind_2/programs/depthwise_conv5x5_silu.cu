// Depthwise 5x5 convolution (NCHW, stride 1, zero padding) with bias and SiLU, as in mobile CNN blocks.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int kBatch = 8, kChannels = 128, kH = 128, kW = 128;
constexpr int kTaps = 5, kPad = kTaps / 2;

template <int TILE_W, int TILE_H, int THREADS>
struct TileCfg {
    static constexpr int in_w = TILE_W + 2 * kPad;
    static constexpr int in_h = TILE_H + 2 * kPad;
    static constexpr int elems = in_w * in_h;
    static constexpr int rows_per_thread = TILE_H * TILE_W / THREADS;
};
constexpr int kTile = 32, kThreads = 128;
using Cfg = TileCfg<kTile, kTile, kThreads>;
constexpr int kMaxTileEdge = 160;   // largest tile any layer configuration uses

__host__ __device__ inline float val(uint32_t seed, uint32_t i) {
    uint32_t x = i * 747796405u + seed; x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return (float)(x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
__global__ void fill(float* p, int n, uint32_t seed, float scale) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = scale * val(seed, i);
}

__device__ __forceinline__ float silu(float v) {
#if defined(MISTAKE_2)
    return __fdividef(v, 1.0f + expf(-v));
#else
    return __fdividef(v, 1.0f + __expf(-v));
#endif
}

__device__ __forceinline__ void stage_tile(float* tile, const float* __restrict__ plane, int y0, int x0) {
    for (int i = threadIdx.x; i < Cfg::elems; i += kThreads) {
        const int ty = i / Cfg::in_w, tx = i - ty * Cfg::in_w;
        const int gy = y0 + ty - kPad, gx = x0 + tx - kPad;
        float v = 0.0f;
        if ((unsigned)gy < (unsigned)kH && (unsigned)gx < (unsigned)kW) v = plane[gy * kW + gx];
        tile[i] = v;
    }
}

__global__ void __launch_bounds__(kThreads)
depthwise_conv5x5(const float* __restrict__ in, const float* __restrict__ weight,
                  const float* __restrict__ bias, float* __restrict__ out) {
    extern __shared__ float tile[];
    const int plane_id = blockIdx.z;
    const int channel = plane_id % kChannels;
    const float* plane = in + (size_t)plane_id * kH * kW;
    const int x0 = blockIdx.x * kTile, y0 = blockIdx.y * kTile;

    float w[kTaps * kTaps];
#pragma unroll
    for (int i = 0; i < kTaps * kTaps; ++i) w[i] = weight[channel * kTaps * kTaps + i];
    const float b = bias[channel];

    stage_tile(tile, plane, y0, x0);
    __syncthreads();

    constexpr int R = Cfg::rows_per_thread;
    const int lx = threadIdx.x % kTile;
    const int ly = (threadIdx.x / kTile) * R;
    float acc[R];
#pragma unroll
    for (int r = 0; r < R; ++r) acc[r] = b;

#pragma unroll
    for (int iy = 0; iy < R + kTaps - 1; ++iy) {
        float row[kTaps];
#pragma unroll
        for (int kx = 0; kx < kTaps; ++kx) row[kx] = tile[(ly + iy) * Cfg::in_w + lx + kx];
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int ky = iy - r;
            if (ky >= 0 && ky < kTaps) {
#pragma unroll
                for (int kx = 0; kx < kTaps; ++kx) acc[r] = fmaf(w[ky * kTaps + kx], row[kx], acc[r]);
            }
        }
    }
    float* o = out + (size_t)plane_id * kH * kW + (y0 + ly) * kW + x0 + lx;
#pragma unroll
    for (int r = 0; r < R; ++r) o[r * kW] = silu(acc[r]);
}

int main() {
    const int n = kBatch * kChannels * kH * kW;
    float *in, *out, *w, *b;
    CK(cudaMalloc(&in, (size_t)n * 4)); CK(cudaMalloc(&out, (size_t)n * 4));
    CK(cudaMalloc(&w, kChannels * 25 * 4)); CK(cudaMalloc(&b, kChannels * 4));
    fill<<<1024, 256>>>(in, n, 5u, 2.0f);
    fill<<<8, 256>>>(w, kChannels * 25, 6u, 0.4f);
    fill<<<1, 128>>>(b, kChannels, 7u, 0.5f);
    CK(cudaGetLastError());

#if defined(MISTAKE_1)
    const int smem = kMaxTileEdge * kMaxTileEdge * (int)sizeof(float);
#else
    const int smem = Cfg::elems * (int)sizeof(float);
#endif
    CK(cudaFuncSetAttribute(depthwise_conv5x5, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            kMaxTileEdge * kMaxTileEdge * (int)sizeof(float)));
    const dim3 grid(kW / kTile, kH / kTile, kBatch * kChannels);
    for (int it = 0; it < 100; ++it) depthwise_conv5x5<<<grid, kThreads, smem>>>(in, w, b, out);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), out, (size_t)n * 4, cudaMemcpyDeviceToHost));
    double sum = 0.0, worst = 0.0;
    for (int p = 0; p < kBatch * kChannels; p += 101) {
        const int c = p % kChannels;
        for (int y = 0; y < kH; ++y)
            for (int x = 0; x < kW; ++x) {
                double a = 0.5f * val(7u, c);
                for (int ky = 0; ky < 5; ++ky)
                    for (int kx = 0; kx < 5; ++kx) {
                        const int gy = y + ky - 2, gx = x + kx - 2;
                        if (gy < 0 || gy >= kH || gx < 0 || gx >= kW) continue;
                        a += (double)(2.0f * val(5u, (p * kH + gy) * kW + gx)) * (0.4f * val(6u, c * 25 + ky * 5 + kx));
                    }
                const double ref = a / (1.0 + std::exp(-a));
                const double got = h[((size_t)p * kH + y) * kW + x];
                worst = std::fmax(worst, std::fabs(ref - got));
                sum += got;
            }
    }
    std::printf("depthwise_conv5x5_silu checksum %.4f maxerr %.2e\n", sum, worst);
    if (!(worst < 1e-3)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
