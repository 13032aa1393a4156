// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 4096 numbers, a block each: three passes of 16 numbers a thread, with shared memory between.
#include <cmath>

#include "complex.cuh"
#include "job.h"

namespace {
constexpr int kSize = 4096, kRadix = 16, kThreads = kSize / kRadix, kBatch = 2048;
#ifdef CHANGE_B
constexpr int kBlocksAnSm = 8;
#else
constexpr int kBlocksAnSm = 4;
#endif

__device__ __forceinline__ int Padded(int i) { return i + i / 16; }
}  // namespace

template <int kPoints>
__global__ void __launch_bounds__(kPoints / kRadix, kBlocksAnSm)
    fourier_rows(const Complex* __restrict__ in, Complex* __restrict__ out) {
  constexpr int kApart = kPoints / kRadix;
  __shared__ Complex between[kPoints + kPoints / 16];
  const int t = threadIdx.x;
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kPoints;
  Complex v[kRadix];
#pragma unroll
  for (int r = 0; r < kRadix; ++r) v[r] = in[row + t + r * kApart];
#pragma unroll
  for (int done = 1; done < kPoints; done *= kRadix) {
    const int within = t % done;
    if (done > 1) {
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kRadix; ++r) v[r] = between[Padded(t + r * kApart)];
      const float angle = -6.2831853f * static_cast<float>(within) / static_cast<float>(done * kRadix);
      Complex step;
      __sincosf(angle, &step.im, &step.re);
      Complex turn = step;
#pragma unroll
      for (int r = 1; r < kRadix; ++r) {
        v[r] = v[r] * turn;
        turn = turn * step;
      }
    }
    Transform16(v);
    const int to = t / done * done * kRadix + within;
    if (done * kRadix < kPoints) {
      __syncthreads();  // what stood there has been read
#ifdef CHANGE_A
#pragma unroll 4
#else
#pragma unroll
#endif
      for (int r = 0; r < kRadix; ++r) between[Padded(to + r * done)] = v[Place16(r)];
    } else {
#pragma unroll
      for (int r = 0; r < kRadix; ++r) out[row + to + r * done] = v[Place16(r)];
    }
  }
}

std::vector<double> Fourier() {
  const std::size_t count = static_cast<std::size_t>(kBatch) * kSize;
  Numbers numbers(15);
  std::vector<Complex> pool(65521), values(count);
  for (Complex& value : pool) {
    value.re = numbers.Float() - 0.5f;
    value.im = numbers.Float() - 0.5f;
  }
  for (std::size_t i = 0, from = 0; i < count; ++i) {
    values[i] = pool[from];
    from = from + 1 == pool.size() ? 0 : from + 1;
  }
  const Complex* in = OnDevice(values);
  Complex* out = OnDevice<Complex>(count);
  for (int i = 0; i < kLaunches; ++i) fourier_rows<kSize><<<kBatch, kThreads>>>(in, out);
  const std::size_t looked_at = results_wanted ? 64 * kSize : 0;
  const std::vector<double> result = FromDevice(reinterpret_cast<const float*>(out), 2 * looked_at);
  if (!results_wanted) return result;
  for (const int row : {0, 63})
    for (const int k : {0, 1, 77, 2049, 4095}) {
      double re = 0, im = 0;
      for (int i = 0; i < kSize; ++i) {
        const Complex& value = values[static_cast<std::size_t>(row) * kSize + i];
        const double angle = -2 * 3.14159265358979323846 * (static_cast<long long>(i) * k % kSize) / kSize;
        re += value.re * std::cos(angle) - value.im * std::sin(angle);
        im += value.re * std::sin(angle) + value.im * std::cos(angle);
      }
      const std::size_t at = 2 * (static_cast<std::size_t>(row) * kSize + k);
      Hold("fourier_rows", result[at], re, 0.02);
      Hold("fourier_rows", result[at + 1], im, 0.02);
    }
  std::vector<double> energies;  // of 16 neighbours, as what nearly vanishes is nothing to compare by ratios
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (i % 32 == 0) energies.push_back(0);
    energies.back() += result[i] * result[i];
  }
  return energies;
}
