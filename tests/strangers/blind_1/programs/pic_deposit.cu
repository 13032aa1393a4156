// Particle-in-cell charge deposition (bilinear weights) on a periodic 2-D grid
// in fixed point, so that the result does not depend on the order of the adds.
// Particles are sorted by 32 x 32 cell tiles; one block serves one tile.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUCHK(call)                                                           \
    do {                                                                      \
        cudaError_t e_ = (call);                                              \
        if (e_ != cudaSuccess) {                                              \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            std::exit(2);                                                     \
        }                                                                     \
    } while (0)

constexpr int kTile = 32;
constexpr int kTilesX = 64, kTilesY = 64;
constexpr int kNx = kTile * kTilesX, kNy = kTile * kTilesY;
constexpr int kPatch = kTile + 1;
constexpr int kBlock = 256;
constexpr int kLaunches = 100;
constexpr float kScale = 1048576.0f;

struct Weights {
    int ix, iy;
    int w00, w10, w01, w11;
};

__host__ __device__ inline Weights bilinear(float x, float y, float q)
{
    Weights r;
    r.ix = int(x);
    r.iy = int(y);
    const float fx = x - float(r.ix), fy = y - float(r.iy);
    const float a = q * kScale;
    r.w11 = int(rintf(a * fx * fy));
    r.w10 = int(rintf(a * fx)) - r.w11;
    r.w01 = int(rintf(a * fy)) - r.w11;
    r.w00 = int(rintf(a)) - r.w11 - r.w10 - r.w01;
    return r;
}

__global__ void __launch_bounds__(kBlock)
deposit(const float* __restrict__ px, const float* __restrict__ py,
        const float* __restrict__ pq, const int* __restrict__ start,
        int* __restrict__ rho)
{
    __shared__ int patch[kPatch * kPatch];
    const int tile = blockIdx.x;
    const int x0 = (tile % kTilesX) * kTile;
    const int y0 = (tile / kTilesX) * kTile;
    const int first = start[tile], last = start[tile + 1];

#if defined(MISTAKE_2)
    if (threadIdx.x == 0)
        for (int c = 0; c < kPatch * kPatch; ++c)
            patch[c] = 0;
#else
    for (int c = threadIdx.x; c < kPatch * kPatch; c += kBlock)
        patch[c] = 0;
#endif
    __syncthreads();

    for (int p = first + threadIdx.x; p < last; p += kBlock) {
        const Weights w = bilinear(px[p], py[p], pq[p]);
#if defined(MISTAKE_1)
        const int xe = (w.ix + 1) % kNx, yn = (w.iy + 1) % kNy;
        atomicAdd(&rho[w.iy * kNx + w.ix], w.w00);
        atomicAdd(&rho[w.iy * kNx + xe], w.w10);
        atomicAdd(&rho[yn * kNx + w.ix], w.w01);
        atomicAdd(&rho[yn * kNx + xe], w.w11);
#else
        const int c = (w.iy - y0) * kPatch + (w.ix - x0);
        atomicAdd(&patch[c], w.w00);
        atomicAdd(&patch[c + 1], w.w10);
        atomicAdd(&patch[c + kPatch], w.w01);
        atomicAdd(&patch[c + kPatch + 1], w.w11);
#endif
    }
    __syncthreads();

    // add the patch to the grid; its last row and column belong to neighbours
    for (int c = threadIdx.x; c < kPatch * kPatch; c += kBlock) {
        const int x = (x0 + c % kPatch) % kNx;
        const int y = (y0 + c / kPatch) % kNy;
        const int v = patch[c];
        if (v != 0)
            atomicAdd(&rho[y * kNx + x], v);
    }
}

static unsigned seed = 2024u;
static float uni()
{
    seed = seed * 1664525u + 1013904223u;
    return float(seed >> 8) * (1.0f / 16777216.0f);
}

int main()
{
    std::vector<float> px, py, pq;
    std::vector<int> start(1, 0);
    for (int ty = 0; ty < kTilesY; ++ty)
        for (int tx = 0; tx < kTilesX; ++tx) {
            const int np = 1500 + int(1000.0f * uni());
            for (int k = 0; k < np; ++k) {
                const float x = std::fmin(kTile * uni(), kTile - 0.01f);
                const float y = std::fmin(kTile * uni(), kTile - 0.01f);
                px.push_back(tx * kTile + x);
                py.push_back(ty * kTile + y);
                pq.push_back(0.5f + uni());
            }
            start.push_back(int(px.size()));
        }
    const size_t n = px.size();
    const size_t cells = size_t(kNx) * kNy;

    float *d_x, *d_y, *d_q;
    int *d_start, *d_rho;
    CUCHK(cudaMalloc(&d_x, n * sizeof(float)));
    CUCHK(cudaMalloc(&d_y, n * sizeof(float)));
    CUCHK(cudaMalloc(&d_q, n * sizeof(float)));
    CUCHK(cudaMalloc(&d_start, start.size() * sizeof(int)));
    CUCHK(cudaMalloc(&d_rho, cells * sizeof(int)));
    CUCHK(cudaMemcpy(d_x, px.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(d_y, py.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(d_q, pq.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(d_start, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));

    const int grid = kTilesX * kTilesY;
    for (int it = 0; it < kLaunches; ++it) {
        CUCHK(cudaMemsetAsync(d_rho, 0, cells * sizeof(int)));
        deposit<<<grid, kBlock>>>(d_x, d_y, d_q, d_start, d_rho);
    }
    CUCHK(cudaGetLastError());
    CUCHK(cudaDeviceSynchronize());
    std::vector<int> rho(cells), ref(cells, 0);
    CUCHK(cudaMemcpy(rho.data(), d_rho, cells * sizeof(int), cudaMemcpyDeviceToHost));

    long long total = 0, want = 0;
    for (size_t p = 0; p < n; ++p) {
        const Weights w = bilinear(px[p], py[p], pq[p]);
        const int xe = (w.ix + 1) % kNx, yn = (w.iy + 1) % kNy;
        ref[size_t(w.iy) * kNx + w.ix] += w.w00;
        ref[size_t(w.iy) * kNx + xe] += w.w10;
        ref[size_t(yn) * kNx + w.ix] += w.w01;
        ref[size_t(yn) * kNx + xe] += w.w11;
        want += w.w00 + w.w10 + w.w01 + w.w11;
    }
    int worst = 0;
    for (size_t c = 0; c < cells; ++c) {
        total += rho[c];
        worst = std::max(worst, std::abs(rho[c] - ref[c]));
    }
    std::printf("pic_deposit particles %zu charge %.6f worst %d\n", n, double(total) / kScale, worst);
    CUCHK(cudaFree(d_x));
    CUCHK(cudaFree(d_y));
    CUCHK(cudaFree(d_q));
    CUCHK(cudaFree(d_start));
    CUCHK(cudaFree(d_rho));
    if (worst > 64 || std::llabs(total - want) > (long long)n) {
        std::printf("FAILED: charge density differs from the host reference\n");
        return 1;
    }
    return 0;
}
