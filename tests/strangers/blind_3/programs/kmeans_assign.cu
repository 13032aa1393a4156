// Assignment step of k-means: every point finds its nearest centroid; centroids are staged in shared memory.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr int DIM = 48;
constexpr int CLUSTERS = 64;
constexpr int POINTS = 1 << 18;
constexpr int THREADS = 128;

struct Nearest {
    int index;
    float distance;
};

template <int D>
__device__ __forceinline__ void load_point(float (&p)[D], const float *__restrict__ points, int n, int i, int dim)
{
#if defined(MISTAKE_1)
    for (int d = 0; d < dim; ++d)
        p[d] = points[size_t(d) * n + i];
#else
#pragma unroll
    for (int d = 0; d < D; ++d)
        p[d] = points[size_t(d) * n + i];
#endif
}

template <int D>
__device__ __forceinline__ float distance2(const float (&p)[D], const float *c, int dim)
{
    float a = 0.0f, b = 0.0f;
#if defined(MISTAKE_1)
    for (int d = 0; d < dim; d += 2) {
#else
#pragma unroll
    for (int d = 0; d < D; d += 2) {
#endif
        float x = p[d] - c[d];
        float y = p[d + 1] - c[d + 1];
        a = fmaf(x, x, a);
        b = fmaf(y, y, b);
    }
    return a + b;
}

template <int D>
__device__ __forceinline__ Nearest find_nearest(const float (&p)[D], const float (*centroids)[D], int clusters, int dim)
{
    Nearest best = {0, FLT_MAX};
    for (int k = 0; k < clusters; ++k) {
#if defined(MISTAKE_2)
        float dist = sqrtf(distance2(p, centroids[k], dim));
#else
        float dist = distance2(p, centroids[k], dim);
#endif
        if (dist < best.distance) {
            best.distance = dist;
            best.index = k;
        }
    }
    return best;
}

__global__ void __launch_bounds__(THREADS)
assign_kernel(const float *__restrict__ points, const float *__restrict__ centroids, int n, int clusters, int dim,
              int *__restrict__ label, float *__restrict__ error, unsigned *cluster_size)
{
    __shared__ __align__(16) float s_centroid[CLUSTERS][DIM];
    __shared__ unsigned s_size[CLUSTERS];
    for (int k = threadIdx.x; k < clusters * dim; k += THREADS)
        s_centroid[k / DIM][k % DIM] = centroids[k];
    for (int k = threadIdx.x; k < clusters; k += THREADS)
        s_size[k] = 0;
    __syncthreads();

    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        float p[DIM];
        load_point(p, points, n, i, dim);
        Nearest best = find_nearest(p, s_centroid, clusters, dim);
        label[i] = best.index;
#if defined(MISTAKE_2)
        error[i] = best.distance * best.distance;
#else
        error[i] = best.distance;
#endif
        atomicAdd(&s_size[best.index], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < clusters; k += THREADS)
        if (s_size[k] != 0)
            atomicAdd(&cluster_size[k], s_size[k]);
}

int main()
{
    uint32_t seed = 31415;
    auto rnd = [&]() { seed = seed * 1664525u + 1013904223u; return float(seed >> 8) * (1.0f / 16777216.0f); };
    std::vector<float> centroids(CLUSTERS * DIM), points(size_t(POINTS) * DIM);
    for (auto &c : centroids)
        c = rnd() * 10.0f;
    for (int i = 0; i < POINTS; ++i) {
        const float *c = &centroids[((i * 2654435761u) >> 20) % CLUSTERS * DIM];
        for (int d = 0; d < DIM; ++d)
            points[size_t(d) * POINTS + i] = c[d] + (rnd() - 0.5f) * 12.0f;
    }

    float *d_points, *d_centroids, *d_error;
    int *d_label;
    unsigned *d_size;
    CK(cudaMalloc(&d_points, points.size() * 4));
    CK(cudaMalloc(&d_centroids, centroids.size() * 4));
    CK(cudaMalloc(&d_error, POINTS * 4));
    CK(cudaMalloc(&d_label, POINTS * 4));
    CK(cudaMalloc(&d_size, CLUSTERS * 4));
    CK(cudaMemcpy(d_points, points.data(), points.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_centroids, centroids.data(), centroids.size() * 4, cudaMemcpyHostToDevice));

    for (int it = 0; it < 100; ++it) {
        CK(cudaMemsetAsync(d_size, 0, CLUSTERS * 4));
        assign_kernel<<<(POINTS + THREADS - 1) / THREADS, THREADS>>>(d_points, d_centroids, POINTS, CLUSTERS, DIM,
                                                                     d_label, d_error, d_size);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> label(POINTS);
    std::vector<float> error(POINTS);
    std::vector<unsigned> size(CLUSTERS), ref_size(CLUSTERS, 0);
    CK(cudaMemcpy(label.data(), d_label, POINTS * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(error.data(), d_error, POINTS * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(size.data(), d_size, CLUSTERS * 4, cudaMemcpyDeviceToHost));

    bool ok = true;
    double inertia = 0.0;
    for (int i = 0; i < POINTS && ok; ++i) {
        inertia += error[i];
        ok = label[i] >= 0 && label[i] < CLUSTERS;
        if (ok) ++ref_size[label[i]];
    }
    for (int i = 0; i < POINTS && ok; i += 61) {
        double best = DBL_MAX, mine = 0.0;
        for (int k = 0; k < CLUSTERS; ++k) {
            double s = 0.0;
            for (int d = 0; d < DIM; ++d) {
                double t = double(points[size_t(d) * POINTS + i]) - centroids[k * DIM + d];
                s += t * t;
            }
            best = std::fmin(best, s);
            if (k == label[i]) mine = s;
        }
        ok = mine <= best * (1.0 + 1e-5) && std::fabs(error[i] - best) < 1e-4 * best;
    }
    std::printf("kmeans_assign inertia %.6e\n", inertia);
    if (!ok || size != ref_size) { std::fprintf(stderr, "kmeans_assign: MISMATCH\n"); return 1; }
    CK(cudaFree(d_points)); CK(cudaFree(d_centroids)); CK(cudaFree(d_error)); CK(cudaFree(d_label)); CK(cudaFree(d_size));
    return 0;
}
