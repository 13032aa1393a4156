// One top-down breadth-first search step: frontier expansion with a visited bitmap and per-warp queues.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr unsigned FULL = 0xffffffffu;
constexpr int VERTICES = 1 << 21;
constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int LANES = 8;                    // lanes that share one frontier vertex
constexpr int PER_WARP = 32 / LANES;
constexpr int QUEUE_HIGH = 64, QUEUE_SIZE = QUEUE_HIGH + 32;

struct Csr {
    const int *row, *col;
};

__device__ __forceinline__ bool try_visit(unsigned *visited, int v)
{
    unsigned *word = visited + (v >> 5);
    const unsigned bit = 1u << (v & 31);
#if defined(MISTAKE_1)
    return (atomicOr(word, bit) & bit) == 0;
#else
    if (*word & bit)
        return false;
    return (atomicOr(word, bit) & bit) == 0;
#endif
}

__device__ __forceinline__ void flush_queue(const int *queue, int size, int *out, unsigned *out_size,
                                            int *level, int depth)
{
    const int lane = threadIdx.x & 31;
    unsigned base = 0;
    __syncwarp();
    if (lane == 0)
        base = atomicAdd(out_size, static_cast<unsigned>(size));
    base = __shfl_sync(FULL, base, 0);
    for (int i = lane; i < size; i += 32) {
        const int v = queue[i];
        level[v] = depth;
#if defined(MISTAKE_2)
        __threadfence();
#endif
        out[base + i] = v;
    }
    __syncwarp();
}

__global__ void __launch_bounds__(THREADS)
expand_kernel(Csr graph, const int *__restrict__ frontier, int frontier_size, unsigned *visited,
              int *level, int depth, int *next, unsigned *next_size)
{
    __shared__ int queues[WARPS][QUEUE_SIZE];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int sub = lane % LANES, group = lane / LANES;
    const unsigned below = (1u << lane) - 1u;
    int *queue = queues[warp];
    int queued = 0;

    const int stride = gridDim.x * WARPS * PER_WARP;
    for (int first = (blockIdx.x * WARPS + warp) * PER_WARP; first < frontier_size; first += stride) {
        int begin = 0, end = 0;
        if (first + group < frontier_size) {
            const int u = frontier[first + group];
            begin = graph.row[u];
            end = graph.row[u + 1];
        }
        for (int e = begin + sub; __any_sync(FULL, e < end); e += LANES) {
            bool found = false;
            int v = 0;
            if (e < end) {
                v = graph.col[e];
                found = try_visit(visited, v);
            }
            const unsigned who = __ballot_sync(FULL, found);
            if (found)
                queue[queued + __popc(who & below)] = v;
            queued += __popc(who);
            if (queued >= QUEUE_HIGH) {
                flush_queue(queue, queued, next, next_size, level, depth);
                queued = 0;
            }
        }
    }
    if (queued > 0)
        flush_queue(queue, queued, next, next_size, level, depth);
}

int main()
{
    uint64_t x = 0x9E3779B97F4A7C15ull;
    auto rnd = [&]() { x ^= x << 13; x ^= x >> 7; x ^= x << 17; return uint32_t(x >> 24); };
    std::vector<int> row(VERTICES + 1), frontier;
    row[0] = 0;
    for (int v = 0; v < VERTICES; ++v)
        row[v + 1] = row[v] + 4 + int(rnd() % 9);
    std::vector<int> col(row[VERTICES]);
    for (auto &c : col)
        c = int(rnd() % VERTICES);

    // state in the middle of a search: half of the vertices are the frontier, most others are done
    std::vector<unsigned> visited(VERTICES / 32, 0);
    for (int v = 0; v < VERTICES; ++v) {
        uint32_t r = rnd() % 20;
        if (r < 10)
            frontier.push_back(v);
        if (r < 16)
            visited[v >> 5] |= 1u << (v & 31);
    }
    const int fsize = int(frontier.size());
    const int depth = 5;

    int *d_row, *d_col, *d_frontier, *d_level, *d_next;
    unsigned *d_visited, *d_saved, *d_size;
    CK(cudaMalloc(&d_row, row.size() * 4));
    CK(cudaMalloc(&d_col, col.size() * 4));
    CK(cudaMalloc(&d_frontier, frontier.size() * 4));
    CK(cudaMalloc(&d_level, VERTICES * 4));
    CK(cudaMalloc(&d_next, VERTICES * 4));
    CK(cudaMalloc(&d_visited, visited.size() * 4));
    CK(cudaMalloc(&d_saved, visited.size() * 4));
    CK(cudaMalloc(&d_size, 4));
    CK(cudaMemcpy(d_row, row.data(), row.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_col, col.data(), col.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_frontier, frontier.data(), frontier.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_saved, visited.data(), visited.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemset(d_level, 0xff, VERTICES * 4));

    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int it = 0; it < 100; ++it) {
        CK(cudaMemcpyAsync(d_visited, d_saved, visited.size() * 4, cudaMemcpyDeviceToDevice));
        CK(cudaMemsetAsync(d_size, 0, 4));
        expand_kernel<<<sms * 8, THREADS>>>(Csr{d_row, d_col}, d_frontier, fsize, d_visited, d_level, depth,
                                            d_next, d_size);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    unsigned size = 0;
    std::vector<int> level(VERTICES), next(VERTICES);
    CK(cudaMemcpy(&size, d_size, 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(level.data(), d_level, VERTICES * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(next.data(), d_next, VERTICES * 4, cudaMemcpyDeviceToHost));

    std::vector<char> reached(VERTICES, 0);
    unsigned expected = 0;
    for (int u : frontier)
        for (int e = row[u]; e < row[u + 1]; ++e) {
            int v = col[e];
            if (!((visited[v >> 5] >> (v & 31)) & 1u) && !reached[v]) {
                reached[v] = 1;
                ++expected;
            }
        }
    unsigned long long sum = 0;
    bool ok = size == expected;
    for (unsigned i = 0; i < size && ok; ++i) {
        int v = next[i];
        sum += unsigned(v);
        ok = v >= 0 && v < VERTICES && reached[v] == 1;
        if (ok) reached[v] = 2;             // every vertex once only
    }
    for (int v = 0; v < VERTICES && ok; ++v)
        ok = (level[v] == depth) == (reached[v] == 2);
    std::printf("bfs_expand next %u checksum %llu\n", size, sum);
    if (!ok) { std::fprintf(stderr, "bfs_expand: MISMATCH (%u, expected %u)\n", size, expected); return 1; }
    CK(cudaFree(d_row)); CK(cudaFree(d_col)); CK(cudaFree(d_frontier)); CK(cudaFree(d_level));
    CK(cudaFree(d_next)); CK(cudaFree(d_visited)); CK(cudaFree(d_saved)); CK(cudaFree(d_size));
    return 0;
}
