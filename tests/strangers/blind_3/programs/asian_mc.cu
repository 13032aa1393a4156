// Monte Carlo pricing of an arithmetic Asian call, counter-based Philox generator, single precision.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr int PATHS = 1 << 20;
constexpr int THREADS = 256;

struct Market {
    float spot, strike, rate, sigma, maturity;
    int steps;                  // a multiple of four
    uint32_t seed0, seed1;
};

struct U4 {
    uint32_t x, y, z, w;
};

__host__ __device__ inline U4 philox(U4 c, uint32_t k0, uint32_t k1)
{
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int r = 0; r < 10; ++r) {
        uint64_t p0 = uint64_t(0xD2511F53u) * c.x;
        uint64_t p1 = uint64_t(0xCD9E8D57u) * c.z;
        c = U4{uint32_t(p1 >> 32) ^ c.y ^ k0, uint32_t(p1), uint32_t(p0 >> 32) ^ c.w ^ k1, uint32_t(p0)};
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

__device__ __forceinline__ float2 box_muller(uint32_t a, uint32_t b)
{
#if defined(MISTAKE_1)
    float u = (a + 0.5) * 2.3283064365386963e-10;
    float v = b * 4.6566128730773926e-10;
    float radius = sqrt(-2.0 * logf(fminf(u, 0.99999994f)));
#else
    float u = (a + 0.5f) * 2.3283064365386963e-10f;
    float v = b * 4.6566128730773926e-10f;
    float radius = sqrtf(-2.0f * logf(fminf(u, 0.99999994f)));
#endif
    float s, c;
    sincospif(v, &s, &c);
    return make_float2(radius * c, radius * s);
}

__device__ __forceinline__ float evolve(float s, float drift, float vol, float z)
{
    return s * expf(fmaf(vol, z, drift));
}

__device__ float block_sum(float v)
{
    __shared__ float part[THREADS / 32];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < THREADS / 32 ? part[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32)
        for (int d = THREADS / 64; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void __launch_bounds__(THREADS)
asian_kernel(Market m, int paths, float *__restrict__ payoff, float *__restrict__ block_total)
{
    const int path = blockIdx.x * THREADS + threadIdx.x;
    const float dt = m.maturity / m.steps;
    const float drift = (m.rate - 0.5f * m.sigma * m.sigma) * dt;
    const float vol = m.sigma * sqrtf(dt);
    const float steps = static_cast<float>(m.steps);
    float pay = 0.0f;
    if (path < paths) {
        float s = m.spot, average = 0.0f;
        for (int step = 0; step < m.steps; step += 4) {
            U4 r = philox(U4{uint32_t(path), uint32_t(step), 0u, 0u}, m.seed0, m.seed1);
            float2 z0 = box_muller(r.x, r.y);
            float2 z1 = box_muller(r.z, r.w);
            float s0 = evolve(s, drift, vol, z0.x);
            float s1 = evolve(s0, drift, vol, z0.y);
            float s2 = evolve(s1, drift, vol, z1.x);
            s = evolve(s2, drift, vol, z1.y);
#if defined(MISTAKE_2)
            average += (s0 + s1) / steps;
            average += (s2 + s) / steps;
        }
#else
            average += (s0 + s1) + (s2 + s);
        }
        average /= steps;
#endif
        pay = expf(-m.rate * m.maturity) * fmaxf(average - m.strike, 0.0f);
        payoff[path] = pay;
    }
    float total = block_sum(pay);
    if (threadIdx.x == 0)
        block_total[blockIdx.x] = total;
}

static double host_path(const Market &m, uint32_t path)
{
    const double dt = double(m.maturity) / m.steps;
    const double drift = (m.rate - 0.5 * m.sigma * m.sigma) * dt, vol = m.sigma * std::sqrt(dt);
    double s = m.spot, avg = 0.0;
    for (int step = 0; step < m.steps; step += 4) {
        U4 r = philox(U4{path, uint32_t(step), 0u, 0u}, m.seed0, m.seed1);
        const uint32_t a[2] = {r.x, r.z}, b[2] = {r.y, r.w};
        for (int k = 0; k < 2; ++k) {
            double u = std::fmin((a[k] + 0.5) * 2.3283064365386963e-10, 0.99999994);
            double ang = 3.14159265358979323846 * (b[k] * 4.6566128730773926e-10);
            double rad = std::sqrt(-2.0 * std::log(u));
            s *= std::exp(drift + vol * rad * std::cos(ang));
            avg += s;
            s *= std::exp(drift + vol * rad * std::sin(ang));
            avg += s;
        }
    }
    return std::exp(-double(m.rate) * m.maturity) * std::fmax(avg / m.steps - m.strike, 0.0);
}

int main()
{
    const Market m = {100.0f, 98.0f, 0.03f, 0.25f, 1.0f, 64, 0x1234567u, 0x89abcdefu};
    const int blocks = (PATHS + THREADS - 1) / THREADS;
    float *d_pay, *d_total;
    CK(cudaMalloc(&d_pay, PATHS * sizeof(float)));
    CK(cudaMalloc(&d_total, blocks * sizeof(float)));
    for (int it = 0; it < 100; ++it)
        asian_kernel<<<blocks, THREADS>>>(m, PATHS, d_pay, d_total);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> pay(PATHS), total(blocks);
    CK(cudaMemcpy(pay.data(), d_pay, PATHS * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(total.data(), d_total, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    double price = 0.0, direct = 0.0;
    for (float t : total) price += t;
    for (float p : pay) direct += p;
    std::printf("asian_mc price %.4f\n", price / PATHS);
    bool ok = std::fabs(price - direct) < 1e-4 * direct;
    for (uint32_t p = 0; p < uint32_t(PATHS) && ok; p += 523) {
        double r = host_path(m, p);
        ok = std::fabs(r - pay[p]) < 5e-3 + 1e-3 * r;
        if (!ok) std::fprintf(stderr, "path %u: %f, expected %f\n", p, pay[p], r);
    }
    if (!ok) { std::fprintf(stderr, "asian_mc: MISMATCH\n"); return 1; }
    CK(cudaFree(d_pay)); CK(cudaFree(d_total));
    return 0;
}
