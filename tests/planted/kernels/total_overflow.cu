// SPDX-License-Identifier: Apache-2.0
// Totals of columns of 64 numbers; a column that begins with a negative number adds a list of its own, and 4 do.
// The list's entries wait in registers, some 60 more, or are read twice. A block reserves 72 KB of shared memory: an SM
// takes three blocks either way, more than 80 registers would allow as well. Limits on an H100: device memory, 260
// bytes a column, 0.27 GB in 0.09 ms at 1 Mi.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/overflow.cuh"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kNumbers = 64;
constexpr int kLists = 4;
constexpr std::size_t kReservedBytes = 72 * 1024;
// 228 KB per SM, of which each block takes 1 KB for the system (CUDA C++ Programming Guide, compute capability 9.0)
static_assert(228 * 1024 / (kReservedBytes + 1024) == 3, "three blocks of 8 warps per SM");

// Number k of column i is in[k * columns + i].
template <bool kKept>
__device__ __forceinline__ void Total(const float* in, const unsigned* lists, float* out, int columns) {
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const float first = in[i];
  float sum = first;
#pragma unroll 9
  for (int k = 1; k < kNumbers; ++k) sum += in[static_cast<std::size_t>(k) * columns + i];
  if (first < 0)
    sum += static_cast<float>(culprit::OverflowSum<kKept>(lists + i % kLists * culprit::kOverflowWords,
                                                          threadIdx.x % culprit::kOverflowLanes));
  out[i] = sum;
}
}  // namespace

constexpr int kRereadLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    total_overflow_reread(const float* in, const unsigned* lists, float* out, int columns) {
  Total<false>(in, lists, out, columns);
}
constexpr int kKeptLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    total_overflow_kept(const float* in, const unsigned* lists, float* out, int columns) {
  Total<true>(in, lists, out, columns);
}

namespace culprit {
namespace {

// `columns` is a multiple of a block.
LaunchConfig Config(int columns) { return {dim3(columns / kThreads), dim3(kThreads), kReservedBytes}; }

// Numbers from 0 to 1, but the first of as many columns as there are lists. Every 61st column is checked.
std::vector<float> Numbers(int columns) {
  std::vector<float> numbers = UniformFloats(static_cast<std::size_t>(columns) * kNumbers, 1);
  for (float& number : numbers) number = std::abs(number);
  for (std::size_t list = 0; list < kLists; ++list) numbers[list * 61 * 33] = -1;  // of column `list` modulo the lists
  return numbers;
}

template <auto* kKernel>
PlantedRun Make(int columns) {
  const auto lists = std::make_shared<const std::vector<unsigned>>(OverflowLists(kLists));
  const auto device_lists = Uploaded(*lists);
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(columns), stream, in, device_lists->As<unsigned>(), out, columns);
  };
  const auto wanted = [=](const std::vector<float>& in, std::size_t i) -> Wanted {
    Wanted w;
    for (int k = 0; k < kNumbers; ++k) w.value += in[static_cast<std::size_t>(k) * columns + i];
    if (in[i] < 0)
      w.value += OverflowOnHost(lists->data() + i % kLists * kOverflowWords, static_cast<unsigned>(i % kOverflowLanes));
    w.bound = (kNumbers + 1) * kFloatUnit * (std::abs(w.value) + 2);
    return w;
  };
  return PerElementRun(Numbers(columns), columns, 61, launch, wanted);
}

}  // namespace

PlantedPair TotalOverflowPair() {
  const AlikeKernels both("adds up columns of 64 numbers, and a list to hardly any", "entries of a list",
                          "kernels/planted/total_overflow.cu");
  return {.id = "total_overflow",
          .base = both.With("read twice", "total_overflow_reread", kRereadLine, ::total_overflow_reread, Config,
                            Make<::total_overflow_reread>),
          .candidate = both.With("kept in registers", "total_overflow_kept", kKeptLine, ::total_overflow_kept, Config,
                                 Make<::total_overflow_kept>),
          .sizes = {1 << 20, 2 << 20},
          .flop = [](int columns) { return 1.0 * kNumbers * columns; },
          .min_bytes = [](int columns) { return sizeof(float) * (kNumbers + 1.0) * columns; }};
}

}  // namespace culprit
