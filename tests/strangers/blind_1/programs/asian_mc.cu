// Monte Carlo pricing of an arithmetic Asian call under two stochastic
// volatility models (Heston and a GARCH diffusion), one path per thread.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(call)                                                              \
    do {                                                                      \
        cudaError_t e = (call);                                               \
        if (e != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            std::exit(2);                                                     \
        }                                                                     \
    } while (0)

constexpr int kBlock = 128;
constexpr int kPaths = 132 * 2048;
constexpr int kSteps = 64;
constexpr int kLaunches = 100;

struct Model {
    float s0, v0, rate, kappa, theta, xi, rho, dt, strike, invSteps;
};

struct Rng {
    unsigned a, b;
    __host__ __device__ explicit Rng(unsigned seq)
    {
        a = seq * 2654435761u + 0x9e3779b9u;
        a ^= a >> 16; a *= 0x85ebca6bu; a ^= a >> 13;
        b = (a ^ 0xdeadbeefu) * 0xc2b2ae35u + 1u;
        b ^= b >> 16;
        a |= 1u;
    }
    __host__ __device__ float uniform()      // in (0,1)
    {
        a ^= a << 13; a ^= a >> 17; a ^= a << 5;
        b = b * 1664525u + 1013904223u;
        return (float((a + b) >> 9) + 0.5f) * (1.0f / 8388608.0f);
    }
};

__host__ __device__ inline void normal_pair(Rng& g, float& z0, float& z1)
{
    const float r = sqrtf(-2.0f * logf(g.uniform()));
    float s, c;
    sincospif(2.0f * g.uniform(), &s, &c);
    z0 = r * c;
    z1 = r * s;
}

__host__ __device__ inline float heston_path(unsigned seq, const Model& p, int steps)
{
    Rng g(seq);
    const float sdt = sqrtf(p.dt), rc = sqrtf(1.0f - p.rho * p.rho);
    float s = p.s0, v = p.v0, avg = 0.0f;
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
        float z0, z1;
        normal_pair(g, z0, z1);
        const float vp = fmaxf(v, 0.0f), sv = sqrtf(vp) * sdt;
        s *= expf((p.rate - 0.5f * vp) * p.dt + sv * z0);
        v += p.kappa * (p.theta - vp) * p.dt + p.xi * sv * (p.rho * z0 + rc * z1);
#if defined(MISTAKE_2)
        avg += s / (float)steps;
#else
        avg += s * p.invSteps;
#endif
    }
    return fmaxf(avg - p.strike, 0.0f) * expf(-p.rate * p.dt * steps);
}

__host__ __device__ inline float garch_path(unsigned seq, const Model& p, int steps)
{
    Rng g(seq ^ 0x5bd1e995u);
    const float sdt = sqrtf(p.dt), rc = sqrtf(1.0f - p.rho * p.rho);
    float x = 0.0f, lv = logf(p.v0), avg = 0.0f;
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
        float z0, z1;
        normal_pair(g, z0, z1);
        const float v = expf(lv);
        x += (p.rate - 0.5f * v) * p.dt + sqrtf(v) * sdt * z0;
        lv += p.kappa * (p.theta * expf(-lv) - 1.0f) * p.dt - 0.5f * p.xi * p.xi * p.dt +
              p.xi * sdt * (p.rho * z0 + rc * z1);
        avg += expf(x) * p.invSteps;
    }
    return fmaxf(p.s0 * avg - p.strike, 0.0f) * expf(-p.rate * p.dt * steps);
}

__global__ void __launch_bounds__(kBlock)
asian_paths(float* __restrict__ payoff, float* __restrict__ blocksum,
            Model heston, Model garch, int half, int steps)
{
    __shared__ float warpsum[kBlock / 32];
    const int p = blockIdx.x * kBlock + threadIdx.x;

#if defined(MISTAKE_1)
    const int kind = p & 1;
    const int seq = p >> 1;
#else
    const int kind = p >= half;
    const int seq = p - kind * half;
#endif
    float pay;
    if (kind == 0)
        pay = heston_path(seq, heston, steps);
    else
        pay = garch_path(seq, garch, steps);
    payoff[kind * half + seq] = pay;

    float sum = pay;
    for (int off = 16; off > 0; off >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, off);
    if (threadIdx.x % 32 == 0)
        warpsum[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        blocksum[blockIdx.x] = warpsum[0] + warpsum[1] + warpsum[2] + warpsum[3];
}

int main()
{
    const float dt = 1.0f / kSteps;
    const Model heston = {100.f, 0.04f, 0.02f, 1.5f, 0.05f, 0.4f, -0.6f, dt, 98.f, 1.0f / kSteps};
    const Model garch = {100.f, 0.05f, 0.02f, 1.2f, 0.04f, 0.5f, -0.5f, dt, 98.f, 1.0f / kSteps};
    const int half = kPaths / 2, grid = kPaths / kBlock;

    float *d_pay, *d_blk;
    CU(cudaMalloc(&d_pay, kPaths * sizeof(float)));
    CU(cudaMalloc(&d_blk, grid * sizeof(float)));
    for (int it = 0; it < kLaunches; ++it)
        asian_paths<<<grid, kBlock>>>(d_pay, d_blk, heston, garch, half, kSteps);
    CU(cudaGetLastError());
    CU(cudaDeviceSynchronize());

    std::vector<float> pay(kPaths), blk(grid);
    CU(cudaMemcpy(pay.data(), d_pay, kPaths * sizeof(float), cudaMemcpyDeviceToHost));
    CU(cudaMemcpy(blk.data(), d_blk, grid * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int i = 0; i < 1500; ++i) {
        const int s = (i * 89) % half;
        worst = std::fmax(worst, std::fabs(double(heston_path(s, heston, kSteps)) - pay[s]));
        worst = std::fmax(worst, std::fabs(double(garch_path(s, garch, kSteps)) - pay[half + s]));
    }
    double h = 0.0, q = 0.0, b = 0.0;
    for (int i = 0; i < half; ++i) { h += pay[i]; q += pay[half + i]; }
    for (float f : blk) b += f;
    std::printf("asian_mc heston %.5f garch %.5f worst %.3e\n", h / half, q / half, worst);
    CU(cudaFree(d_pay));
    CU(cudaFree(d_blk));
    if (!(worst < 2e-2) || !(std::fabs(b - h - q) < 1e-4 * b) || !(h > 0.0 && q > 0.0)) {
        std::printf("FAILED: payoffs differ from the host reference\n");
        return 1;
    }
    return 0;
}
