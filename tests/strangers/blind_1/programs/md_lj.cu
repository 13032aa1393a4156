// Lennard-Jones forces of a four-component mixture from a full neighbour list,
// one particle per thread, periodic box.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_DO(call)                                                         \
    do {                                                                      \
        cudaError_t e_ = (call);                                              \
        if (e_ != cudaSuccess) {                                              \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            std::exit(2);                                                     \
        }                                                                     \
    } while (0)

constexpr int kSx = 80, kSy = 64, kSz = 64;
constexpr int kAtoms = kSx * kSy * kSz;
constexpr int kMaxNeigh = 72;
constexpr int kBlock = 64;
constexpr int kTypes = 4;
constexpr int kLaunches = 100;
#if defined(MISTAKE_1)
constexpr int kMaxTypes = 52;
#else
constexpr int kMaxTypes = kTypes;
#endif

struct Box { float lx, ly, lz, ix, iy, iz; };

__host__ __device__ inline float nearest(float d, float l, float il)
{
    return d - l * rintf(d * il);
}

__device__ __forceinline__ void pair_force(float4 pi, float4 pj, float4 c, const Box& box, float4& f)
{
    const float dx = nearest(pi.x - pj.x, box.lx, box.ix);
    const float dy = nearest(pi.y - pj.y, box.ly, box.iy);
    const float dz = nearest(pi.z - pj.z, box.lz, box.iz);
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < c.z) {
#if defined(MISTAKE_2)
        const float s2 = c.y / r2;
#else
        const float s2 = __fdividef(c.y, r2);
#endif
        const float s6 = s2 * s2 * s2;
        const float e = 4.0f * c.x * s6;
        const float fr = 6.0f * e * (2.0f * s6 - 1.0f) * s2 * c.w;
        f.x += fr * dx;
        f.y += fr * dy;
        f.z += fr * dz;
        f.w += 0.5f * e * (s6 - 1.0f);
    }
}

__global__ void __launch_bounds__(kBlock)
lj_forces(const float4* __restrict__ pos, const int* __restrict__ neigh,
          const int* __restrict__ count, const float4* __restrict__ coef,
          float4* __restrict__ force, int n, int ntypes, Box box)
{
    // eps, sigma^2, cutoff^2, 1/sigma^2 for every pair of types
    __shared__ float4 table[kMaxTypes * kMaxTypes];
    for (int k = threadIdx.x; k < ntypes * ntypes; k += blockDim.x)
        table[(k / ntypes) * kMaxTypes + k % ntypes] = coef[k];
    __syncthreads();

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 pi = pos[i];
    const int ti = int(pi.w) * kMaxTypes;
    const int m = count[i];
    float4 f = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 2
    for (int k = 0; k < m; ++k) {
        const float4 pj = pos[neigh[k * n + i]];
        pair_force(pi, pj, table[ti + int(pj.w)], box, f);
    }
    force[i] = f;
}

static float hash01(unsigned a)
{
    a ^= a >> 16; a *= 0x7feb352du;
    a ^= a >> 15; a *= 0x846ca68bu;
    a ^= a >> 16;
    return float(a & 0xffffffu) / 16777216.0f;
}

