// SPDX-License-Identifier: Apache-2.0
// Kernels of some 2 to 15 us on an H100. Each is bound by something else, and several exist in two lengths.
#include <cstdint>
#include <memory>
#include <numeric>

#include "kernels/device_memory.h"
#include "tests/sampled/work.h"

namespace culprit::sampled {
namespace {

constexpr unsigned kThreads = 256, kBlocks = 264;  // two blocks on each SM of an H100
constexpr std::size_t kElements = std::size_t{1} << 23;
constexpr int kSide = 1024;

__device__ unsigned Own() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <int kSteps>
__global__ void Products(const float* in, float* out) {
  float a = in[Own()], b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 4
  for (int step = 0; step < kSteps; ++step) {
    a = fmaf(a, 0.999f, 0.5f), b = fmaf(b, 0.998f, 0.5f), c = fmaf(c, 0.997f, 0.5f), d = fmaf(d, 0.996f, 0.5f);
  }
  out[Own()] = a + b + c + d;
}

template <int kSteps>
__global__ void Sines(const float* in, float* out) {
  float a = in[Own()], b = a + 1;
  for (int step = 0; step < kSteps; ++step) a = __sinf(a), b = __cosf(b);
  out[Own()] = a + b;
}

template <int kSteps>
__global__ void Hashes(const std::uint32_t* in, std::uint32_t* out) {
  std::uint32_t x = in[Own()] + 1, y = x ^ 0x9e3779b9u;
#pragma unroll 4
  for (int step = 0; step < kSteps; ++step) {
    x ^= x << 13, y ^= y >> 7;
    x ^= y >> 17, y ^= x << 5;
  }
  out[Own()] = x + y;
}

template <int kMegabytes>
__global__ void Copies(const float4* from, float4* to) {
  constexpr unsigned kQuads = (unsigned{kMegabytes} << 20) / sizeof(float4);
  for (unsigned i = Own(); i < kQuads; i += gridDim.x * blockDim.x) to[i] = from[i];
}

// Lanes of a warp read words that are kStride apart.
template <int kStride>
__global__ void Strides(const float* in, float* out) {
  __shared__ float words[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = in[i];
  __syncthreads();
  float sum = 0;
  unsigned at = threadIdx.x * kStride;
  for (int step = 0; step < 512 / kStride; ++step, at += 33) sum += words[at % 1024];
  out[Own()] = sum;
}

template <int kRows>
__global__ void Turns(const float* from, float* to) {
  __shared__ float tile[32][33];
  const unsigned column = blockIdx.x * 32, row = blockIdx.y * 32;
  for (unsigned y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = from[(row + y) * kSide + column + threadIdx.x];
  __syncthreads();
  for (unsigned y = threadIdx.y; y < 32; y += 8) to[(column + y) * kRows + row + threadIdx.x] = tile[threadIdx.x][y];
}

__global__ void Bins(const std::uint32_t* values, unsigned* bins) {
  __shared__ unsigned own[kThreads];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = Own(); i < (1u << 20); i += gridDim.x * blockDim.x) atomicAdd(&own[values[i] % kThreads], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// The index is not known to the compiler, so the array lies in local memory.
__global__ void Kept(const std::uint32_t* in, std::uint32_t* out) {
  std::uint32_t kept[32];
  for (unsigned i = 0; i < 32; ++i) kept[i] = in[Own()] + i;
  for (unsigned step = 0; step < 96; ++step) kept[(step + kept[step % 32]) % 32] += step;
  std::uint32_t sum = 0;
  for (const std::uint32_t one : kept) sum += one;
  out[Own()] = sum;
}

// Each warp adds the elements of a row of 1,024.
__global__ void RowSums(const float4* in, float* out) {
  const unsigned row = Own() / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (unsigned i = lane; i < kSide / 4; i += 32) {
    const float4 quad = in[row * (kSide / 4) + i];
    sum += quad.x + quad.y + quad.z + quad.w;
  }
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  if (lane == 0) out[row] = sum;
}

// Fewer blocks than there are SMs.
__global__ void FewBlocks(const float* in, float* out) {
  double a = static_cast<double>(in[Own()]);
  for (int step = 0; step < 700; ++step) a = fma(a, 0.999, 0.5);
  out[Own()] = static_cast<float>(a);
}

}  // namespace

std::vector<ShortKernel> ShortKernels() {
  const auto from = std::make_shared<DeviceMemory>(kElements * sizeof(float));
  const auto to = std::make_shared<DeviceMemory>(kElements * sizeof(float));
  std::vector<std::uint32_t> numbers(kElements);
  std::iota(numbers.begin(), numbers.end(), 0u);
  from->Upload(numbers);
  // Of the same threads for all that work on one element each.
  const auto simple = [=]<class T>(void (*kernel)(const T*, T*), unsigned blocks = kBlocks) -> Launch {
    return [=](cudaStream_t stream) { kernel<<<blocks, kThreads, 0, stream>>>(from->As<T>(), to->As<T>()); };
  };
  const auto turns = [=](void (*kernel)(const float*, float*), unsigned rows) -> Launch {
    return [=](cudaStream_t stream) {
      kernel<<<dim3(kSide / 32, rows / 32), dim3(32, 8), 0, stream>>>(from->As<float>(), to->As<float>());
    };
  };
  return {
      {"products_400", simple(Products<400>)},
      {"products_1200", simple(Products<1200>)},
      {"sines_100", simple(Sines<100>)},
      {"sines_300", simple(Sines<300>)},
      {"hashes_200", simple(Hashes<200>)},
      {"hashes_600", simple(Hashes<600>)},
      {"copies_4", simple(Copies<4>, 1024)},
      {"copies_16", simple(Copies<16>, 1024)},
      {"strides_2", simple(Strides<2>)},
      {"strides_16", simple(Strides<16>, 2 * kBlocks)},
      {"turns_1024", turns(Turns<1024>, 1024)},
      {"turns_2048", turns(Turns<2048>, 2048)},
      {"bins", simple(Bins)},
      {"kept", simple(Kept)},
      {"row_sums",
       [=](cudaStream_t stream) { RowSums<<<512, kThreads, 0, stream>>>(from->As<float4>(), to->As<float>()); }},
      {"few_blocks", simple(FewBlocks, 40)},
  };
}

}  // namespace culprit::sampled
