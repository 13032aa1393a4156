// SPDX-License-Identifier: Apache-2.0
// Hashed embedding: a result is the sum of eight entries of a table, at places that a hash names. The table is stored
// once, or 32 times one after the other, and the hash's upper bits choose the copy.
// Limits on an H100: 34e6 loads of one sector each at 4 Mi results. Once: 16 MB stay in L2, 1.1 GB from it, 0.25 ms at
// 4 to 5 TB/s. 32 times: 512 MB do not fit its 50 MB, 1.1 to 2.2 GB come from device memory at random, 0.5 to 1 ms.
// Kept apart because the only difference is the mask that the hash is cut with: 22 bits or 27.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kEntries = 8;  // of the table per result
constexpr std::uint32_t kTable = 1u << 22;

// Two rounds of multiply and shift: spread well enough that neighbours share no line.
__host__ __device__ std::uint32_t Hash(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}

template <std::uint32_t kCopies>
__device__ void Embed(const float* table, float* out) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < kEntries; ++j) sum += table[Hash(i * kEntries + j) & (kCopies * kTable - 1)];
  out[i] = sum;
}
}  // namespace

constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void embedding_one_table(const float* table, float* out) { Embed<1>(table, out); }
constexpr int kManyLine = __LINE__ + 1;
extern "C" __global__ void embedding_32_tables(const float* table, float* out) { Embed<32>(table, out); }

namespace culprit {
namespace {

// n results, a multiple of a block's threads.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel, std::uint32_t kCopies>
PlantedRun Make(int n) {
  const std::vector<float> table = UniformFloats(kTable, 1);
  std::vector<float> copies;
  copies.reserve(static_cast<std::size_t>(kCopies) * kTable);
  for (std::uint32_t c = 0; c < kCopies; ++c) copies.insert(copies.end(), table.begin(), table.end());
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) {
    double sum = 0, terms = 0;
    for (std::uint32_t j = 0; j < kEntries; ++j) {
      const double entry = in[Hash(static_cast<std::uint32_t>(i) * kEntries + j) & (kTable - 1)];
      sum += entry;
      terms += std::abs(entry);
    }
    return Wanted{sum, kEntries * kFloatUnit * terms};
  };
  return PerElementRun(std::move(copies), n, 7, launch, wanted);
}

}  // namespace

PlantedPair EmbeddingCopiesPair() {
  const AlikeKernels both("adds eight entries of a table that a hash names", "copies of the table",
                          "kernels/planted/embedding_copies.cu");
  return {.id = "embedding_copies",
          .base = both.With("1", "embedding_one_table", kOneLine, ::embedding_one_table, Config,
                            Make<::embedding_one_table, 1>),
          .candidate = both.With("32", "embedding_32_tables", kManyLine, ::embedding_32_tables, Config,
                                 Make<::embedding_32_tables, 32>),
          .sizes = {2 << 20, 4 << 20},
          .flop = [](int n) { return static_cast<double>(kEntries) * n; },
          .min_bytes = [](int n) { return sizeof(float) * (static_cast<double>(kTable) + n); }};
}

}  // namespace culprit
