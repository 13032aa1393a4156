// Spectral-element stiffness operator on curved quadrilaterals of polynomial
// degree 15 (16 x 16 nodes), one element per block, sum factorisation in double.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                              \
    do {                                                                      \
        cudaError_t e_ = (call);                                              \
        if (e_ != cudaSuccess) {                                              \
            std::fprintf(stderr, "%s at line %d\n", cudaGetErrorString(e_), __LINE__); \
            std::exit(2);                                                     \
        }                                                                     \
    } while (0)

constexpr int P = 16;
constexpr int PP = P * P;
constexpr int kElems = 12288;
constexpr int kLaunches = 100;

__constant__ double c_D[PP];

// material: stiffness and density of every node
__host__ __device__ inline size_t kappa_at(size_t node, size_t nodes)
{
#if defined(MISTAKE_2)
    (void)nodes;
    return 2 * node;
#else
    (void)nodes;
    return node;
#endif
}
__host__ __device__ inline size_t density_at(size_t node, size_t nodes)
{
#if defined(MISTAKE_2)
    (void)nodes;
    return 2 * node + 1;
#else
    return nodes + node;
#endif
}

__global__ void __launch_bounds__(PP)
stiffness(const double* __restrict__ u, const double* __restrict__ geo,
          const float* __restrict__ mat, double* __restrict__ out, int elems)
{
    __shared__ double su[P][P + 1];
    __shared__ double sr[P][P + 1];
    __shared__ double ss[P][P + 1];
    __shared__ double sD[P][P + 1];
    const int tid = threadIdx.x;
    const int i = tid % P, j = tid / P;
    const size_t nodes = size_t(elems) * PP;
    const size_t node = size_t(blockIdx.x) * PP + tid;

    const double g00 = geo[node];
    const double g01 = geo[nodes + node];
    const double g11 = geo[2 * nodes + node];
    const double kap = mat[kappa_at(node, nodes)];
    sD[j][i] = c_D[tid];
    su[j][i] = u[node];
    __syncthreads();

    double ur = 0.0, us = 0.0;
#pragma unroll
    for (int l = 0; l < P; ++l) {
#if defined(MISTAKE_1)
        ur += c_D[i * P + l] * su[j][l];
        us += c_D[j * P + l] * su[l][i];
#else
        ur += sD[i][l] * su[j][l];
        us += sD[j][l] * su[l][i];
#endif
    }
    sr[j][i] = kap * (g00 * ur + g01 * us);
    ss[j][i] = kap * (g01 * ur + g11 * us);
    __syncthreads();

    double r = 0.0;
#pragma unroll
    for (int l = 0; l < P; ++l) {
        r += sD[l][i] * sr[j][l];
        r += sD[l][j] * ss[l][i];
    }
    out[node] = r;
}

// weighted sum of rho * v, used as a diagnostic
__global__ void weighted_sum(const double* __restrict__ v, const float* __restrict__ mat,
                             double* __restrict__ result, int elems)
{
    const size_t nodes = size_t(elems) * PP;
    double s = 0.0;
    for (size_t k = blockIdx.x * size_t(blockDim.x) + threadIdx.x; k < nodes;
         k += size_t(gridDim.x) * blockDim.x)
        s += v[k] * mat[density_at(k, nodes)];
    for (int off = 16; off > 0; off >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, off);
    if (threadIdx.x % 32 == 0)
        atomicAdd(result, s);
}

static double hash01(unsigned a)
{
    a ^= a >> 16; a *= 0x7feb352du;
    a ^= a >> 15; a *= 0x846ca68bu;
    a ^= a >> 16;
    return (a & 0xffffffu) / 16777216.0;
}

