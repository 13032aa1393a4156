// One PageRank iteration in pull form on a CSR graph: small lane groups per vertex.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr unsigned FULL = 0xffffffffu;
constexpr int VERTICES = 1 << 19;
constexpr int THREADS = 256;
constexpr float DAMPING = 0.85f;

#if defined(MISTAKE_1)
constexpr int LANES = 1;
#else
constexpr int LANES = 8;
#endif
constexpr int ROWS_PER_BLOCK = THREADS / LANES;
static_assert(VERTICES % THREADS == 0, "whole blocks only");

template <int W>
__device__ __forceinline__ float group_sum(float v)
{
#pragma unroll
    for (int d = W / 2; d > 0; d >>= 1)
        v += __shfl_xor_sync(FULL, v, d, W);
    return v;
}

template <int W>
__device__ __forceinline__ float gather(const int *__restrict__ col, const float *__restrict__ contrib,
                                        int begin, int end, int sub)
{
    float sum = 0.0f;
    for (int e = begin + sub; e < end; e += W)
        sum += contrib[col[e]];
    return group_sum<W>(sum);
}

// contribution of a vertex to each of its successors
__global__ void contrib_kernel(const float *__restrict__ rank, const int *__restrict__ out_degree,
                               float *__restrict__ contrib, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        contrib[v] = out_degree[v] > 0 ? rank[v] / out_degree[v] : 0.0f;
}

__global__ void __launch_bounds__(THREADS)
pull_kernel(const int *__restrict__ row, const int *__restrict__ col, const float *__restrict__ contrib,
            const float *__restrict__ rank, float *__restrict__ next, int n, float tolerance, unsigned *moving)
{
    const int sub = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const float base = (1.0f - DAMPING) / n;
    unsigned count = 0;
    for (int first = blockIdx.x * ROWS_PER_BLOCK; first < n; first += gridDim.x * ROWS_PER_BLOCK) {
        const int v = first + group;
        float sum = gather<LANES>(col, contrib, row[v], row[v + 1], sub);
        float value = fmaf(DAMPING, sum, base);
        bool moved = false;
        if (sub == 0) {
            next[v] = value;
            moved = fabsf(value - rank[v]) > tolerance;
        }
#if defined(MISTAKE_2)
        count += __syncthreads_count(moved);
    }
    if (threadIdx.x == 0)
        atomicAdd(moving, count);
#else
        count += moved;
    }
    __shared__ unsigned block_count;
    if (threadIdx.x == 0)
        block_count = 0;
    __syncthreads();
    count = __reduce_add_sync(FULL, count);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&block_count, count);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(moving, block_count);
#endif
}

struct Graph {
    std::vector<int> row, col, out_degree;
};

static Graph make_graph()
{
    Graph g;
    g.row.resize(VERTICES + 1);
    g.out_degree.assign(VERTICES, 0);
    uint64_t x = 88172645463325252ull;
    auto rnd = [&]() { x ^= x << 13; x ^= x >> 7; x ^= x << 17; return uint32_t(x >> 20); };
    g.row[0] = 0;
    for (int v = 0; v < VERTICES; ++v) {
        int deg = 8 + int(rnd() % 24);
        if (rnd() % 16 == 0)
            deg += int(rnd() % 64);
        g.row[v + 1] = g.row[v] + deg;
    }
    g.col.resize(g.row[VERTICES]);
    for (auto &c : g.col) {
        uint32_t r = rnd();
        c = int(r % VERTICES);
        if (r >> 31)
            c &= 0xffff;                // popular pages
        ++g.out_degree[c];
    }
    return g;
}

int main()
{
    Graph g = make_graph();
    std::vector<float> rank(VERTICES);
    for (int v = 0; v < VERTICES; ++v)
        rank[v] = (0.5f + float((v * 2654435761u) >> 16) / 65536.0f) / VERTICES;

    int *d_row, *d_col, *d_deg;
    float *d_rank, *d_next, *d_contrib;
    unsigned *d_moving;
    CK(cudaMalloc(&d_row, g.row.size() * 4));
    CK(cudaMalloc(&d_col, g.col.size() * 4));
    CK(cudaMalloc(&d_deg, VERTICES * 4));
    CK(cudaMalloc(&d_rank, VERTICES * 4));
    CK(cudaMalloc(&d_next, VERTICES * 4));
    CK(cudaMalloc(&d_contrib, VERTICES * 4));
    CK(cudaMalloc(&d_moving, 4));
    CK(cudaMemcpy(d_row, g.row.data(), g.row.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_col, g.col.data(), g.col.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_deg, g.out_degree.data(), VERTICES * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_rank, rank.data(), VERTICES * 4, cudaMemcpyHostToDevice));

    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const float tolerance = 0.3f / VERTICES;
    contrib_kernel<<<VERTICES / 256, 256>>>(d_rank, d_deg, d_contrib, VERTICES);
    for (int it = 0; it < 100; ++it) {
        CK(cudaMemsetAsync(d_moving, 0, 4));
        pull_kernel<<<sms * 8, THREADS>>>(d_row, d_col, d_contrib, d_rank, d_next, VERTICES, tolerance, d_moving);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> next(VERTICES);
    unsigned moving = 0;
    CK(cudaMemcpy(next.data(), d_next, VERTICES * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&moving, d_moving, 4, cudaMemcpyDeviceToHost));
    double total = 0.0;
    unsigned ref_moving = 0;
    for (int v = 0; v < VERTICES; ++v) {
        total += next[v];
        ref_moving += std::fabs(next[v] - rank[v]) > tolerance;
    }
    std::printf("pagerank_pull total %.5f moving %u\n", total, moving);
    bool ok = moving == ref_moving;
    for (int v = 0; v < VERTICES && ok; v += 37) {
        double s = 0.0;
        for (int e = g.row[v]; e < g.row[v + 1]; ++e)
            s += double(rank[g.col[e]]) / g.out_degree[g.col[e]];
        double ref = 0.15 / VERTICES + 0.85 * s;
        ok = std::fabs(ref - next[v]) < 1e-4 * ref;
    }
    if (!ok) { std::fprintf(stderr, "pagerank_pull: MISMATCH (%u, expected %u)\n", moving, ref_moving); return 1; }
    CK(cudaFree(d_row)); CK(cudaFree(d_col)); CK(cudaFree(d_deg)); CK(cudaFree(d_rank));
    CK(cudaFree(d_next)); CK(cudaFree(d_contrib)); CK(cudaFree(d_moving));
    return 0;
}
