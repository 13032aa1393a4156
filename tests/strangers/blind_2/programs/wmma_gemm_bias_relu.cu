// Linear layer forward: C = relu(A * B + bias), fp16 inputs, fp32 accumulation, WMMA + cp.async pipeline.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>
using namespace nvcuda;

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 2; } } while (0)

constexpr int M = 2048, N = 2048, K = 4096;
constexpr int BM = 128, BN = 128, BK = 32, STAGES = 3;
constexpr int LDA = BK + 8, LDB = BN + 8;              // padded leading dimensions
constexpr int A_ELEMS = BM * LDA, B_ELEMS = BK * LDB;
constexpr int SMEM_BYTES = STAGES * (A_ELEMS + B_ELEMS) * (int)sizeof(half);
constexpr int WM = 64, WN = 32;                        // warp tile, 2 x 4 warps
constexpr int LDE = WN + 4;                            // epilogue staging
static_assert(8 * 16 * LDE * (int)sizeof(float) <= SMEM_BYTES, "staging fits");

__host__ __device__ inline float val(uint32_t seed, uint32_t i) {
    uint32_t x = i * 747796405u + seed; x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return (float)(x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
__global__ void fill(half* p, int n, uint32_t seed) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = __float2half(val(seed, i));
}

__device__ __forceinline__ void load_tile(half* as, half* bs, const half* A, const half* B,
                                          int row0, int col0, int k0) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int c = threadIdx.x + i * 256;
        const int ar = c >> 2, ac = (c & 3) * 8;
        __pipeline_memcpy_async(as + ar * LDA + ac, A + (size_t)(row0 + ar) * K + k0 + ac, 16);
        const int br = c >> 4, bc = (c & 15) * 8;
        __pipeline_memcpy_async(bs + br * LDB + bc, B + (size_t)(k0 + br) * N + col0 + bc, 16);
    }
}

__device__ __forceinline__ half2 bias_relu(float a, float b, float2 bias) {
    return __floats2half2_rn(fmaxf(a + bias.x, 0.0f), fmaxf(b + bias.y, 0.0f));
}

#if defined(MISTAKE_1)
__global__ void __launch_bounds__(256, 4)
#else
__global__ void __launch_bounds__(256, 2)
#endif
gemm_bias_relu(const half* __restrict__ A, const half* __restrict__ B, const float* __restrict__ bias,
               half* __restrict__ C) {
    extern __shared__ __align__(128) half smem[];
    half* as = smem;
    half* bs = smem + STAGES * A_ELEMS;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int wr = (warp >> 2) * WM, wc = (warp & 3) * WN;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.0f);

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        load_tile(as + s * A_ELEMS, bs + s * B_ELEMS, A, B, row0, col0, s * BK);
        __pipeline_commit();
    }
    int rd = 0, wrt = STAGES - 1;
    for (int kt = 0; kt < K / BK; ++kt) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        const int nxt = kt + STAGES - 1;
        if (nxt < K / BK) load_tile(as + wrt * A_ELEMS, bs + wrt * B_ELEMS, A, B, row0, col0, nxt * BK);
        __pipeline_commit();
        const half* a0 = as + rd * A_ELEMS + wr * LDA;
        const half* b0 = bs + rd * B_ELEMS + wc;
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
#pragma unroll
            for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(fb[j], b0 + kk * LDB + j * 16, LDB);
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(fa[i], a0 + i * 16 * LDA + kk, LDA);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        rd = (rd + 1 == STAGES) ? 0 : rd + 1;
        wrt = (wrt + 1 == STAGES) ? 0 : wrt + 1;
    }
    __pipeline_wait_prior(0);
    __syncthreads();

    // epilogue: 16 x 32 bands through a per-warp staging buffer
    float* st = reinterpret_cast<float*>(smem) + warp * 16 * LDE;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        wmma::store_matrix_sync(st, acc[i][0], LDE, wmma::mem_row_major);
        wmma::store_matrix_sync(st + 16, acc[i][1], LDE, wmma::mem_row_major);
        __syncwarp();
#if defined(MISTAKE_2)
        const int r = lane & 15, cb = (lane >> 4) * 16;
        half* dst = C + (size_t)(row0 + wr + i * 16 + r) * N + col0 + wc + cb;
#pragma unroll
        for (int c = 0; c < 16; c += 2) {
            const float2 bv = *reinterpret_cast<const float2*>(bias + col0 + wc + cb + c);
            *reinterpret_cast<half2*>(dst + c) = bias_relu(st[r * LDE + cb + c], st[r * LDE + cb + c + 1], bv);
        }
#else
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int r = h * 8 + (lane >> 2), cb = (lane & 3) * 8;
            alignas(16) half2 o[4];
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                const float2 bv = *reinterpret_cast<const float2*>(bias + col0 + wc + cb + 2 * c);
                o[c] = bias_relu(st[r * LDE + cb + 2 * c], st[r * LDE + cb + 2 * c + 1], bv);
            }
            half* dst = C + (size_t)(row0 + wr + i * 16 + r) * N + col0 + wc + cb;
            *reinterpret_cast<uint4*>(dst) = *reinterpret_cast<const uint4*>(o);
        }
#endif
        __syncwarp();
    }
}

int main() {
    half *A, *B, *C; float* bias;
    CK(cudaMalloc(&A, (size_t)M * K * 2)); CK(cudaMalloc(&B, (size_t)K * N * 2));
    CK(cudaMalloc(&C, (size_t)M * N * 2)); CK(cudaMalloc(&bias, N * 4));
    fill<<<1024, 256>>>(A, M * K, 101u);
    fill<<<1024, 256>>>(B, K * N, 202u);
    std::vector<float> hb(N);
    for (int i = 0; i < N; ++i) hb[i] = 5.0f * val(303u, i);
    CK(cudaMemcpy(bias, hb.data(), N * 4, cudaMemcpyHostToDevice));
    CK(cudaFuncSetAttribute(gemm_bias_relu, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM_BYTES));

    for (int it = 0; it < 100; ++it)
        gemm_bias_relu<<<dim3(N / BN, M / BM), 256, SMEM_BYTES>>>(A, B, bias, C);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<half> hc((size_t)M * N);
    CK(cudaMemcpy(hc.data(), C, hc.size() * 2, cudaMemcpyDeviceToHost));
    double sum = 0.0, worst = 0.0;
    for (size_t i = 0; i < hc.size(); ++i) sum += __half2float(hc[i]);
    for (int t = 0; t < 512; ++t) {
        const int r = (t * 977 + 13) % M, c = (t * 1583 + 7) % N;
        double ref = hb[c];
        for (int k = 0; k < K; ++k)
            ref += (double)__half2float(__float2half(val(101u, r * K + k))) *
                   (double)__half2float(__float2half(val(202u, k * N + c)));
        ref = ref > 0.0 ? ref : 0.0;
        const double err = std::fabs(ref - __half2float(hc[(size_t)r * N + c])) / (1.0 + 0.05 * ref);
        worst = std::fmax(worst, err);
    }
    std::printf("wmma_gemm_bias_relu checksum %.3f maxerr %.5f\n", sum, worst);
    if (!(worst < 0.05)) { std::printf("MISMATCH\n"); return 1; }
    return 0;
}
