// SHA-256 of many messages of 128 bytes, one message per thread.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(2); } } while (0)

constexpr int MESSAGES = 1 << 19;
constexpr int MSG_WORDS = 32;
constexpr int THREADS = 128;

#define SHA_K \
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u, \
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u, \
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, \
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u, \
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, \
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u, \
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u, \
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u

__constant__ uint32_t c_k[64] = {SHA_K};
[[maybe_unused]] static const uint32_t h_k[64] = {SHA_K};

struct State {
    uint32_t h[8];
};

__host__ __device__ inline State initial_state()
{
    return {{0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u}};
}

// where word w of message i lives in the input buffer
__host__ __device__ inline size_t word_pos(int i, int w, int n)
{
    return size_t(w) * n + i;
}

__host__ __device__ inline uint32_t rotr(uint32_t x, int s) { return (x >> s) | (x << (32 - s)); }
__host__ __device__ inline uint32_t ch(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (~x & z); }
__host__ __device__ inline uint32_t maj(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (x & z) ^ (y & z); }
__host__ __device__ inline uint32_t big0(uint32_t x) { return rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22); }
__host__ __device__ inline uint32_t big1(uint32_t x) { return rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25); }
__host__ __device__ inline uint32_t small0(uint32_t x) { return rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3); }
__host__ __device__ inline uint32_t small1(uint32_t x) { return rotr(x, 17) ^ rotr(x, 19) ^ (x >> 10); }

__host__ __device__ inline uint32_t swap_bytes(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return __byte_perm(x, 0, 0x0123);
#else
    return (x >> 24) | ((x >> 8) & 0xff00u) | ((x << 8) & 0xff0000u) | (x << 24);
#endif
}

__host__ __device__ inline void compress(State &st, uint32_t (&w)[16])
{
    uint32_t a = st.h[0], b = st.h[1], c = st.h[2], d = st.h[3];
    uint32_t e = st.h[4], f = st.h[5], g = st.h[6], h = st.h[7];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int t = 0; t < 64; ++t) {
        if (t >= 16)
            w[t & 15] += small1(w[(t + 14) & 15]) + w[(t + 9) & 15] + small0(w[(t + 1) & 15]);
#ifdef __CUDA_ARCH__
        uint32_t k = c_k[t];
#else
        uint32_t k = h_k[t];
#endif
        uint32_t t1 = h + big1(e) + ch(e, f, g) + k + w[t & 15];
        uint32_t t2 = big0(a) + maj(a, b, c);
        h = g; g = f; f = e; e = d + t1;
        d = c; c = b; b = a; a = t1 + t2;
    }
    st.h[0] += a; st.h[1] += b; st.h[2] += c; st.h[3] += d;
    st.h[4] += e; st.h[5] += f; st.h[6] += g; st.h[7] += h;
}

__host__ __device__ inline State digest(const uint32_t *words, int i, int n)
{
    State st = initial_state();
    uint32_t w[16];
    for (int block = 0; block < MSG_WORDS; block += 16) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int k = 0; k < 16; ++k)
            w[k] = swap_bytes(words[word_pos(i, block + k, n)]);
        compress(st, w);
    }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < 16; ++k)
        w[k] = 0;
    w[0] = 0x80000000u;
    w[15] = MSG_WORDS * 32;
    compress(st, w);
    return st;
}

#if defined(MISTAKE_2)
__global__ void __launch_bounds__(THREADS, 16)
#else
__global__ void __launch_bounds__(THREADS)
#endif
sha256_kernel(const uint32_t *__restrict__ words, int n, uint32_t *__restrict__ digests)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        State st = digest(words, i, n);
#pragma unroll
        for (int k = 0; k < 8; ++k)
            digests[size_t(k) * n + i] = st.h[k];
    }
}

int main()
{
    std::vector<uint32_t> words(size_t(MESSAGES) * MSG_WORDS);
    for (int i = 0; i < MESSAGES; ++i) {
        uint32_t x = 0x12345u + uint32_t(i) * 2654435761u;
        for (int w = 0; w < MSG_WORDS; ++w) {
            x = x * 1664525u + 1013904223u;
            words[word_pos(i, w, MESSAGES)] = x ^ (x >> 13);
        }
    }
    uint32_t *d_words, *d_digests;
    CK(cudaMalloc(&d_words, words.size() * 4));
    CK(cudaMalloc(&d_digests, size_t(MESSAGES) * 32));
    CK(cudaMemcpy(d_words, words.data(), words.size() * 4, cudaMemcpyHostToDevice));

#if defined(MISTAKE_1)
    int blocks = 0;
    CK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0));
#else
    const int blocks = (MESSAGES + THREADS - 1) / THREADS;
#endif
    for (int it = 0; it < 100; ++it)
        sha256_kernel<<<blocks, THREADS>>>(d_words, MESSAGES, d_digests);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<uint32_t> out(size_t(MESSAGES) * 8);
    CK(cudaMemcpy(out.data(), d_digests, out.size() * 4, cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (uint32_t v : out) sum += v;
    std::printf("sha256_batch checksum %llu\n", sum);
    for (int i = 0; i < MESSAGES; i += 211) {
        State r = digest(words.data(), i, MESSAGES);
        for (int k = 0; k < 8; ++k)
            if (r.h[k] != out[size_t(k) * MESSAGES + i]) {
                std::fprintf(stderr, "sha256_batch: MISMATCH message %d\n", i);
                return 1;
            }
    }
    CK(cudaFree(d_words)); CK(cudaFree(d_digests));
    return 0;
}
