// Acoustic wave equation, 2nd order in time and 8th order in space (25-point
// star).  Each block owns an x-y patch and marches in z through a slab.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define GPU(call)                                                             \
    do {                                                                      \
        const cudaError_t rc_ = (call);                                       \
        if (rc_ != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s (line %d)\n", cudaGetErrorString(rc_), __LINE__); \
            std::exit(2);                                                     \
        }                                                                     \
    } while (0)

constexpr int R = 4;
constexpr int NX = 320, NY = 320, NZ = 200;
constexpr int XOFF = 32;
constexpr int PITCH = NX + 2 * XOFF;
constexpr int PLANE = PITCH * (NY + 2 * R);
constexpr int TOTAL = PLANE * (NZ + 2 * R);
constexpr int BX = 32, BY = 16, SLAB = 40;
constexpr int LAUNCHES = 100;

__host__ __device__ inline int at(int x, int y, int z)
{
    return (z + R) * PLANE + (y + R) * PITCH + x + XOFF;
}

struct Coef { float c[R + 1]; };

__global__ void init_fields(float* u, float* up, float* m)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= NX) return;
    for (int z = 0; z < NZ; ++z) {
        const float dx = x - 160.5f, dy = y - 150.f, dz = z - 95.f;
        const float g = expf(-(dx * dx + dy * dy + dz * dz) * 0.002f);
        u[at(x, y, z)] = g;
        up[at(x, y, z)] = 0.98f * g;
        m[at(x, y, z)] = 0.08f + 0.04f * z / NZ + (x > 200 ? 0.02f : 0.f);
    }
}

// up holds the previous level on entry and the new level on exit
__global__ void __launch_bounds__(BX * BY)
wave_step(const float* __restrict__ u, float* __restrict__ up,
          const float* __restrict__ m, Coef k, int slab)
{
    __shared__ float s[BY + 2 * R][BX + 2 * R];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
    const int z0 = blockIdx.z * slab;
    int c = at(x, y, z0);

    float q[2 * R + 1];
#pragma unroll
    for (int i = 0; i < 2 * R; ++i)
        q[i] = u[c + (i - R) * PLANE];
#if defined(MISTAKE_1)
    int head = 0;
#endif

    for (int z = 0; z < slab; ++z, c += PLANE) {
#if defined(MISTAKE_1)
        q[(head + 2 * R) % (2 * R + 1)] = u[c + R * PLANE];
        const float mid = q[(head + R) % (2 * R + 1)];
#else
        q[2 * R] = u[c + R * PLANE];
        const float mid = q[R];
#endif
        __syncthreads();
        s[ty + R][tx + R] = mid;
#if defined(MISTAKE_2)
        __syncthreads();
#endif
        if (tx < R) {
            s[ty + R][tx] = u[c - R];
            s[ty + R][tx + R + BX] = u[c + BX];
        }
#if defined(MISTAKE_2)
        __syncthreads();
#endif
        if (ty < R) {
            s[ty][tx + R] = u[c - R * PITCH];
            s[ty + R + BY][tx + R] = u[c + BY * PITCH];
        }
        __syncthreads();

        float lap = 3.0f * k.c[0] * mid;
#pragma unroll
        for (int r = 1; r <= R; ++r) {
#if defined(MISTAKE_1)
            const float vert = q[(head + R - r) % (2 * R + 1)] + q[(head + R + r) % (2 * R + 1)];
#else
            const float vert = q[R - r] + q[R + r];
#endif
            lap += k.c[r] * (s[ty + R][tx + R - r] + s[ty + R][tx + R + r] +
                             s[ty + R - r][tx + R] + s[ty + R + r][tx + R] + vert);
        }
        up[c] = 2.0f * mid - up[c] + m[c] * lap;

#if defined(MISTAKE_1)
        head = (head + 1) % (2 * R + 1);
#else
#pragma unroll
        for (int i = 0; i < 2 * R; ++i)
            q[i] = q[i + 1];
#endif
    }
}

int main()
{
    const Coef k = {{-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560}};
    float *u, *up, *m;
    GPU(cudaMalloc(&u, TOTAL * sizeof(float)));
    GPU(cudaMalloc(&up, TOTAL * sizeof(float)));
    GPU(cudaMalloc(&m, TOTAL * sizeof(float)));
    GPU(cudaMemset(u, 0, TOTAL * sizeof(float)));
    GPU(cudaMemset(up, 0, TOTAL * sizeof(float)));
    GPU(cudaMemset(m, 0, TOTAL * sizeof(float)));
    const dim3 igrid((NX + 127) / 128, NY);
    const dim3 iblock(128);
    init_fields<<<igrid, iblock>>>(u, up, m);

    const int zc = 100;    // this plane is verified
    std::vector<float> hu(size_t(PLANE) * (2 * R + 1)), hold(PLANE), hnew(PLANE), hm(PLANE);
    const size_t pbytes = PLANE * sizeof(float);

    const dim3 grid(NX / BX, NY / BY, NZ / SLAB);
    const dim3 block(BX, BY);
    for (int it = 0; it < LAUNCHES; ++it) {
        if (it == LAUNCHES - 1)
            GPU(cudaMemcpy(hold.data(), up + (zc + R) * PLANE, pbytes, cudaMemcpyDeviceToHost));
        wave_step<<<grid, block>>>(u, up, m, k, SLAB);
        std::swap(u, up);
    }
    GPU(cudaGetLastError());
    GPU(cudaDeviceSynchronize());
    GPU(cudaMemcpy(hnew.data(), u + (zc + R) * PLANE, pbytes, cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(hu.data(), up + zc * PLANE, pbytes * (2 * R + 1), cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(hm.data(), m + (zc + R) * PLANE, pbytes, cudaMemcpyDeviceToHost));

    double worst = 0.0, sum = 0.0, top = 0.0;
    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x) {
            const int p = (y + R) * PITCH + x + XOFF;
            const float* mid = hu.data() + size_t(R) * PLANE + p;
            double lap = 3.0 * k.c[0] * mid[0];
            for (int r = 1; r <= R; ++r)
                lap += k.c[r] * (double(mid[-r]) + mid[r] + mid[-r * PITCH] + mid[r * PITCH] +
                                 mid[-r * PLANE] + mid[r * PLANE]);
            const double ref = 2.0 * mid[0] - hold[p] + hm[p] * lap;
            worst = std::fmax(worst, std::fabs(ref - hnew[p]));
            top = std::fmax(top, std::fabs(ref));
            sum += std::fabs(hnew[p]);
        }
    std::printf("wave25 sum %.6f peak %.5f worst %.3e\n", sum, top, worst);
    GPU(cudaFree(u));
    GPU(cudaFree(up));
    GPU(cudaFree(m));
    if (!(worst < 1e-5 * (1.0 + top)) || !(top > 1e-3) || !(top < 10.0)) {
        std::printf("FAILED: wave field differs from the host reference\n");
        return 1;
    }
    return 0;
}
