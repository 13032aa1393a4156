// SPDX-License-Identifier: Apache-2.0
// A polynomial of degree 63 whose coefficients in constant memory depend on the element's star; a run of 32 share one.
// A  a warp takes 8 elements of each of four stars: each load of a coefficient is served four times.
// B  the loop over the terms is not unrolled: counting, addresses and branches beside each term.
// In cycles of a quarter of an SM per term: a load and an FMA, 2 to 4; A 8 or more of the constant cache; B 6. The
// cache and the issue slots overlap: 3, A 9, B 6, both 10. A is about 70 %.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kRun = 32;  // elements of one star in a row
constexpr int kStars = 4;
constexpr int kTerms = 64;

struct Table {
  float c[kTerms][kStars];  // c[k][s] goes with x to the k: no two that one load could take
};

// Numbers in [-1, 1) from a linear congruence (Knuth, TAOCP volume 2, 3.3.4, line 26).
constexpr Table MakeTable() {
  Table table{};
  unsigned state = 2;
  for (auto& row : table.c)
    for (float& c : row) c = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / (1 << 23) - 1;
  return table;
}

__constant__ Table table = MakeTable();

// Thread t of the grid takes an element of its group of 128. Sectors: lanes 8 k to 8 k + 7 take one from run k.
template <bool kSectors>
__device__ int ElementOf(int t) {
  if constexpr (!kSectors) return t;
  const int group = t / (kStars * kRun) * (kStars * kRun), warp = t / 32 % kStars, lane = t % 32;
  return group + lane / 8 * kRun + warp * 8 + lane % 8;
}

template <bool kSectors, int kUnroll>
__device__ __forceinline__ void Evaluate(const float* in, float* out) {
  const int i = ElementOf<kSectors>(static_cast<int>(blockIdx.x * kThreads + threadIdx.x));
  const int star = i / kRun % kStars;
  const float x = in[i];
  float y = 0;
#pragma unroll kUnroll
  for (int k = kTerms - 1; k >= 0; --k) y = fmaf(y, x, table.c[k][star]);
  out[i] = y;
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) spectra_runs_unrolled(const float* in, float* out) {
  Evaluate<false, kTerms>(in, out);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) spectra_sectors_unrolled(const float* in, float* out) {
  Evaluate<true, kTerms>(in, out);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) spectra_runs_rolled(const float* in, float* out) {
  Evaluate<false, 1>(in, out);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) spectra_sectors_rolled(const float* in, float* out) {
  Evaluate<true, 1>(in, out);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    static constexpr Table kTable = MakeTable();
    Wanted w;
    double power = 1;
    for (int k = 0; k < kTerms; ++k) {
      const double term = kTable.c[k][i / kRun % kStars] * power;
      w.value += term;
      // Horner's rule: 2 n roundings behind each term (Higham, "Accuracy and Stability of Numerical Algorithms", 5.1).
      w.bound += 2 * kTerms * kFloatUnit * std::abs(term);
      power *= in[i];
    }
    return w;
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedMixture SpectraTableRolledMixture() {
  const MixedKernels four("evaluates the polynomial of each element's star from a table in constant memory",
                          "elements of a warp", "terms unrolled", "kernels/planted/spectra_table_rolled.cu");
  return {.id = "spectra_table_rolled",
          .base = four.With("one run of 32", "64", "spectra_runs_unrolled", kBaseLine, ::spectra_runs_unrolled, Config,
                            Make<::spectra_runs_unrolled>),
          .a = four.With("8 of four runs", "64", "spectra_sectors_unrolled", kALine, ::spectra_sectors_unrolled, Config,
                         Make<::spectra_sectors_unrolled>),
          .b = four.With("one run of 32", "1", "spectra_runs_rolled", kBLine, ::spectra_runs_rolled, Config,
                         Make<::spectra_runs_rolled>),
          .both = four.With("8 of four runs", "1", "spectra_sectors_rolled", kBothLine, ::spectra_sectors_rolled,
                            Config, Make<::spectra_sectors_rolled>),
          .sizes = {1 << 22, 1 << 24},
          .flop = [](int n) { return 2.0 * kTerms * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
