// Split-step Fourier integration of the nonlinear Schroedinger equation for a
// batch of 512-point periodic fields.  One block of 64 threads per field, eight
// points per thread, radix-8 Stockham transforms with exchanges in shared memory.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void RT(cudaError_t r)
{
    if (r == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(r));
    std::exit(2);
}

constexpr int kN = 512, kThreads = 64;
constexpr int kFields = 8192, kSteps = 5, kLaunches = 100;
constexpr float kGdt = 0.02f;

__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 mul_mi(float2 a) { return make_float2(a.y, -a.x); }

__device__ __forceinline__ void fft4(float2& a, float2& b, float2& c, float2& d)
{
    const float2 s0 = cadd(a, c), s1 = csub(a, c);
    const float2 s2 = cadd(b, d), s3 = mul_mi(csub(b, d));
    a = cadd(s0, s2); c = csub(s0, s2); b = cadd(s1, s3); d = csub(s1, s3);
}

__device__ __forceinline__ void fft8(float2 (&v)[8])
{
    constexpr float h = 0.70710678118f;
    float2 e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6], o0 = v[1], o1 = v[3], o2 = v[5], o3 = v[7];
    fft4(e0, e1, e2, e3);
    fft4(o0, o1, o2, o3);
    o1 = make_float2(h * (o1.x + o1.y), h * (o1.y - o1.x));
    o2 = mul_mi(o2);
    o3 = make_float2(h * (o3.y - o3.x), -h * (o3.x + o3.y));
    v[0] = cadd(e0, o0); v[4] = csub(e0, o0); v[1] = cadd(e1, o1); v[5] = csub(e1, o1);
    v[2] = cadd(e2, o2); v[6] = csub(e2, o2); v[3] = cadd(e3, o3); v[7] = csub(e3, o3);
}

__device__ __forceinline__ void twiddle(float2 (&v)[8], float2 w)
{
    float2 p = w;
#pragma unroll
    for (int r = 1; r < 8; ++r) {
        v[r] = cmul(v[r], p);
        p = cmul(p, w);
    }
}

// slot of element i in the exchange buffer
template <int SHIFT, int WIDTH>
__device__ __forceinline__ int slot(int i)
{
#if defined(MISTAKE_1)
    return i;
#else
    return i + (i >> SHIFT) * WIDTH;
#endif
}

template <int SHIFT, int WIDTH>
__device__ __forceinline__ void exchange(float2 (&v)[8], float* re, float* im, int dst, int stride)
{
    const int t = threadIdx.x;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        re[slot<SHIFT, WIDTH>(dst + r * stride)] = v[r].x;
        im[slot<SHIFT, WIDTH>(dst + r * stride)] = v[r].y;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        v[r].x = re[slot<SHIFT, WIDTH>(t + r * kThreads)];
        v[r].y = im[slot<SHIFT, WIDTH>(t + r * kThreads)];
    }
}

__device__ __forceinline__ void fft512(float2 (&v)[8], float* re, float* im, float2 w1, float2 w2)
{
    const int t = threadIdx.x;
    fft8(v);
    exchange<5, 1>(v, re, im, t * 8, 1);
    twiddle(v, w1);
    fft8(v);
    exchange<6, 8>(v, re, im, (t >> 3) * 64 + (t & 7), 8);
    twiddle(v, w2);
    fft8(v);
}

__global__ void __launch_bounds__(kThreads, 10)
nls_steps(const float2* __restrict__ in, float2* __restrict__ out,
          const float2* __restrict__ prop, float* __restrict__ norms, int steps)
{
    __shared__ float re[kN + 64], im[kN + 64];
    __shared__ float part[kThreads];
    const int t = threadIdx.x;
    const size_t base = size_t(blockIdx.x) * kN;
    float2 w1, w2, v[8];
    sincospif(-(t & 7) / 32.0f, &w1.y, &w1.x);
    sincospif(-t / 256.0f, &w2.y, &w2.x);
#pragma unroll
    for (int r = 0; r < 8; ++r)
        v[r] = in[base + t + r * kThreads];

#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
        float norm = 0.0f;
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            const float d = v[r].x * v[r].x + v[r].y * v[r].y;
            norm += d;
            float2 ph;
            __sincosf(kGdt * d, &ph.y, &ph.x);
            v[r] = cmul(v[r], ph);
        }
        fft512(v, re, im, w1, w2);
#pragma unroll
        for (int r = 0; r < 8; ++r) {       // conjugate here and below: inverse transform
            v[r] = cmul(v[r], prop[t + r * kThreads]);
            v[r].y = -v[r].y;
        }
        fft512(v, re, im, w1, w2);
#pragma unroll
        for (int r = 0; r < 8; ++r)
            v[r].y = -v[r].y;

        // mass before this step, for the conservation log
