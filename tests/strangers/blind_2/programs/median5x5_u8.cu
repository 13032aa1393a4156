// 5x5 median filter on an 8-bit image with wrap-around borders (texture/panorama denoising).
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int TX = 32, TY = 8, ROWS = 2;           // every thread filters ROWS pixels
constexpr int OUT_H = TY * ROWS;
constexpr int RAD = 2, WIN = 25;
constexpr int IN_W = TX + 2 * RAD, IN_H = OUT_H + 2 * RAD;

__device__ __forceinline__ void sort2(int& a, int& b) {
    const int lo = min(a, b);
    b = max(a, b);
    a = lo;
}

// Moves the minimum of v[0..N) to v[0] and the maximum to v[N-1].
template <int N>
__device__ __forceinline__ void extremes_to_ends(int (&v)[14]) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) sort2(v[i], v[N - 1 - i]);
#pragma unroll
    for (int i = 1; i <= (N - 1) / 2; ++i) sort2(v[0], v[i]);
#pragma unroll
    for (int i = N / 2; i < N - 1; ++i) sort2(v[i], v[N - 1]);
}

template <int N>
struct Forget {
    static __device__ __forceinline__ int run(int (&v)[14], const int (&p)[WIN]) {
        extremes_to_ends<N>(v);
        v[0] = p[WIN - (N - 3)];
        return Forget<N - 1>::run(v, p);
    }
};
template <>
struct Forget<3> {
    static __device__ __forceinline__ int run(int (&v)[14], const int (&)[WIN]) {
        extremes_to_ends<3>(v);
        return v[1];
    }
};

__device__ __forceinline__ int median25(int (&p)[WIN]) {
#if defined(MISTAKE_1)
    for (int i = 0; i <= WIN / 2; ++i) {
        int m = i;
        for (int j = i + 1; j < WIN; ++j)
            if (p[j] < p[m]) m = j;
        const int t = p[i];
        p[i] = p[m];
        p[m] = t;
    }
    return p[WIN / 2];
#else
    int v[14];
#pragma unroll
    for (int i = 0; i < 14; ++i) v[i] = p[i];
    return Forget<14>::run(v, p);
#endif
}

__device__ __forceinline__ int wrap_row(int y, int height) {
#if defined(MISTAKE_2)
    return (y + height) % height;
#else
    if (y < 0) y += height;
    if (y >= height) y -= height;
    return y;
#endif
}
__device__ __forceinline__ int wrap_col(int x, int width) {
    if (x < 0) x += width;
    if (x >= width) x -= width;
    return x;
}

__global__ void __launch_bounds__(TX * TY)
median5x5(const uint8_t* __restrict__ src, uint8_t* __restrict__ dst, int width, int height) {
    __shared__ uint8_t tile[IN_H][IN_W];
    const int x0 = blockIdx.x * TX, y0 = blockIdx.y * OUT_H;
    const int tx = threadIdx.x, ty = threadIdx.y;

    for (int i = ty * TX + tx; i < IN_W * IN_H; i += TX * TY) {
        const int r = i / IN_W, c = i - r * IN_W;
        const int gy = wrap_row(y0 + r - RAD, height);
        const int gx = wrap_col(x0 + c - RAD, width);
        tile[r][c] = src[(size_t)gy * width + gx];
    }
    __syncthreads();

#pragma unroll 1
    for (int k = 0; k < ROWS; ++k) {
        const int ly = ty + k * TY;
        int p[WIN];
#pragma unroll
        for (int dy = 0; dy < 5; ++dy)
#pragma unroll
            for (int dx = 0; dx < 5; ++dx) p[dy * 5 + dx] = tile[ly + dy][tx + dx];
        const int m = median25(p);
        const int x = x0 + tx, y = y0 + ly;
        if (x < width && y < height) dst[(size_t)y * width + x] = (uint8_t)m;
    }
}

static void make_image(std::vector<uint8_t>& img, int w, int h) {
    uint32_t s = 12345u;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            s = s * 1664525u + 1013904223u;
            int v = ((x * 3 + y * 5) >> 3) & 127;
            v += (int)(s >> 27);
            if ((s >> 8) % 11 == 0) v = (s & 0x1000000) ? 255 : 0;   // salt and pepper
            img[(size_t)y * w + x] = (uint8_t)std::min(v, 255);
        }
}

int main() {
    const int w = 2560, h = 1440;
    std::vector<uint8_t> img((size_t)w * h), out((size_t)w * h);
    make_image(img, w, h);
    uint8_t *src, *dst;
    CK(cudaMalloc(&src, img.size()));
    CK(cudaMalloc(&dst, img.size()));
    CK(cudaMemcpy(src, img.data(), img.size(), cudaMemcpyHostToDevice));

    const dim3 block(TX, TY), grid((w + TX - 1) / TX, (h + OUT_H - 1) / OUT_H);
    for (int it = 0; it < 100; ++it) median5x5<<<grid, block>>>(src, dst, w, h);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(out.data(), dst, out.size(), cudaMemcpyDeviceToHost));

    unsigned long long sum = 0;
    for (size_t i = 0; i < out.size(); ++i) sum += (unsigned long long)out[i] * (1 + i % 7);
    int bad = 0;
    for (int y = 0; y < h; y += 37)
        for (int x = 0; x < w; x += (y == 0 ? 1 : 3)) {
            uint8_t p[WIN];
            for (int dy = -2; dy <= 2; ++dy)
                for (int dx = -2; dx <= 2; ++dx)
                    p[(dy + 2) * 5 + dx + 2] = img[(size_t)((y + dy + h) % h) * w + (x + dx + w) % w];
            std::nth_element(p, p + 12, p + 25);
            bad += p[12] != out[(size_t)y * w + x];
        }
    std::printf("median5x5_u8 checksum %llu bad %d\n", sum, bad);
    if (bad) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
