// SPDX-License-Identifier: Apache-2.0
// A polynomial of degree 63 whose coefficients in constant memory depend on the element's material; 32 elements in a
// row share one. An indexed constant load serves one address at a time: a warp of one material needs one pass per load,
// a warp with 8 elements of each of four materials (a 32-byte sector each) needs four.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kRun = 32;  // elements of one material in a row
constexpr int kMaterials = 4;
constexpr int kTerms = 64;

struct Table {
  float c[kMaterials][kTerms];  // c[m][k] goes with x to the k
};

// Numbers in [-1, 1) from a linear congruence (Knuth, TAOCP volume 2, 3.3.4, line 26).
constexpr Table MakeTable() {
  Table table{};
  unsigned state = 1;
  for (auto& row : table.c)
    for (float& c : row) c = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / (1 << 23) - 1;
  return table;
}

__constant__ Table table = MakeTable();

// Thread t of the grid takes an element of its group of 128. Sectors: lanes 8 k to 8 k + 7 take one from run k.
template <bool kSectors>
__device__ int ElementOf(int t) {
  if constexpr (!kSectors) return t;
  const int group = t / (kMaterials * kRun) * (kMaterials * kRun), warp = t / 32 % kMaterials, lane = t % 32;
  return group + lane / 8 * kRun + warp * 8 + lane % 8;
}

template <bool kSectors>
__device__ void Evaluate(const float* in, float* out) {
  const int i = ElementOf<kSectors>(static_cast<int>(blockIdx.x * kThreads + threadIdx.x));
  const float* c = table.c[i / kRun % kMaterials];
  const float x = in[i];
  float y = c[kTerms - 1];
#pragma unroll
  for (int k = kTerms - 2; k >= 0; --k) y = fmaf(y, x, c[k]);
  out[i] = y;
}
}  // namespace

constexpr int kRunsLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) material_runs(const float* in, float* out) {
  Evaluate<false>(in, out);
}
constexpr int kSectorsLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) material_sectors(const float* in, float* out) {
  Evaluate<true>(in, out);
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
      const double term = kTable.c[i / kRun % kMaterials][k] * power;
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

PlantedPair MaterialTablePair() {
  const AlikeKernels both("evaluates the polynomial of each element's material from a table in constant memory",
                          "elements of a warp", "kernels/planted/material_table.cu");
  return {
      .id = "material_table",
      .base = both.With("one run of 32", "material_runs", kRunsLine, ::material_runs, Config, Make<::material_runs>),
      .candidate = both.With("8 of four runs", "material_sectors", kSectorsLine, ::material_sectors, Config,
                             Make<::material_sectors>),
      .sizes = {1 << 22, 1 << 24},
      .flop = [](int n) { return 2.0 * (kTerms - 1) * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