int main()
{
    const int n = kAtoms;
    const Box box = {float(kSx), float(kSy), float(kSz), 1.0f / kSx, 1.0f / kSy, 1.0f / kSz};
    std::vector<float4> pos(n), force(n), coef(kTypes * kTypes);
    for (int i = 0; i < n; ++i) {
        const int x = i % kSx, y = (i / kSx) % kSy, z = i / (kSx * kSy);
        pos[i] = make_float4(x + 0.16f * (hash01(4u * i) - 0.5f), y + 0.16f * (hash01(4u * i + 1) - 0.5f),
                             z + 0.16f * (hash01(4u * i + 2) - 0.5f), float(int(kTypes * hash01(4u * i + 3))));
    }
    for (int a = 0; a < kTypes; ++a)
        for (int b = 0; b < kTypes; ++b) {
            const float sigma = 0.84f + 0.01f * (a + b), rc = 2.05f + 0.02f * (a + b);
            coef[a * kTypes + b] = make_float4(0.8f + 0.1f * std::abs(a - b), sigma * sigma, rc * rc,
                                               1.0f / (sigma * sigma));
        }

    // full list of all partners within 2.3; the jitter keeps them within two cells
    const float rl2 = 2.3f * 2.3f;
    std::vector<int> neigh(size_t(n) * kMaxNeigh, 0), count(n, 0);
    for (int i = 0; i < n; ++i) {
        const int x = i % kSx, y = (i / kSx) % kSy, z = i / (kSx * kSy);
        int m = 0;
        for (int dz = -2; dz <= 2; ++dz)
            for (int dy = -2; dy <= 2; ++dy)
                for (int dx = -2; dx <= 2; ++dx) {
                    if (dx * dx + dy * dy + dz * dz > 8 || (dx == 0 && dy == 0 && dz == 0)) continue;
                    const int j = ((z + dz + kSz) % kSz * kSy + (y + dy + kSy) % kSy) * kSx + (x + dx + kSx) % kSx;
                    const float rx = nearest(pos[i].x - pos[j].x, box.lx, box.ix);
                    const float ry = nearest(pos[i].y - pos[j].y, box.ly, box.iy);
                    const float rz = nearest(pos[i].z - pos[j].z, box.lz, box.iz);
                    if (rx * rx + ry * ry + rz * rz < rl2 && m < kMaxNeigh)
                        neigh[size_t(m++) * n + i] = j;
                }
        count[i] = m;
    }

    float4 *d_pos, *d_force, *d_coef;
    int *d_neigh, *d_count;
    CUDA_DO(cudaMalloc(&d_pos, n * sizeof(float4)));
    CUDA_DO(cudaMalloc(&d_force, n * sizeof(float4)));
    CUDA_DO(cudaMalloc(&d_coef, coef.size() * sizeof(float4)));
    CUDA_DO(cudaMalloc(&d_neigh, neigh.size() * sizeof(int)));
    CUDA_DO(cudaMalloc(&d_count, n * sizeof(int)));
    CUDA_DO(cudaMemcpy(d_pos, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CUDA_DO(cudaMemcpy(d_coef, coef.data(), coef.size() * sizeof(float4), cudaMemcpyHostToDevice));
    CUDA_DO(cudaMemcpy(d_neigh, neigh.data(), neigh.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_DO(cudaMemcpy(d_count, count.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    const int grid = (n + kBlock - 1) / kBlock;
    for (int it = 0; it < kLaunches; ++it)
        lj_forces<<<grid, kBlock>>>(d_pos, d_neigh, d_count, d_coef, d_force, n, kTypes, box);
    CUDA_DO(cudaGetLastError());
    CUDA_DO(cudaDeviceSynchronize());
    CUDA_DO(cudaMemcpy(force.data(), d_force, n * sizeof(float4), cudaMemcpyDeviceToHost));

    double worst = 0.0, energy = 0.0, pairs = 0.0;
    for (int s = 0; s < 2000; ++s) {
        const int i = int((s * 7919LL) % n);
        double fx = 0, fy = 0, fz = 0, en = 0, mag = 1.0;
        for (int k = 0; k < count[i]; ++k) {
            const int j = neigh[size_t(k) * n + i];
            const double dx = nearest(pos[i].x - pos[j].x, box.lx, box.ix);
            const double dy = nearest(pos[i].y - pos[j].y, box.ly, box.iy);
            const double dz = nearest(pos[i].z - pos[j].z, box.lz, box.iz);
            const float4 c = coef[int(pos[i].w) * kTypes + int(pos[j].w)];
            const double r2 = dx * dx + dy * dy + dz * dz;
            if (r2 >= c.z) continue;
            const double s2 = c.y / r2, s6 = s2 * s2 * s2, e = 4.0 * c.x * s6;
            const double fr = 6.0 * e * (2.0 * s6 - 1.0) * s2 * c.w;
            fx += fr * dx; fy += fr * dy; fz += fr * dz;
            en += 0.5 * e * (s6 - 1.0);
            mag += std::fabs(fr);
        }
        const double err = std::fabs(fx - force[i].x) + std::fabs(fy - force[i].y) +
                           std::fabs(fz - force[i].z) + std::fabs(en - force[i].w);
        worst = std::fmax(worst, err / mag);
    }
    for (const float4& f : force) energy += f.w;
    for (int c : count) pairs += c;
    std::printf("md_lj energy/atom %.6f neighbours %.2f worst %.3e\n", energy / n, pairs / n, worst);
    CUDA_DO(cudaFree(d_pos)); CUDA_DO(cudaFree(d_force)); CUDA_DO(cudaFree(d_coef));
    CUDA_DO(cudaFree(d_neigh)); CUDA_DO(cudaFree(d_count));
    if (!(worst < 2e-3)) {
        std::printf("FAILED: forces differ from the host reference\n");
        return 1;
    }
    return 0;
}
