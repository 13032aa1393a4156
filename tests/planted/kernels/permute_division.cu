// SPDX-License-Identifier: Apache-2.0
// Turns the order of the outer dimensions of a tensor, n x 12 x 10 x 6 x 32, round. An element's place along each of
// them comes from four divisions by extents that only the launch knows: as multiplications by reciprocals that the
// host computed, or as divisions.
// Limits on an H100: device memory takes 18 cycles of an SM for a warp's 256 bytes, as long as issuing 73
// instructions. A reciprocal is 3 instructions, a division some 20: about 35 instructions a warp, or 110. 1.3 to 2
// times as long.
#include <cstddef>
#include <cstdint>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kOuter = 4;  // extents beside the first
constexpr unsigned kExtents[kOuter] = {12, 10, 6, 32};
constexpr unsigned kInner = 12 * 10 * 6 * 32;

// Division of numbers below 2^31 by d, as Granlund and Montgomery ("Division by invariant integers using
// multiplication", 1994) do it: (n * m / 2^32 + n) / 2^shift with m = 2^32 (2^shift - d) / d + 1 and d <= 2^shift.
struct Divisor {
  unsigned divisor = 1, multiplier = 1, shift = 0;
};
struct Extents {
  explicit Extents(int first) : leading(static_cast<unsigned>(first)) {
    for (int i = 0; i < kOuter; ++i) {
      Divisor& d = by[i];
      d.divisor = kExtents[i];
      while (1u << d.shift < d.divisor) ++d.shift;
      const std::uint64_t excess = (std::uint64_t{1} << d.shift) - d.divisor;
      d.multiplier = static_cast<unsigned>((excess << 32) / d.divisor + 1);
    }
  }
  unsigned leading;
  Divisor by[kOuter];
};

template <bool kDivides>
__device__ unsigned Quotient(unsigned n, Divisor d) {
  return kDivides ? n / d.divisor : (__umulhi(n, d.multiplier) + n) >> d.shift;
}

// The order of the dimensions around the innermost one is reversed.
template <bool kDivides>
__device__ void Permute(const float* in, float* out, Extents e) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  unsigned place[kOuter], rest = i;
#pragma unroll
  for (int d = kOuter - 1; d >= 0; --d) {
    const unsigned quotient = Quotient<kDivides>(rest, e.by[d]);
    place[d] = rest - quotient * e.by[d].divisor;
    rest = quotient;
  }
  const unsigned outer = (place[2] * e.by[1].divisor + place[1]) * e.by[0].divisor + place[0];
  out[(outer * e.leading + rest) * e.by[3].divisor + place[3]] = in[i];
}
}  // namespace

constexpr int kReciprocalLine = __LINE__ + 1;
extern "C" __global__ void permute_by_reciprocals(const float* in, float* out, Extents e) {
  Permute<false>(in, out, e);
}
constexpr int kDivisionLine = __LINE__ + 1;
extern "C" __global__ void permute_by_divisions(const float* in, float* out, Extents e) { Permute<true>(in, out, e); }

namespace culprit {
namespace {

// n is the first extent, a multiple of 4.
LaunchConfig Config(int n) { return {dim3(static_cast<unsigned>(n) * kInner / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n) * kInner, 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * kInner; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    const std::size_t inner = i % 32, first = i / 32 % n, outer = i / 32 / n;
    const std::size_t a = outer % 12, b = outer / 12 % 10, c = outer / 120;
    return {in[(((first * 12 + a) * 10 + b) * 6 + c) * 32 + inner]};
  }
};

}  // namespace

PlantedPair PermuteDivisionPair() {
  const AlikeKernels both("reverses the order of a tensor's dimensions", "place of an element",
                          "kernels/planted/permute_division.cu");
  return {.id = "permute_division",
          .base = ElementsKernel<Job, ::permute_by_reciprocals, Config>(both, "by reciprocals",
                                                                        "permute_by_reciprocals", kReciprocalLine),
          .candidate = ElementsKernel<Job, ::permute_by_divisions, Config>(both, "by divisions", "permute_by_divisions",
                                                                           kDivisionLine),
          .sizes = {512, 1024},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * kInner * n; }};
}

}  // namespace culprit
