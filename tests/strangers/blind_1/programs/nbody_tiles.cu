// Direct-sum gravity: every target particle is served by two threads, each of
// which walks one half of the source tiles held in shared memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x)                                                              \
    if (cudaError_t err = (x); err != cudaSuccess) {                          \
        std::fprintf(stderr, "CUDA error %s at line %d\n",                    \
                     cudaGetErrorString(err), __LINE__);                      \
        std::exit(2);                                                         \
    }

constexpr int kTile = 128;
constexpr int kSlices = 2;
constexpr int kTilesPerSlice = 66;
constexpr int kN = kTile * kSlices * kTilesPerSlice;   // 16896
constexpr int kLaunches = 100;

__device__ __forceinline__ void interact(const float4 bi, const float4 bj, float3& a)
{
    const float dx = bj.x - bi.x;
    const float dy = bj.y - bi.y;
    const float dz = bj.z - bi.z;
#if defined(MISTAKE_1)
    const float r2 = dx * dx + dy * dy + dz * dz + 1.0e-4;
#else
    const float r2 = dx * dx + dy * dy + dz * dz + 1.0e-4f;
#endif
    const float inv = rsqrtf(r2);
    const float s = bj.w * inv * inv * inv;
    a.x += s * dx;
    a.y += s * dy;
    a.z += s * dz;
}

__global__ void __launch_bounds__(kTile * kSlices)
gravity(const float4* __restrict__ body, float4* __restrict__ acc, int tiles)
{
    __shared__ float4 tile[kSlices][kTile];
    const int lane = threadIdx.x % kTile;
    const int slice = threadIdx.x / kTile;
    const int i = blockIdx.x * kTile + lane;

    const float4 me = body[i];
    float3 a = make_float3(0.f, 0.f, 0.f);

#if !defined(MISTAKE_2)
    float4 next = body[slice * kTile + lane];
#endif
    for (int t = 0; t < tiles; ++t) {
        __syncthreads();
#if defined(MISTAKE_2)
        tile[slice][lane] = body[(t * kSlices + slice) * kTile + lane];
        __syncthreads();
#else
        tile[slice][lane] = next;
        __syncthreads();
        if (t + 1 < tiles)
            next = body[((t + 1) * kSlices + slice) * kTile + lane];
#endif
#pragma unroll 8
        for (int j = 0; j < kTile; ++j)
            interact(me, tile[slice][j], a);
    }

    // fold the two partial sums of each target
    __syncthreads();
    if (slice == 1)
        tile[0][lane] = make_float4(a.x, a.y, a.z, 0.f);
    __syncthreads();
    if (slice == 0) {
        const float4 b = tile[0][lane];
        acc[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, 0.f);
    }
}

__global__ void kick(float4* __restrict__ vel, const float4* __restrict__ acc, int n, float dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = vel[i];
        const float4 a = acc[i];
        v.x += dt * a.x;
        v.y += dt * a.y;
        v.z += dt * a.z;
        vel[i] = v;
    }
}

static unsigned lcg_state = 12345u;
static float uniform()
{
    lcg_state = lcg_state * 1664525u + 1013904223u;
    return float(lcg_state >> 8) * (1.0f / 16777216.0f);
}

int main()
{
    std::vector<float4> body(kN), acc(kN), vel(kN, make_float4(0.f, 0.f, 0.f, 0.f));
    for (auto& b : body) {
        // Plummer-like radial profile
        const float r = 0.1f + 0.9f * uniform() * uniform();
        const float c = 2.0f * uniform() - 1.0f;
        const float phi = 6.2831853f * uniform();
        const float s = std::sqrt(1.0f - c * c);
        b = make_float4(r * s * std::cos(phi), r * s * std::sin(phi), r * c,
                        (0.5f + uniform()) / kN);
    }

    float4 *d_body, *d_acc, *d_vel;
    CHECK(cudaMalloc(&d_body, kN * sizeof(float4)));
    CHECK(cudaMalloc(&d_acc, kN * sizeof(float4)));
    CHECK(cudaMalloc(&d_vel, kN * sizeof(float4)));
    CHECK(cudaMemcpy(d_body, body.data(), kN * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_vel, vel.data(), kN * sizeof(float4), cudaMemcpyHostToDevice));

    const int block = kTile * kSlices;
    const int grid = kN / kTile;
    for (int it = 0; it < kLaunches; ++it) {
        gravity<<<grid, block>>>(d_body, d_acc, kTilesPerSlice);
        kick<<<grid, block>>>(d_vel, d_acc, kN, 0.01f);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(acc.data(), d_acc, kN * sizeof(float4), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(vel.data(), d_vel, kN * sizeof(float4), cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int s = 0; s < 96; ++s) {
        const int i = (s * 1759) % kN;
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < kN; ++j) {
            const double dx = double(body[j].x) - body[i].x;
            const double dy = double(body[j].y) - body[i].y;
            const double dz = double(body[j].z) - body[i].z;
            const double r2 = dx * dx + dy * dy + dz * dz + 1.0e-4;
            const double w = body[j].w / (r2 * std::sqrt(r2));
            ax += w * dx;
            ay += w * dy;
            az += w * dz;
        }
        const double norm = std::sqrt(ax * ax + ay * ay + az * az) + 1e-3;
        const double err = std::fabs(ax - acc[i].x) + std::fabs(ay - acc[i].y) + std::fabs(az - acc[i].z);
        worst = std::fmax(worst, err / norm);
    }
    double sum = 0.0, kin = 0.0;
    for (int i = 0; i < kN; ++i) {
        sum += std::fabs(acc[i].x) + std::fabs(acc[i].y) + std::fabs(acc[i].z);
        kin += 0.5 * body[i].w * (vel[i].x * vel[i].x + vel[i].y * vel[i].y + vel[i].z * vel[i].z);
    }
    std::printf("nbody_tiles sum|a| %.5f kinetic %.5f worst %.3e\n", sum, kin, worst);
    CHECK(cudaFree(d_body));
    CHECK(cudaFree(d_acc));
    CHECK(cudaFree(d_vel));
    if (!(worst < 1e-3)) {
        std::printf("FAILED: accelerations differ from the host reference\n");
        return 1;
    }
    return 0;
}
