// Multi-channel rational resampler 48 kHz -> 44.1 kHz (L/M = 147/160), polyphase FIR with soft limiter.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int L = 147, M = 160, TAPS = 32;
constexpr int kChannels = 24;
constexpr int kOut = 147 * 1024;                         // output samples per channel
constexpr int kIn = (kOut / L) * M + TAPS;               // input samples per channel
constexpr int kThreads = 256, kPerThread = 8;
constexpr int kTile = kThreads * kPerThread;             // outputs per block
constexpr int kSpan = kTile * M / L + TAPS + 2;          // input samples a block may touch
constexpr int kPitch = TAPS + 1;

__constant__ float c_taps[L * TAPS];

__host__ __device__ inline float val(uint32_t seed, uint32_t i) {
    uint32_t x = i * 747796405u + seed; x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return (float)(x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
__global__ void fill(float* p, int n, uint32_t seed) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = val(seed, i);
}

struct Cursor { int base, phase; };
// Output n needs input samples base .. base + TAPS - 1, filtered with the taps of the given phase.
__device__ __forceinline__ Cursor locate(int n) {
    const int t = n * M;
    Cursor c;
    c.base = t / L;
    c.phase = t - c.base * L;
    return c;
}

__device__ __forceinline__ float soft_limit(float x) {
#if defined(MISTAKE_2)
    return x / (1.0 + 0.25 * fabs(x));
#else
    return x / (1.0f + 0.25f * fabsf(x));
#endif
}

__device__ __forceinline__ float dot_phase(const float* __restrict__ x, const float* __restrict__ coef, int phase) {
    float a0 = 0.0f, a1 = 0.0f;
#pragma unroll
    for (int k = 0; k < TAPS; k += 2) {
#if defined(MISTAKE_1)
        a0 = fmaf(x[k], c_taps[phase * TAPS + k], a0);
        a1 = fmaf(x[k + 1], c_taps[phase * TAPS + k + 1], a1);
#else
        a0 = fmaf(x[k], coef[phase * kPitch + k], a0);
        a1 = fmaf(x[k + 1], coef[phase * kPitch + k + 1], a1);
#endif
    }
    return a0 + a1;
}

__global__ void __launch_bounds__(kThreads)
polyphase_resample(const float* __restrict__ in, const float* __restrict__ taps, float* __restrict__ out,
                   int n_in, int n_out) {
    __shared__ float s_coef[L * kPitch];
    __shared__ float s_x[kSpan];
    const float* x = in + (size_t)blockIdx.y * n_in;
    float* y = out + (size_t)blockIdx.y * n_out;
    const int n0 = blockIdx.x * kTile;
    const int first = locate(n0).base;

    for (int i = threadIdx.x; i < L * TAPS; i += kThreads)
        s_coef[(i / TAPS) * kPitch + (i % TAPS)] = taps[i];
    for (int i = threadIdx.x; i < kSpan; i += kThreads)
        s_x[i] = (first + i < n_in) ? x[first + i] : 0.0f;
    __syncthreads();

#pragma unroll 2
    for (int j = 0; j < kPerThread; ++j) {
        const int n = n0 + j * kThreads + threadIdx.x;
        if (n < n_out) {
            const Cursor c = locate(n);
            y[n] = soft_limit(dot_phase(s_x + (c.base - first), s_coef, c.phase));
        }
    }
}

static std::vector<float> design_filter() {
    std::vector<float> taps(L * TAPS);
    const double pi = 3.14159265358979323846, fc = 0.5 * 0.92 / M;   // relative to the upsampled rate
    const int len = L * TAPS;
    for (int p = 0; p < L; ++p)
        for (int k = 0; k < TAPS; ++k) {
            const int i = p + (TAPS - 1 - k) * L;
            const double t = i - 0.5 * (len - 1);
            const double sinc = std::fabs(t) < 1e-9 ? 2.0 * fc : std::sin(2.0 * pi * fc * t) / (pi * t);
            const double win = 0.42 - 0.5 * std::cos(2.0 * pi * i / (len - 1)) + 0.08 * std::cos(4.0 * pi * i / (len - 1));
            taps[p * TAPS + k] = (float)(sinc * win * L);
        }
    return taps;
}

int main() {
    const std::vector<float> taps = design_filter();
    float *in, *out, *d_taps;
    CK(cudaMalloc(&in, (size_t)kChannels * kIn * 4));
    CK(cudaMalloc(&out, (size_t)kChannels * kOut * 4));
    CK(cudaMalloc(&d_taps, taps.size() * 4));
    CK(cudaMemcpy(d_taps, taps.data(), taps.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(c_taps, taps.data(), taps.size() * 4));
    fill<<<1024, 256>>>(in, kChannels * kIn, 77u);
    CK(cudaGetLastError());

    const dim3 grid((kOut + kTile - 1) / kTile, kChannels);
    for (int it = 0; it < 100; ++it) polyphase_resample<<<grid, kThreads>>>(in, d_taps, out, kIn, kOut);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h((size_t)kChannels * kOut);
    CK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    double sum = 0.0, worst = 0.0;
    for (int ch = 0; ch < kChannels; ch += 5)
        for (int n = 0; n < kOut; n += 3) {
            const int base = n * M / L, phase = n * M % L;
            double a = 0.0;
            for (int k = 0; k < TAPS; ++k) {
                if (base + k < kIn) a += (double)val(77u, ch * kIn + base + k) * taps[phase * TAPS + k];
            }
            const double ref = a / (1.0 + 0.25 * std::fabs(a));
            const double got = h[(size_t)ch * kOut + n];
            worst = std::fmax(worst, std::fabs(ref - got));
            sum += got;
        }
    std::printf("polyphase_resample checksum %.5f maxerr %.2e\n", sum, worst);
    if (!(worst < 1e-4)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