int main()
{
    // differentiation matrix on Chebyshev points
    std::vector<double> D(PP, 0.0), xs(P);
    for (int a = 0; a < P; ++a) xs[a] = -std::cos(M_PI * a / (P - 1));
    for (int a = 0; a < P; ++a)
        for (int b = 0; b < P; ++b)
            if (a != b) {
                const double ca = (a == 0 || a == P - 1) ? 2.0 : 1.0;
                const double cb = (b == 0 || b == P - 1) ? 2.0 : 1.0;
                D[a * P + b] = ca / cb * ((a + b) % 2 ? -1.0 : 1.0) / (xs[a] - xs[b]);
                D[a * P + a] -= D[a * P + b];
            }

    const size_t nodes = size_t(kElems) * PP;
    std::vector<double> u(nodes), geo(3 * nodes), out(nodes);
    std::vector<float> mat(2 * nodes);
    for (size_t n = 0; n < nodes; ++n) {
        const double a = hash01(unsigned(n)), b = xs[n % P], c = xs[(n / P) % P];
        u[n] = (1.0 + b * c) * (0.5 + c) + 0.1 * a;
        geo[n] = 1.0 + 0.3 * b;
        geo[nodes + n] = 0.1 * c;
        geo[2 * nodes + n] = 1.2 - 0.2 * b * c;
        mat[kappa_at(n, nodes)] = float(1.0 + 0.5 * a);
        mat[density_at(n, nodes)] = float(2.0 - a);
    }

    double *d_u, *d_geo, *d_out, *d_sum;
    float* d_mat;
    OK(cudaMemcpyToSymbol(c_D, D.data(), PP * sizeof(double)));
    OK(cudaMalloc(&d_u, nodes * sizeof(double)));
    OK(cudaMalloc(&d_geo, 3 * nodes * sizeof(double)));
    OK(cudaMalloc(&d_out, nodes * sizeof(double)));
    OK(cudaMalloc(&d_mat, 2 * nodes * sizeof(float)));
    OK(cudaMalloc(&d_sum, sizeof(double)));
    OK(cudaMemset(d_sum, 0, sizeof(double)));
    OK(cudaMemcpy(d_u, u.data(), nodes * sizeof(double), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d_geo, geo.data(), 3 * nodes * sizeof(double), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d_mat, mat.data(), 2 * nodes * sizeof(float), cudaMemcpyHostToDevice));

    for (int it = 0; it < kLaunches; ++it)
        stiffness<<<kElems, PP>>>(d_u, d_geo, d_mat, d_out, kElems);
    weighted_sum<<<264, 256>>>(d_out, d_mat, d_sum, kElems);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    double wsum = 0.0;
    OK(cudaMemcpy(out.data(), d_out, nodes * sizeof(double), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&wsum, d_sum, sizeof(double), cudaMemcpyDeviceToHost));

    double worst = 0.0, scale = 0.0;
    for (int e : {0, 17, 4000, kElems - 1}) {
        std::vector<double> wr(PP), ws(PP);
        for (int n = 0; n < PP; ++n) {
            const size_t g = size_t(e) * PP + n;
            double ur = 0.0, us = 0.0;
            for (int l = 0; l < P; ++l) {
                ur += D[(n % P) * P + l] * u[size_t(e) * PP + (n / P) * P + l];
                us += D[(n / P) * P + l] * u[size_t(e) * PP + l * P + n % P];
            }
            const double k = mat[kappa_at(g, nodes)];
            wr[n] = k * (geo[g] * ur + geo[nodes + g] * us);
            ws[n] = k * (geo[nodes + g] * ur + geo[2 * nodes + g] * us);
        }
        for (int n = 0; n < PP; ++n) {
            double r = 0.0;
            for (int l = 0; l < P; ++l)
                r += D[l * P + n % P] * wr[(n / P) * P + l] + D[l * P + n / P] * ws[l * P + n % P];
            worst = std::fmax(worst, std::fabs(r - out[size_t(e) * PP + n]));
            scale = std::fmax(scale, std::fabs(r));
        }
    }
    double href = 0.0, habs = 0.0;
    for (size_t n = 0; n < nodes; ++n) {
        href += out[n] * mat[density_at(n, nodes)];
        habs += std::fabs(out[n]);
    }
    std::printf("sem_quad weighted sum %.8e scale %.4e worst %.3e\n", wsum, scale, worst);
    OK(cudaFree(d_u)); OK(cudaFree(d_geo)); OK(cudaFree(d_out)); OK(cudaFree(d_mat)); OK(cudaFree(d_sum));
    if (!(worst < 1e-10 * scale) || !(std::fabs(wsum - href) < 1e-9 * habs)) {
        std::printf("FAILED: operator differs from the host reference\n");
        return 1;
    }
    return 0;
}