#if defined(MISTAKE_2)
        part[t] = norm;
        __syncthreads();
        if (t == 0) {
            float total = 0.0f;
            for (int k = 0; k < kThreads; ++k)
                total += part[k];
            norms[blockIdx.x * steps + s] = total;
        }
#else
        for (int off = 16; off > 0; off >>= 1)
            norm += __shfl_down_sync(0xffffffffu, norm, off);
        if ((t & 31) == 0)
            part[t >> 5] = norm;
        __syncthreads();
        if (t == 0)
            norms[blockIdx.x * steps + s] = part[0] + part[1];
#endif
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
        out[base + t + r * kThreads] = v[r];
}

using cd = std::complex<double>;
static void host_dft(std::vector<cd>& a, double sign)
{
    std::vector<cd> w(kN), b(kN);
    for (int i = 0; i < kN; ++i) w[i] = std::polar(1.0, sign * 2.0 * M_PI * i / kN);
    for (int k = 0; k < kN; ++k)
        for (int i = 0; i < kN; ++i) b[k] += w[k * i % kN] * a[i];
    a = b;
}

int main()
{
    std::vector<float2> psi(size_t(kFields) * kN), res(psi.size()), prop(kN);
    for (int i = 0; i < kN; ++i) {
        const double q = i < kN / 2 ? i : i - kN, ph = -2e-4 * q * q;
        prop[i] = make_float2(float(std::cos(ph) / kN), float(std::sin(ph) / kN));
    }
    std::vector<float2> shape(kN);
    for (int i = 0; i < kN; ++i) {
        const float x = (i - 256) / 20.0f;
        shape[i] = make_float2(std::cos(0.8f * x) / std::cosh(x), std::sin(0.8f * x) / std::cosh(x));
    }
    for (int f = 0; f < kFields; ++f)
        for (int i = 0; i < kN; ++i) {
            const float amp = 0.6f + 0.8f * f / kFields;
            const float2 a = shape[(i + 7 * f) % kN];
            psi[size_t(f) * kN + i] = make_float2(amp * a.x + 0.01f, amp * a.y);
        }
    float2 *d_in, *d_out, *d_prop;
    float* d_norm;
    RT(cudaMalloc(&d_in, psi.size() * sizeof(float2)));
    RT(cudaMalloc(&d_out, psi.size() * sizeof(float2)));
    RT(cudaMalloc(&d_prop, kN * sizeof(float2)));
    RT(cudaMalloc(&d_norm, kFields * kSteps * sizeof(float)));
    RT(cudaMemcpy(d_in, psi.data(), psi.size() * sizeof(float2), cudaMemcpyHostToDevice));
    RT(cudaMemcpy(d_prop, prop.data(), kN * sizeof(float2), cudaMemcpyHostToDevice));
    for (int it = 0; it < kLaunches; ++it)
        nls_steps<<<kFields, kThreads>>>(d_in, d_out, d_prop, d_norm, kSteps);
    RT(cudaGetLastError());
    RT(cudaDeviceSynchronize());
    std::vector<float> norms(kFields * kSteps);
    RT(cudaMemcpy(res.data(), d_out, res.size() * sizeof(float2), cudaMemcpyDeviceToHost));
    RT(cudaMemcpy(norms.data(), d_norm, norms.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0.0, nworst = 0.0, sum = 0.0;
    for (int f : {0, 1234, 4095, kFields - 1}) {
        std::vector<cd> a(kN);
        for (int i = 0; i < kN; ++i) a[i] = cd(psi[size_t(f) * kN + i].x, psi[size_t(f) * kN + i].y);
        for (int s = 0; s < kSteps; ++s) {
            double norm = 0.0;
            for (auto& z : a) { norm += std::norm(z); z *= std::polar(1.0, double(kGdt) * std::norm(z)); }
            nworst = std::fmax(nworst, std::fabs(norms[f * kSteps + s] / norm - 1.0));
            host_dft(a, -1.0);
            for (int i = 0; i < kN; ++i) a[i] *= cd(prop[i].x, prop[i].y);
            host_dft(a, 1.0);
        }
        for (int i = 0; i < kN; ++i) {
            const float2 g = res[size_t(f) * kN + i];
            worst = std::fmax(worst, std::abs(a[i] - cd(g.x, g.y)));
        }
    }
    for (float v : norms) sum += v;
    std::printf("nls_split norm-sum %.4f worst %.3e norm-err %.3e\n", sum, worst, nworst);
    RT(cudaFree(d_in)); RT(cudaFree(d_out)); RT(cudaFree(d_prop)); RT(cudaFree(d_norm));
    if (!(worst < 2e-4) || !(nworst < 1e-4)) {
        std::printf("FAILED: fields differ from the host reference\n");
        return 1;
    }
    return 0;
}
