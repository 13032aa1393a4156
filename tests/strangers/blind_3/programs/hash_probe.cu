// Hash join, probe side: open addressing with linear probing, 32-bit keys and payloads.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr uint32_t EMPTY = 0xffffffffu;
constexpr uint32_t CAPACITY = 1u << 21;
constexpr uint32_t BUILD = 1u << 20;
constexpr uint32_t PROBES = 8u << 20;
constexpr int THREADS = 256;

__host__ __device__ inline uint32_t mix(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

// position of the two halves of slot s in the table (in words)
#if defined(MISTAKE_1)
__host__ __device__ inline size_t key_pos(uint32_t s, uint32_t) { return s; }
__host__ __device__ inline size_t val_pos(uint32_t s, uint32_t capacity) { return size_t(capacity) + s; }
#else
__host__ __device__ inline size_t key_pos(uint32_t s, uint32_t) { return 2 * size_t(s); }
__host__ __device__ inline size_t val_pos(uint32_t s, uint32_t) { return 2 * size_t(s) + 1; }
#endif

__device__ __forceinline__ uint32_t wrap(uint32_t x, uint32_t capacity)
{
#if defined(MISTAKE_2)
    return x % capacity;
#else
    return x & (capacity - 1);
#endif
}

__device__ __forceinline__ uint32_t lookup(const uint32_t *__restrict__ table, uint32_t capacity, uint32_t key)
{
    uint32_t s = wrap(mix(key), capacity);
    while (true) {
        uint32_t k = table[key_pos(s, capacity)];
        if (k == key)
            return table[val_pos(s, capacity)];
        if (k == EMPTY)
            return EMPTY;
        s = wrap(s + 1, capacity);
    }
}

__global__ void __launch_bounds__(THREADS)
probe_kernel(const uint32_t *__restrict__ table, uint32_t capacity, const uint32_t *__restrict__ keys,
             uint32_t n, uint32_t *__restrict__ out, unsigned long long *hits)
{
    unsigned found = 0;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        uint32_t payload = lookup(table, capacity, keys[i]);
        out[i] = payload;
        found += payload != EMPTY;
    }
    found = __reduce_add_sync(0xffffffffu, found);
    __shared__ unsigned block_found;
    if (threadIdx.x == 0)
        block_found = 0;
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&block_found, found);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(hits, static_cast<unsigned long long>(block_found));
}

static void insert(std::vector<uint32_t> &table, uint32_t key, uint32_t payload)
{
    uint32_t s = mix(key) & (CAPACITY - 1);
    while (table[key_pos(s, CAPACITY)] != EMPTY)
        s = (s + 1) & (CAPACITY - 1);
    table[key_pos(s, CAPACITY)] = key;
    table[val_pos(s, CAPACITY)] = payload;
}

// build key number j is 3*j+1, so keys of the form 3*j and 3*j+2 are never present
static uint32_t expected(uint32_t key)
{
    if (key % 3 != 1 || key / 3 >= BUILD)
        return EMPTY;
    return (key / 3) * 7u + 5u;
}

int main()
{
    std::vector<uint32_t> table(2 * size_t(CAPACITY), EMPTY);
    for (uint32_t j = 0; j < BUILD; ++j)
        insert(table, 3 * j + 1, j * 7u + 5u);

    std::vector<uint32_t> keys(PROBES);
    uint32_t seed = 99;
    for (uint32_t i = 0; i < PROBES; ++i) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t j = (seed >> 8) & (BUILD - 1);
        bool miss = mix(seed) % 8 == 0;
        keys[i] = 3 * j + (miss ? 2 : 1);
    }

    uint32_t *d_table, *d_keys, *d_out;
    unsigned long long *d_hits;
    CK(cudaMalloc(&d_table, table.size() * 4));
    CK(cudaMalloc(&d_keys, keys.size() * 4));
    CK(cudaMalloc(&d_out, keys.size() * 4));
    CK(cudaMalloc(&d_hits, 8));
    CK(cudaMemcpy(d_table, table.data(), table.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_keys, keys.data(), keys.size() * 4, cudaMemcpyHostToDevice));

    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int it = 0; it < 100; ++it) {
        CK(cudaMemsetAsync(d_hits, 0, 8));
        probe_kernel<<<sms * 8, THREADS>>>(d_table, CAPACITY, d_keys, PROBES, d_out, d_hits);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<uint32_t> out(PROBES);
    unsigned long long hits = 0, ref_hits = 0, sum = 0;
    CK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&hits, d_hits, 8, cudaMemcpyDeviceToHost));
    size_t bad = 0;
    for (uint32_t i = 0; i < PROBES; ++i) {
        uint32_t e = expected(keys[i]);
        bad += out[i] != e;
        ref_hits += e != EMPTY;
        sum += out[i];
    }
    std::printf("hash_probe hits %llu checksum %llu\n", hits, sum);
    if (bad != 0 || hits != ref_hits) {
        std::fprintf(stderr, "hash_probe: MISMATCH (%zu wrong)\n", bad);
        return 1;
    }
    CK(cudaFree(d_table)); CK(cudaFree(d_keys)); CK(cudaFree(d_out)); CK(cudaFree(d_hits));
    return 0;
}
