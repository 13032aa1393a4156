// Batched Smith-Waterman with affine gaps: one warp per pair, anti-diagonal wavefront with shuffles.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr unsigned FULL = 0xffffffffu;
constexpr int QLEN = 128, TLEN = 256, COLS = QLEN / 32;
constexpr int ALPHA = 20, PITCH = 24;
constexpr int OPEN = 11, EXTEND = 1, NEG = -100000;
constexpr int WARPS = 4, THREADS = WARPS * 32;
constexpr int PAIRS = 8192;

__constant__ signed char c_sub[PITCH * PITCH];

struct Hit {
    unsigned score, pos;
};

__global__ void __launch_bounds__(THREADS)
sw_kernel(const uint32_t *__restrict__ queries, const uint32_t *__restrict__ targets, int pairs, Hit *__restrict__ hits)
{
#if !defined(MISTAKE_1)
    __shared__ signed char s_sub[PITCH * PITCH];
#endif
    __shared__ uint32_t s_target[WARPS][TLEN / 4];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int pair = blockIdx.x * WARPS + warp;

#if !defined(MISTAKE_1)
    for (int i = threadIdx.x; i < PITCH * PITCH; i += THREADS)
        s_sub[i] = c_sub[i];
#endif
    if (pair < pairs)
        for (int i = lane; i < TLEN / 4; i += 32)
            s_target[warp][i] = targets[size_t(pair) * (TLEN / 4) + i];
    __syncthreads();
    if (pair >= pairs)
        return;

    const unsigned char *tgt = reinterpret_cast<const unsigned char *>(s_target[warp]);
    uint32_t packed = queries[size_t(pair) * (QLEN / 4) + lane];
    int q[COLS], up[COLS], vgap[COLS];
#pragma unroll
    for (int k = 0; k < COLS; ++k) {
        q[k] = (packed >> (8 * k)) & 255;
        up[k] = 0;
        vgap[k] = NEG;
    }
    int diag_left = 0, h_out = 0, f_out = NEG;
#if defined(MISTAKE_2)
    unsigned long long best = 0;
#else
    unsigned best = 0;
#endif

    for (int step = 0; step < TLEN + 31; ++step) {
        int h_left = __shfl_up_sync(FULL, h_out, 1);
        int f = __shfl_up_sync(FULL, f_out, 1);
        if (lane == 0) {
            h_left = 0;
            f = NEG;
        }
        const int row = step - lane;
        if (row >= 0 && row < TLEN) {
            const int t = tgt[row] * PITCH;
            int diag = diag_left, left = h_left, top = 0;
#pragma unroll
            for (int k = 0; k < COLS; ++k) {
#if defined(MISTAKE_1)
                int s = c_sub[t + q[k]];
#else
                int s = s_sub[t + q[k]];
#endif
                vgap[k] = max(vgap[k] - EXTEND, up[k] - OPEN);
                f = max(f - EXTEND, left - OPEN);
                int h = max(max(diag + s, 0), max(vgap[k], f));
                diag = up[k];
                up[k] = h;
                left = h;
                top = max(top, h * COLS + k);
            }
            diag_left = h_left;
            h_out = left;
            f_out = f;
            const unsigned pos = row * QLEN + lane * COLS + (top & (COLS - 1));
#if defined(MISTAKE_2)
            unsigned long long cand = (static_cast<unsigned long long>(top / COLS) << 32) | pos;
            best = cand > best ? cand : best;
#else
            best = max(best, (static_cast<unsigned>(top / COLS) << 16) | pos);
#endif
        }
    }
#if defined(MISTAKE_2)
    for (int d = 16; d > 0; d >>= 1) {
        unsigned long long o = __shfl_xor_sync(FULL, best, d);
        best = o > best ? o : best;
    }
    Hit hit = {static_cast<unsigned>(best >> 32), static_cast<unsigned>(best)};
#else
    best = __reduce_max_sync(FULL, best);
    Hit hit = {best >> 16, best & 0xffffu};
#endif
    if (lane == 0)
        hits[pair] = hit;
}

static Hit host_align(const unsigned char *q, const unsigned char *t, const signed char *sub)
{
    std::vector<int> h(QLEN + 1, 0), v(QLEN + 1, NEG);
    unsigned best = 0;
    for (int r = 0; r < TLEN; ++r) {
        int diag = 0, f = NEG;
        for (int c = 0; c < QLEN; ++c) {
            v[c + 1] = std::max(v[c + 1] - EXTEND, h[c + 1] - OPEN);
            f = std::max(f - EXTEND, h[c] - OPEN);
            int x = std::max(std::max(diag + sub[t[r] * PITCH + q[c]], 0), std::max(v[c + 1], f));
            diag = h[c + 1];
            h[c + 1] = x;
            best = std::max(best, (unsigned(x) << 16) | unsigned(r * QLEN + c));
        }
    }
    return {best >> 16, best & 0xffffu};
}

int main()
{
    uint32_t seed = 2024;
    auto rnd = [&]() { seed = seed * 1664525u + 1013904223u; return seed >> 16; };
    std::vector<signed char> sub(PITCH * PITCH, -4);
    for (int a = 0; a < ALPHA; ++a)
        for (int b = 0; b <= a; ++b)
            sub[a * PITCH + b] = sub[b * PITCH + a] = (signed char)(a == b ? 4 + int(rnd() % 6) : int(rnd() % 6) - 4);

    std::vector<unsigned char> q(size_t(PAIRS) * QLEN), t(size_t(PAIRS) * TLEN);
    for (auto &c : q) c = (unsigned char)(rnd() % ALPHA);
    for (auto &c : t) c = (unsigned char)(rnd() % ALPHA);
    for (int p = 0; p < PAIRS; p += 2)              // every other pair is related
        for (int i = 0; i < 90; ++i)
            if (rnd() % 5 != 0)
                t[size_t(p) * TLEN + 70 + i + (i > 40 ? 3 : 0)] = q[size_t(p) * QLEN + 20 + i];

    unsigned char *d_q, *d_t;
    Hit *d_hits;
    CK(cudaMalloc(&d_q, q.size()));
    CK(cudaMalloc(&d_t, t.size()));
    CK(cudaMalloc(&d_hits, PAIRS * sizeof(Hit)));
    CK(cudaMemcpy(d_q, q.data(), q.size(), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_t, t.data(), t.size(), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(c_sub, sub.data(), sub.size()));

    for (int it = 0; it < 100; ++it)
        sw_kernel<<<(PAIRS + WARPS - 1) / WARPS, THREADS>>>(reinterpret_cast<const uint32_t *>(d_q),
                                                            reinterpret_cast<const uint32_t *>(d_t), PAIRS, d_hits);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<Hit> hits(PAIRS);
    CK(cudaMemcpy(hits.data(), d_hits, PAIRS * sizeof(Hit), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (const Hit &h : hits) sum += h.score * 40000ull + h.pos;
    std::printf("sw_align checksum %llu\n", sum);
    for (int p = 0; p < PAIRS; p += 97) {
        Hit r = host_align(&q[size_t(p) * QLEN], &t[size_t(p) * TLEN], sub.data());
        if (r.score != hits[p].score || r.pos != hits[p].pos) {
            std::fprintf(stderr, "sw_align: MISMATCH pair %d: %u/%u, expected %u/%u\n", p, hits[p].score,
                         hits[p].pos, r.score, r.pos);
            return 1;
        }
    }
    CK(cudaFree(d_q)); CK(cudaFree(d_t)); CK(cudaFree(d_hits));
    return 0;
}
