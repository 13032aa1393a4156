// SELECT key, COUNT(*), SUM(amount) GROUP BY key, with a private table per thread block.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr int GROUPS = 1024;
constexpr int THREADS = 512;
constexpr uint32_t ROWS = 16u << 20;

#if defined(MISTAKE_1)
using partial_t = unsigned long long;
#else
// amounts are below 2^12 and a block sees fewer than 2^20 rows
using partial_t = unsigned int;
#endif

template <typename Sum>
struct GroupTable {
    Sum sum[GROUPS];
    unsigned count[GROUPS];

    __device__ void clear()
    {
        for (int g = threadIdx.x; g < GROUPS; g += blockDim.x) {
            sum[g] = 0;
            count[g] = 0;
        }
    }
    __device__ __forceinline__ void add(uint32_t key, uint32_t amount)
    {
        atomicAdd(&sum[key], static_cast<Sum>(amount));
        atomicAdd(&count[key], 1u);
    }
    __device__ void flush(unsigned long long *g_sum, unsigned *g_count)
    {
        for (int g = threadIdx.x; g < GROUPS; g += blockDim.x) {
            if (count[g] != 0) {
                atomicAdd(&g_sum[g], static_cast<unsigned long long>(sum[g]));
                atomicAdd(&g_count[g], count[g]);
            }
        }
    }
};

// key column is stored with a check nibble in the upper bits
__device__ __forceinline__ uint32_t decode_key(uint32_t raw)
{
    return raw & (GROUPS - 1);
}

__device__ __forceinline__ bool selected(uint32_t raw, uint32_t mask)
{
    return ((raw >> 28) & mask) == 0;
}

__global__ void __launch_bounds__(THREADS)
groupby_kernel(const uint4 *__restrict__ keys, const uint4 *__restrict__ amounts, uint32_t n4,
               uint32_t filter_mask, unsigned long long *g_sum, unsigned *g_count)
{
    __shared__ GroupTable<partial_t> table;
    table.clear();
    __syncthreads();
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n4; i += gridDim.x * THREADS) {
        uint4 k = keys[i];
        uint4 a = amounts[i];
        if (selected(k.x, filter_mask)) table.add(decode_key(k.x), a.x);
        if (selected(k.y, filter_mask)) table.add(decode_key(k.y), a.y);
        if (selected(k.z, filter_mask)) table.add(decode_key(k.z), a.z);
        if (selected(k.w, filter_mask)) table.add(decode_key(k.w), a.w);
    }
    __syncthreads();
    table.flush(g_sum, g_count);
}

int main()
{
    std::vector<uint32_t> keys(ROWS), amounts(ROWS);
    std::vector<unsigned long long> ref_sum(GROUPS, 0);
    std::vector<unsigned> ref_count(GROUPS, 0);
    const uint32_t filter_mask = 0x8u;      // rows with the top check bit are dropped
    uint32_t seed = 4711;
    for (uint32_t i = 0; i < ROWS; ++i) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t r = seed ^ (seed >> 15);
        r *= 0x2c1b3c6du;
        r ^= r >> 12;
        uint32_t g = (r >> 4) & (GROUPS - 1);
        if ((r & 15u) == 0)
            g &= 63u;                       // some groups are more popular
        uint32_t nibble = ((r >> 20) & 7u) == 0 ? 8u : 1u;
        keys[i] = g | (nibble << 28);
        amounts[i] = (r >> 14) & 4095u;
        if ((nibble & filter_mask) == 0) {
            ref_sum[g] += amounts[i];
            ref_count[g] += 1;
        }
    }

    uint32_t *d_keys, *d_amounts;
    unsigned long long *d_sum;
    unsigned *d_count;
    CK(cudaMalloc(&d_keys, size_t(ROWS) * 4));
    CK(cudaMalloc(&d_amounts, size_t(ROWS) * 4));
    CK(cudaMalloc(&d_sum, GROUPS * 8));
    CK(cudaMalloc(&d_count, GROUPS * 4));
    CK(cudaMemcpy(d_keys, keys.data(), size_t(ROWS) * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_amounts, amounts.data(), size_t(ROWS) * 4, cudaMemcpyHostToDevice));

    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
#if defined(MISTAKE_2)
    const int blocks = (ROWS + 8191) / 8192;
#else
    const int blocks = sms * 4;
#endif
    for (int it = 0; it < 100; ++it) {
        CK(cudaMemsetAsync(d_sum, 0, GROUPS * 8));
        CK(cudaMemsetAsync(d_count, 0, GROUPS * 4));
        groupby_kernel<<<blocks, THREADS>>>(reinterpret_cast<const uint4 *>(d_keys),
                                            reinterpret_cast<const uint4 *>(d_amounts), ROWS / 4,
                                            filter_mask, d_sum, d_count);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned long long> sum(GROUPS);
    std::vector<unsigned> count(GROUPS);
    CK(cudaMemcpy(sum.data(), d_sum, GROUPS * 8, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(count.data(), d_count, GROUPS * 4, cudaMemcpyDeviceToHost));
    unsigned long long check = 0;
    for (int g = 0; g < GROUPS; ++g)
        check = check * 31 + sum[g] + count[g];
    std::printf("groupby_agg checksum %llu\n", check);
    if (sum != ref_sum || count != ref_count) {
        std::fprintf(stderr, "groupby_agg: MISMATCH\n");
        return 1;
    }
    CK(cudaFree(d_keys)); CK(cudaFree(d_amounts)); CK(cudaFree(d_sum)); CK(cudaFree(d_count));
    return 0;
}
