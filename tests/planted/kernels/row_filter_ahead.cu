// SPDX-License-Identifier: Apache-2.0
// A filter of 48 taps along the rows of an image. A block walks down a strip of 512 columns, one row at a time through
// shared memory; the next row is copied there asynchronously, and waited for after this one is filtered, or before.
// Limits on an H100 with one block of 16 warps per SM, which both reserve shared memory for: filtering a row takes 16 x
// 48 shared loads, some 800 cycles and more; a row from device memory arrives after 600 to 800 cycles. Waited for
// after, the longer of the two counts, waited for before, their sum. Copies and waits are volatile and keep their
// order; loads to registers did not: with those the two took the same time.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kStrip = 512;  // columns of a block, one per thread
constexpr int kRows = 32;    // of a block
constexpr int kTaps = 48;
constexpr int kPad = 64;  // extra columns of the input: the taps' reach, and rows stay aligned to lines
static_assert(kTaps <= kPad, "the last strip reads kTaps columns beyond its own");
// More than half of the 228 KB of an SM, so that one block fits.
constexpr int kReservedBytes = 120 * 1024;

struct Taps {
  float w[kTaps];
};

// Of `to`, in shared memory, and `from`, in global memory, 4 bytes.
__device__ void CopyFloat(float* to, const float* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
}

__device__ void WaitForCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// `in` has n rows of n + kPad.
template <bool kAhead>
__device__ void Filter(const float* in, float* out, int n, const Taps& taps) {
  extern __shared__ float rows[];  // two of kStrip + kPad
  const int x = static_cast<int>(threadIdx.x);
  const bool copies_two = x < kTaps;
  const std::size_t top = static_cast<std::size_t>(blockIdx.y) * kRows;
  const float* from = in + top * (n + kPad) + static_cast<std::size_t>(blockIdx.x) * kStrip + x;
  float* to = out + top * n + static_cast<std::size_t>(blockIdx.x) * kStrip + x;
  const auto copy = [&](int y) {
    const float* p = from + static_cast<std::size_t>(y) * (n + kPad);
    float* row = rows + y % 2 * (kStrip + kPad);
    CopyFloat(row + x, p);
    if (copies_two) CopyFloat(row + kStrip + x, p + kStrip);
  };
  copy(0);
  WaitForCopies();
  __syncthreads();
#pragma unroll 1
  for (int y = 0; y < kRows; ++y) {
    if (y + 1 < kRows) copy(y + 1);
    if (!kAhead) WaitForCopies();
    const float* row = rows + y % 2 * (kStrip + kPad);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) sum = fmaf(taps.w[k], row[x + k], sum);
    to[static_cast<std::size_t>(y) * n] = sum;
    if (kAhead) WaitForCopies();
    __syncthreads();  // the row after next overwrites this one
  }
}
}  // namespace

constexpr int kWaitAfterLine = __LINE__ + 1;
extern "C" __global__ void row_filter_wait_after(const float* in, float* out, int n, Taps taps) {
  Filter<true>(in, out, n, taps);
}
constexpr int kWaitBeforeLine = __LINE__ + 1;
extern "C" __global__ void row_filter_wait_before(const float* in, float* out, int n, Taps taps) {
  Filter<false>(in, out, n, taps);
}

namespace culprit {
namespace {

// n x n results; n is a multiple of a strip.
LaunchConfig Config(int n) { return {dim3(n / kStrip, n / kRows), dim3(kStrip), kReservedBytes}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const std::vector<float> weights = UniformFloats(kTaps, 2);
  Taps taps;
  std::copy(weights.begin(), weights.end(), taps.w);
  const auto launch = [n, taps](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n, taps);
  };
  const auto wanted = [n, taps](const std::vector<float>& in, std::size_t at) {
    const std::size_t y = at / n, x = at % n;
    double sum = 0, terms = 0;
    for (std::size_t k = 0; k < kTaps; ++k) {
      const double term = static_cast<double>(taps.w[k]) * in[y * (n + kPad) + x + k];
      sum += term;
      terms += std::abs(term);
    }
    return Wanted{sum, kTaps * kFloatUnit * terms};
  };
  const std::size_t side = n;
  return PerElementRun(UniformFloats(side * (side + kPad), 1), side * side, 31, launch, wanted);
}

}  // namespace

PlantedPair RowFilterAheadPair() {
  const AlikeKernels both("filters the rows of an image with 48 taps, one row at a time in shared memory",
                          "waits for the next row", "kernels/planted/row_filter_ahead.cu");
  return {.id = "row_filter_ahead",
          .base = both.With("after filtering", "row_filter_wait_after", kWaitAfterLine, ::row_filter_wait_after, Config,
                            Make<::row_filter_wait_after>),
          .candidate = both.With("before filtering", "row_filter_wait_before", kWaitBeforeLine,
                                 ::row_filter_wait_before, Config, Make<::row_filter_wait_before>),
          .sizes = {2048, 4096},
          .flop = [](int n) { return 2.0 * kTaps * n * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
