// Sparse matrix-vector product in CSR form, fused with the dot product x.Ax
// that a conjugate gradient iteration needs next.  27-point operator on a box
// with some couplings removed at random.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(expr)                                                      \
    do {                                                                      \
        cudaError_t status_ = (expr);                                         \
        if (status_ != cudaSuccess) {                                         \
            std::fprintf(stderr, "line %d: %s\n", __LINE__,                   \
                         cudaGetErrorString(status_));                        \
            std::exit(2);                                                     \
        }                                                                     \
    } while (0)

constexpr int kSide = 80;
constexpr int kBlock = 256;
constexpr int kLaunches = 100;

#if defined(MISTAKE_1)
constexpr int kLanesPerRow = 1;
#else
constexpr int kLanesPerRow = 8;
#endif
constexpr int kRowsPerWarp = 32 / kLanesPerRow;

template <int WIDTH>
__device__ __forceinline__ double group_sum(double v)
{
#pragma unroll
    for (int off = WIDTH / 2; off > 0; off >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, off);
    return v;
}

__global__ void __launch_bounds__(kBlock)
spmv_dot(const int* __restrict__ rowptr, const int* __restrict__ col,
         const double* __restrict__ val, const double* __restrict__ x,
         double* __restrict__ y, double* __restrict__ dot, int n)
{
    const int lane = threadIdx.x % 32;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int nwarps = gridDim.x * blockDim.x / 32;
    const int sub = lane % kLanesPerRow;
    double part = 0.0;

    for (int base = warp * kRowsPerWarp; base < n; base += nwarps * kRowsPerWarp) {
        const int row = base + lane / kLanesPerRow;
        double sum = 0.0;
        if (row < n) {
            const int end = rowptr[row + 1];
            for (int e = rowptr[row] + sub; e < end; e += kLanesPerRow)
                sum += val[e] * x[col[e]];
        }
        sum = group_sum<kLanesPerRow>(sum);
        if (row < n && sub == 0) {
            y[row] = sum;
            part += sum * x[row];
        }
    }

    part = group_sum<32>(part);
#if defined(MISTAKE_2)
    if (lane == 0)
        atomicAdd(dot, part);
#else
    __shared__ double swarp[kBlock / 32];
    if (lane == 0)
        swarp[threadIdx.x / 32] = part;
    __syncthreads();
    if (threadIdx.x == 0) {
        double total = 0.0;
#pragma unroll
        for (int w = 0; w < kBlock / 32; ++w)
            total += swarp[w];
        atomicAdd(dot, total);
    }
#endif
}

static inline unsigned mix(unsigned a)
{
    a ^= a >> 16; a *= 0x7feb352du;
    a ^= a >> 15; a *= 0x846ca68bu;
    return a ^ (a >> 16);
}

int main()
{
    const int n = kSide * kSide * kSide;
    std::vector<int> rowptr(n + 1, 0), col;
    std::vector<double> val, x(n), y(n);
    col.reserve(size_t(n) * 24);
    val.reserve(size_t(n) * 24);
    for (int k = 0; k < kSide; ++k)
        for (int j = 0; j < kSide; ++j)
            for (int i = 0; i < kSide; ++i) {
                const int row = (k * kSide + j) * kSide + i;
                for (int dk = -1; dk <= 1; ++dk)
                    for (int dj = -1; dj <= 1; ++dj)
                        for (int di = -1; di <= 1; ++di) {
                            const int ii = i + di, jj = j + dj, kk = k + dk;
                            if (ii < 0 || jj < 0 || kk < 0 || ii >= kSide || jj >= kSide || kk >= kSide)
                                continue;
                            const int c = (kk * kSide + jj) * kSide + ii;
                            const unsigned h = mix(unsigned(row < c ? row : c) * 31u + unsigned(row + c));
                            if (c != row && h % 6u == 0u) continue;
                            col.push_back(c);
                            val.push_back(c == row ? 27.0 : -0.5 - (h & 255u) / 512.0);
                        }
                rowptr[row + 1] = int(col.size());
                x[row] = 0.5 + (mix(unsigned(row)) & 1023u) / 1024.0;
            }
    const size_t nnz = col.size();

    int *d_rowptr, *d_col;
    double *d_val, *d_x, *d_y, *d_dot;
    CUDA_CHECK(cudaMalloc(&d_rowptr, (n + 1) * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_col, nnz * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_val, nnz * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&d_x, n * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&d_y, n * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&d_dot, sizeof(double)));
    CUDA_CHECK(cudaMemcpy(d_rowptr, rowptr.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_col, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_val, val.data(), nnz * sizeof(double), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));

    const int grid = 132 * 8;
    for (int it = 0; it < kLaunches; ++it) {
        CUDA_CHECK(cudaMemsetAsync(d_dot, 0, sizeof(double)));
        spmv_dot<<<grid, kBlock>>>(d_rowptr, d_col, d_val, d_x, d_y, d_dot, n);
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    double dot = 0.0;
    CUDA_CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(double), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&dot, d_dot, sizeof(double), cudaMemcpyDeviceToHost));

    double worst = 0.0, refdot = 0.0;
    for (int r = 0; r < n; ++r) {
        double s = 0.0;
        for (int e = rowptr[r]; e < rowptr[r + 1]; ++e)
            s += val[e] * x[col[e]];
        refdot += s * x[r];
        worst = std::fmax(worst, std::fabs(s - y[r]));
    }
    std::printf("spmv_cg nnz %zu dot %.10e worst %.3e\n", nnz, dot, worst);
    CUDA_CHECK(cudaFree(d_rowptr));
    CUDA_CHECK(cudaFree(d_col));
    CUDA_CHECK(cudaFree(d_val));
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    CUDA_CHECK(cudaFree(d_dot));
    if (!(worst < 1e-10) || !(std::fabs(dot - refdot) < 1e-9 * std::fabs(refdot))) {
        std::printf("FAILED: product or dot differs from the host reference\n");
        return 1;
    }
    return 0;
}
