// D2Q9 lattice Boltzmann (BGK collision, pull streaming) on a doubly periodic
// box, started from a perturbed double shear layer.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CUDA_OK(call)                                                        \
    do {                                                                     \
        cudaError_t e_ = (call);                                             \
        if (e_ != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,           \
                         cudaGetErrorString(e_));                            \
            std::exit(2);                                                    \
        }                                                                    \
    } while (0)

constexpr int kQ = 9;
constexpr int kNx = 1536;
constexpr int kNy = 1024;
constexpr int kLaunches = 100;

// storage order of the populations
__host__ __device__ inline int fidx(int cell, int q, int ncell)
{
#if defined(MISTAKE_1)
    (void)ncell;
    return cell * kQ + q;
#else
    return q * ncell + cell;
#endif
}

__host__ __device__ inline float equilibrium(int q, float rho, float ux, float uy)
{
    constexpr int cx[kQ] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    constexpr int cy[kQ] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    constexpr float w[kQ] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                             1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    const float cu = 3.0f * (cx[q] * ux + cy[q] * uy);
    const float u2 = 1.5f * (ux * ux + uy * uy);
    return w[q] * rho * (1.0f + cu + 0.5f * cu * cu - u2);
}

__host__ __device__ inline void collide(float (&f)[kQ], float omega)
{
    const float rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
    const float inv = 1.0f / rho;
    const float ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) * inv;
    const float uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) * inv;
#pragma unroll
    for (int q = 0; q < kQ; ++q)
        f[q] += omega * (equilibrium(q, rho, ux, uy) - f[q]);
}

__global__ void __launch_bounds__(128)
lbm_step(const float* __restrict__ fin, float* __restrict__ fout,
         int nx, int ny, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= nx) return;
    const int ncell = nx * ny;

#if defined(MISTAKE_2)
    const int xw = (x + nx - 1) % nx;
    const int xe = (x + 1) % nx;
    const int ys = (y + ny - 1) % ny;
    const int yn = (y + 1) % ny;
#else
    const int xw = (x == 0) ? nx - 1 : x - 1;
    const int xe = (x == nx - 1) ? 0 : x + 1;
    const int ys = (y == 0) ? ny - 1 : y - 1;
    const int yn = (y == ny - 1) ? 0 : y + 1;
#endif

    float f[kQ];
    f[0] = fin[fidx(y * nx + x, 0, ncell)];
    f[1] = fin[fidx(y * nx + xw, 1, ncell)];
    f[2] = fin[fidx(ys * nx + x, 2, ncell)];
    f[3] = fin[fidx(y * nx + xe, 3, ncell)];
    f[4] = fin[fidx(yn * nx + x, 4, ncell)];
    f[5] = fin[fidx(ys * nx + xw, 5, ncell)];
    f[6] = fin[fidx(ys * nx + xe, 6, ncell)];
    f[7] = fin[fidx(yn * nx + xe, 7, ncell)];
    f[8] = fin[fidx(yn * nx + xw, 8, ncell)];

    collide(f, omega);

    const int c = y * nx + x;
#pragma unroll
    for (int q = 0; q < kQ; ++q)
        fout[fidx(c, q, ncell)] = f[q];
}

int main()
{
    const int ncell = kNx * kNy;
    const float omega = 1.7f;
    std::vector<float> h(size_t(ncell) * kQ);
    std::vector<float> uyx(kNx);
    for (int x = 0; x < kNx; ++x)
        uyx[x] = 0.002f * std::sin(2.0f * 3.14159265f * (x + 0.25f) / kNx);
    for (int y = 0; y < kNy; ++y) {
        const float s = float(y) / kNy;
        const float ux = 0.05f * std::tanh(s < 0.5f ? 40.f * (s - 0.25f) : 40.f * (0.75f - s));
        for (int x = 0; x < kNx; ++x)
            for (int q = 0; q < kQ; ++q)
                h[fidx(y * kNx + x, q, ncell)] = equilibrium(q, 1.0f, ux, uyx[x]);
    }

    const size_t bytes = h.size() * sizeof(float);
    float *d_a, *d_b;
    CUDA_OK(cudaMalloc(&d_a, bytes));
    CUDA_OK(cudaMalloc(&d_b, bytes));
    CUDA_OK(cudaMemcpy(d_a, h.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 block(128);
    const dim3 grid((kNx + 127) / 128, kNy);
    for (int it = 0; it < kLaunches; ++it) {
        lbm_step<<<grid, block>>>(d_a, d_b, kNx, kNy, omega);
        std::swap(d_a, d_b);
    }
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());

    // d_a holds the newest state, d_b the one before: redo some rows on the host
    std::vector<float> prev(h.size());
    CUDA_OK(cudaMemcpy(h.data(), d_a, bytes, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(prev.data(), d_b, bytes, cudaMemcpyDeviceToHost));
    const int cx[kQ] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    const int cy[kQ] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int rows[5] = {0, 255, 256, 700, kNy - 1};
    double worst = 0.0;
    for (int y : rows)
        for (int x = 0; x < kNx; ++x) {
            float f[kQ];
            for (int q = 0; q < kQ; ++q) {
                const int xs = (x - cx[q] + kNx) % kNx, ysrc = (y - cy[q] + kNy) % kNy;
                f[q] = prev[fidx(ysrc * kNx + xs, q, ncell)];
            }
            collide(f, omega);
            for (int q = 0; q < kQ; ++q)
                worst = std::fmax(worst, std::fabs(double(f[q]) - h[fidx(y * kNx + x, q, ncell)]));
        }
    double mass = 0.0;
    for (float v : h) mass += v;
    std::printf("lbm_d2q9 mass %.6f worst %.3e\n", mass / ncell, worst);
    CUDA_OK(cudaFree(d_a));
    CUDA_OK(cudaFree(d_b));
    if (!(worst < 2e-6) || !(std::fabs(mass / ncell - 1.0) < 1e-3)) {
        std::printf("FAILED: result differs from the host reference\n");
        return 1;
    }
    return 0;
}
