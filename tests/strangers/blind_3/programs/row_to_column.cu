// Row store to column store: decode 32 fields per row, transpose through shared memory, keep zone maps.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr int FIELDS = 32;
constexpr int TILE_ROWS = 64;
constexpr int WARPS = 8, THREADS = WARPS * 32;
constexpr int PER_THREAD = TILE_ROWS / WARPS;
constexpr int ROWS = 1 << 19;
constexpr int DICT = 256;

enum FieldKind : int { PLAIN = 0, ZIGZAG = 1, DICTIONARY = 2, SCALED = 3 };

struct FieldInfo {
    int kind, base, scale;
};

__host__ __device__ inline int zigzag(uint32_t x)
{
    return int(x >> 1) ^ -int(x & 1u);
}

__host__ __device__ inline int decode_field(const FieldInfo &f, uint32_t raw, const int *dict)
{
    const int mapped = dict[raw & (DICT - 1)];
    int v = int(raw);
    v = f.kind == ZIGZAG ? f.base + zigzag(raw & 0xffffffu) : v;
    v = f.kind == SCALED ? f.base + f.scale * int(raw & 0xffffu) : v;
    return f.kind == DICTIONARY ? mapped : v;
}

#if defined(MISTAKE_1)
using Tile = int[TILE_ROWS][FIELDS];
#else
using Tile = int[TILE_ROWS][FIELDS + 1];
#endif

__global__ void __launch_bounds__(THREADS)
transpose_kernel(const uint32_t *__restrict__ rows, int n, const FieldInfo *__restrict__ info,
                 const int *__restrict__ dict, int *__restrict__ columns, int2 *__restrict__ zones)
{
    __shared__ Tile tile;
    __shared__ int2 s_zone[WARPS][FIELDS];
    __shared__ int s_dict[DICT];
    for (int k = threadIdx.x; k < DICT; k += THREADS)
        s_dict[k] = dict[k];
    __syncthreads();

    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const FieldInfo field = info[lane];
    const int tile_count = n / TILE_ROWS;

    for (int t = blockIdx.x; t < tile_count; t += gridDim.x) {
        const size_t row0 = size_t(t) * TILE_ROWS;
        // lane = field
        const uint32_t *src = rows + (row0 + warp) * FIELDS + lane;
        uint32_t raw[PER_THREAD];
#pragma unroll
        for (int j = 0; j < PER_THREAD; ++j)
            raw[j] = src[j * WARPS * FIELDS];
        int lo = INT32_MAX, hi = INT32_MIN;
#pragma unroll
        for (int j = 0; j < PER_THREAD; ++j) {
            int v = decode_field(field, raw[j], s_dict);
            lo = min(lo, v);
            hi = max(hi, v);
            tile[warp + j * WARPS][lane] = v;
        }
        s_zone[warp][lane] = make_int2(lo, hi);
        __syncthreads();
        // lane = row
#pragma unroll
        for (int c = warp; c < FIELDS; c += WARPS) {
            int *dst = columns + size_t(c) * n + row0 + lane;
#pragma unroll
            for (int r = 0; r < TILE_ROWS; r += 32)
                dst[r] = tile[r + lane][c];
        }
        if (warp == 0) {
            for (int w = 1; w < WARPS; ++w) {
                lo = min(lo, s_zone[w][lane].x);
                hi = max(hi, s_zone[w][lane].y);
            }
            zones[size_t(t) * FIELDS + lane] = make_int2(lo, hi);
        }
        __syncthreads();
    }
}

int main()
{
#if defined(MISTAKE_2)
    constexpr int HEADER = 1;               // row count
#else
    constexpr int HEADER = 32;              // row count, padded
#endif
    std::vector<uint32_t> file(size_t(ROWS) * FIELDS + HEADER, 0);
    uint32_t seed = 777;
    file[0] = ROWS;
    for (size_t k = HEADER; k < file.size(); ++k) {
        seed = seed * 1664525u + 1013904223u;
        file[k] = seed ^ (seed >> 17);
    }
    std::vector<FieldInfo> info(FIELDS);
    for (int f = 0; f < FIELDS; ++f)
        info[f] = FieldInfo{f % 4, f * 1000 - 7, 3 + f};
    std::vector<int> dict(DICT);
    for (int k = 0; k < DICT; ++k)
        dict[k] = k * k * 17 - 100000;

    uint32_t *d_file;
    FieldInfo *d_info;
    int *d_dict, *d_cols;
    int2 *d_zones;
    const size_t cells = size_t(ROWS) * FIELDS;
    CK(cudaMalloc(&d_file, file.size() * 4));
    CK(cudaMalloc(&d_info, FIELDS * sizeof(FieldInfo)));
    CK(cudaMalloc(&d_dict, DICT * 4));
    CK(cudaMalloc(&d_cols, cells * 4));
    CK(cudaMalloc(&d_zones, cells / TILE_ROWS * sizeof(int2)));
    CK(cudaMemcpy(d_file, file.data(), file.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_info, info.data(), FIELDS * sizeof(FieldInfo), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_dict, dict.data(), DICT * 4, cudaMemcpyHostToDevice));

    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int it = 0; it < 100; ++it)
        transpose_kernel<<<sms * 8, THREADS>>>(d_file + HEADER, ROWS, d_info, d_dict, d_cols, d_zones);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> cols(cells);
    std::vector<int2> zones(cells / TILE_ROWS);
    CK(cudaMemcpy(cols.data(), d_cols, cells * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(zones.data(), d_zones, zones.size() * sizeof(int2), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (size_t k = 0; k < cells; k += 5)
        sum += unsigned(cols[k]);
    std::printf("row_to_column checksum %llu\n", sum);
    for (int t = 0; t < ROWS / TILE_ROWS; t += 13)
        for (int f = 0; f < FIELDS; ++f) {
            int lo = INT32_MAX, hi = INT32_MIN;
            for (int r = t * TILE_ROWS; r < (t + 1) * TILE_ROWS; ++r) {
                int v = decode_field(info[f], file[HEADER + size_t(r) * FIELDS + f], dict.data());
                lo = std::min(lo, v);
                hi = std::max(hi, v);
                if (cols[size_t(f) * ROWS + r] != v) {
                    std::fprintf(stderr, "row_to_column: MISMATCH row %d field %d\n", r, f);
                    return 1;
                }
            }
            int2 z = zones[size_t(t) * FIELDS + f];
            if (z.x != lo || z.y != hi) {
                std::fprintf(stderr, "row_to_column: MISMATCH zone %d field %d\n", t, f);
                return 1;
            }
        }
    CK(cudaFree(d_file)); CK(cudaFree(d_info)); CK(cudaFree(d_dict)); CK(cudaFree(d_cols)); CK(cudaFree(d_zones));
    return 0;
}
