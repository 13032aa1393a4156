// Structural scan of CSV text: finds separators outside of quotes and counts rows, fields, quoted bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr unsigned FULL = 0xffffffffu;
constexpr int FRAME = 512;                 // quotes are always closed at a frame end
constexpr size_t UNIQUE = 4u << 20;        // bytes of distinct text
constexpr int COPIES = 32;
constexpr int THREADS = 256;

struct ScanTotals {
    unsigned long long rows, fields, quoted;
};

// one bit per byte of w that equals the byte replicated in pattern
__device__ __forceinline__ unsigned match4(unsigned w, unsigned pattern)
{
    unsigned m = __vcmpeq4(w, pattern);
    return ((m & 0x08040201u) * 0x01010101u) >> 24;
}

__device__ __forceinline__ unsigned match16(uint4 v, unsigned pattern)
{
    return match4(v.x, pattern) | (match4(v.y, pattern) << 4) |
           (match4(v.z, pattern) << 8) | (match4(v.w, pattern) << 12);
}

__device__ __forceinline__ unsigned prefix_xor16(unsigned x)
{
    x ^= x << 1;
    x ^= x << 2;
    x ^= x << 4;
    x ^= x << 8;
    return x & 0xffffu;
}

__device__ __forceinline__ uint4 load_text(const uint4 *text, size_t i)
{
#if defined(MISTAKE_1)
    const unsigned char *p = reinterpret_cast<const unsigned char *>(text) + i * 16;
    unsigned w[4] = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 16; ++k)
        w[k >> 2] |= static_cast<unsigned>(p[k]) << (8 * (k & 3));
    return make_uint4(w[0], w[1], w[2], w[3]);
#else
    return text[i];
#endif
}

__global__ void __launch_bounds__(THREADS)
csv_scan_kernel(const uint4 *__restrict__ text, size_t n16, uint16_t *__restrict__ structural, ScanTotals *totals)
{
    const int lane = threadIdx.x & 31;
    const unsigned below = (1u << lane) - 1u;
#if !defined(MISTAKE_2)
    unsigned rows = 0, fields = 0, quoted = 0;
#endif
    __shared__ unsigned part[3];
    if (threadIdx.x < 3)
        part[threadIdx.x] = 0;
    __syncthreads();

    for (size_t i = blockIdx.x * size_t(THREADS) + threadIdx.x; i < n16; i += size_t(gridDim.x) * THREADS) {
        uint4 v = load_text(text, i);
        unsigned quote = match16(v, 0x22222222u);
        unsigned comma = match16(v, 0x2c2c2c2cu);
        unsigned newline = match16(v, 0x0a0a0a0au);

        unsigned odd = __ballot_sync(FULL, __popc(quote) & 1);
        unsigned inside = prefix_xor16(quote);
        if (__popc(odd & below) & 1)
            inside ^= 0xffffu;

        newline &= ~inside;
        unsigned sep = (comma & ~inside) | newline;
        structural[i] = static_cast<uint16_t>(sep);

#if defined(MISTAKE_2)
        newline = __reduce_add_sync(FULL, __popc(newline));
        sep = __reduce_add_sync(FULL, __popc(sep));
        inside = __reduce_add_sync(FULL, __popc(inside));
        if (lane == 0) {
            atomicAdd(&part[0], newline);
            atomicAdd(&part[1], sep);
            atomicAdd(&part[2], inside);
        }
    }
#else
        rows += __popc(newline);
        fields += __popc(sep);
        quoted += __popc(inside);
    }
    rows = __reduce_add_sync(FULL, rows);
    fields = __reduce_add_sync(FULL, fields);
    quoted = __reduce_add_sync(FULL, quoted);
    if (lane == 0) {
        atomicAdd(&part[0], rows);
        atomicAdd(&part[1], fields);
        atomicAdd(&part[2], quoted);
    }
#endif
    __syncthreads();
    if (threadIdx.x < 3)
        atomicAdd(&totals->rows + threadIdx.x, static_cast<unsigned long long>(part[threadIdx.x]));
}

static void make_text(std::vector<char> &t)
{
    uint32_t seed = 12345;
    auto rnd = [&]() { seed = seed * 1664525u + 1013904223u; return seed >> 16; };
    for (size_t f = 0; f < t.size(); f += FRAME) {
        size_t p = 0;
        while (p < FRAME) {
            unsigned r = rnd() % 16;
            if (r == 0 && p + 12 < FRAME) {
                t[f + p++] = '"';
                for (int k = 0; k < 8; ++k)
                    t[f + p++] = (rnd() % 6 == 0) ? ',' : char('a' + rnd() % 26);
                t[f + p++] = '"';
            } else if (r < 4) {
                t[f + p++] = ',';
            } else if (r == 4) {
                t[f + p++] = '\n';
            } else {
                t[f + p++] = char('0' + rnd() % 10);
            }
        }
    }
}

int main()
{
    std::vector<char> text(UNIQUE);
    make_text(text);
    const size_t bytes = UNIQUE * COPIES, n16 = bytes / 16;

    char *d_text;
    uint16_t *d_mask;
    ScanTotals *d_tot;
    CK(cudaMalloc(&d_text, bytes));
    CK(cudaMalloc(&d_mask, n16 * sizeof(uint16_t)));
    CK(cudaMalloc(&d_tot, sizeof(ScanTotals)));
    CK(cudaMemcpy(d_text, text.data(), UNIQUE, cudaMemcpyHostToDevice));
    for (int c = 1; c < COPIES; ++c)
        CK(cudaMemcpy(d_text + c * UNIQUE, d_text, UNIQUE, cudaMemcpyDeviceToDevice));

    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int it = 0; it < 100; ++it) {
        CK(cudaMemsetAsync(d_tot, 0, sizeof(ScanTotals)));
        csv_scan_kernel<<<sms * 8, THREADS>>>(reinterpret_cast<const uint4 *>(d_text), n16, d_mask, d_tot);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<uint16_t> mask(UNIQUE / 16), last(UNIQUE / 16);
    ScanTotals tot;
    CK(cudaMemcpy(mask.data(), d_mask, mask.size() * 2, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(last.data(), d_mask + (COPIES - 1) * (UNIQUE / 16), last.size() * 2, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&tot, d_tot, sizeof(tot), cudaMemcpyDeviceToHost));

    ScanTotals ref = {0, 0, 0};
    std::vector<uint16_t> rmask(UNIQUE / 16, 0);
    bool in = false;
    for (size_t p = 0; p < UNIQUE; ++p) {
        char c = text[p];
        if (c == '"') in = !in;
        if (in) { ++ref.quoted; continue; }
        if (c == ',' || c == '\n') {
            ++ref.fields;
            ref.rows += c == '\n';
            rmask[p / 16] |= uint16_t(1u << (p % 16));
        }
    }
    bool ok = rmask == mask && rmask == last && tot.rows == ref.rows * COPIES &&
              tot.fields == ref.fields * COPIES && tot.quoted == ref.quoted * COPIES;
    std::printf("csv_scan rows %llu fields %llu quoted %llu\n", tot.rows, tot.fields, tot.quoted);
    if (!ok) { std::fprintf(stderr, "csv_scan: MISMATCH\n"); return 1; }
    CK(cudaFree(d_text)); CK(cudaFree(d_mask)); CK(cudaFree(d_tot));
    return 0;
}
