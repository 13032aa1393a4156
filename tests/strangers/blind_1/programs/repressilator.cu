// Ensemble of repressilator gene circuits (3 mRNAs, 3 proteins), classical
// Runge-Kutta, one parameter set per thread; structure-of-arrays state.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_TRY(call)                                                        \
    do {                                                                      \
        cudaError_t st = (call);                                              \
        if (st != cudaSuccess) {                                              \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(st)); \
            std::exit(2);                                                     \
        }                                                                     \
    } while (0)

constexpr int kSystems = 132 * 2048;
constexpr int kBlock = 128;
constexpr int kSteps = 60;
constexpr int kLaunches = 100;
constexpr float kDt = 0.05f;
constexpr float kHill = 3.0f;      // Hill exponent of the repression

struct State {
    float m[3];
    float p[3];
};

struct Params {
    float alpha, alpha0, beta;
};

__device__ __forceinline__ float repression(float p, float alpha)
{
#if defined(MISTAKE_1)
    const float pn = powf(p, kHill);
#else
    const float pn = p * p * p;
#endif
    return __fdividef(alpha, 1.0f + pn);
}

__device__ __forceinline__ State rhs(const State& s, const Params& q)
{
    State d;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        d.m[i] = repression(s.p[(i + 2) % 3], q.alpha) + q.alpha0 - s.m[i];
        d.p[i] = q.beta * (s.m[i] - s.p[i]);
    }
    return d;
}

__device__ __forceinline__ State axpy(const State& s, const State& d, float h)
{
    State r;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        r.m[i] = s.m[i] + h * d.m[i];
        r.p[i] = s.p[i] + h * d.p[i];
    }
    return r;
}

__global__ void __launch_bounds__(kBlock)
integrate(const float* __restrict__ y0, float* __restrict__ y1,
          const float* __restrict__ par, int* __restrict__ bad, int n, int steps)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;

    State s;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        s.m[i] = y0[i * n + id];
        s.p[i] = y0[(i + 3) * n + id];
    }
    const Params q = {par[id], par[n + id], par[2 * n + id]};

#pragma unroll 1
    for (int it = 0; it < steps; ++it) {
        const State k1 = rhs(s, q);
        const State k2 = rhs(axpy(s, k1, 0.5f * kDt), q);
        const State k3 = rhs(axpy(s, k2, 0.5f * kDt), q);
        const State k4 = rhs(axpy(s, k3, kDt), q);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            s.m[i] += kDt / 6.0f * (k1.m[i] + 2.0f * (k2.m[i] + k3.m[i]) + k4.m[i]);
            s.p[i] += kDt / 6.0f * (k1.p[i] + 2.0f * (k2.p[i] + k3.p[i]) + k4.p[i]);
        }
#if defined(MISTAKE_2)
        for (int i = 0; i < 3; ++i)
            if (!isfinite(s.m[i]) || !isfinite(s.p[i]))
                atomicAdd(bad, 1);
#endif
    }

#if !defined(MISTAKE_2)
    bool ok = true;
    for (int i = 0; i < 3; ++i)
        ok = ok && isfinite(s.m[i]) && isfinite(s.p[i]);
    if (!ok)
        atomicAdd(bad, 1);
#endif
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        y1[i * n + id] = s.m[i];
        y1[(i + 3) * n + id] = s.p[i];
    }
}

static void host_rhs(const double* y, double* d, const double* q)
{
    for (int i = 0; i < 3; ++i) {
        d[i] = q[0] / (1.0 + std::pow(y[3 + (i + 2) % 3], double(kHill))) + q[1] - y[i];
        d[3 + i] = q[2] * (y[i] - y[3 + i]);
    }
}

static void host_integrate(double* y, const double* q)
{
    const double h = kDt;
    for (int it = 0; it < kSteps; ++it) {
        double k[4][6], t[6];
        host_rhs(y, k[0], q);
        for (int s = 1; s < 4; ++s) {
            for (int i = 0; i < 6; ++i) t[i] = y[i] + (s == 3 ? h : 0.5 * h) * k[s - 1][i];
            host_rhs(t, k[s], q);
        }
        for (int i = 0; i < 6; ++i)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
    }
}

static unsigned rng_state = 777u;
static float uni()
{
    rng_state = rng_state * 1664525u + 1013904223u;
    return float(rng_state >> 8) / 16777216.0f;
}

int main()
{
    const int n = kSystems;
    std::vector<float> y0(size_t(6) * n), y1(size_t(6) * n), par(size_t(3) * n);
    for (auto& v : y0) v = 0.2f + 4.0f * uni();
    for (int i = 0; i < n; ++i) {
        par[i] = 50.0f + 150.0f * uni();
        par[n + i] = 0.01f + 0.2f * uni();
        par[2 * n + i] = 0.5f + 3.0f * uni();
    }

    float *d_y0, *d_y1, *d_par;
    int *d_bad, bad = -1;
    CUDA_TRY(cudaMalloc(&d_y0, y0.size() * sizeof(float)));
    CUDA_TRY(cudaMalloc(&d_y1, y1.size() * sizeof(float)));
    CUDA_TRY(cudaMalloc(&d_par, par.size() * sizeof(float)));
    CUDA_TRY(cudaMalloc(&d_bad, sizeof(int)));
    CUDA_TRY(cudaMemset(d_bad, 0, sizeof(int)));
    CUDA_TRY(cudaMemcpy(d_y0, y0.data(), y0.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(d_par, par.data(), par.size() * sizeof(float), cudaMemcpyHostToDevice));

    const int grid = (n + kBlock - 1) / kBlock;
    for (int it = 0; it < kLaunches; ++it)
        integrate<<<grid, kBlock>>>(d_y0, d_y1, d_par, d_bad, n, kSteps);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaDeviceSynchronize());
    CUDA_TRY(cudaMemcpy(y1.data(), d_y1, y1.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(&bad, d_bad, sizeof(int), cudaMemcpyDeviceToHost));

    double worst = 0.0, sum = 0.0;
    for (int s = 0; s < 300; ++s) {
        const int id = int((s * 900737LL) % n);
        double y[6], q[3] = {par[id], par[n + id], par[2 * n + id]};
        for (int i = 0; i < 6; ++i) y[i] = y0[size_t(i) * n + id];
        host_integrate(y, q);
        for (int i = 0; i < 6; ++i)
            worst = std::fmax(worst, std::fabs(y[i] - y1[size_t(i) * n + id]) / (1.0 + std::fabs(y[i])));
    }
    for (float v : y1) sum += v;
    std::printf("repressilator sum %.4f bad %d worst %.3e\n", sum, bad, worst);
    CUDA_TRY(cudaFree(d_y0));
    CUDA_TRY(cudaFree(d_y1));
    CUDA_TRY(cudaFree(d_par));
    CUDA_TRY(cudaFree(d_bad));
    if (!(worst < 2e-3) || bad != 0) {
        std::printf("FAILED: trajectories differ from the host reference\n");
        return 1;
    }
    return 0;
}
