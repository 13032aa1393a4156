// SPDX-License-Identifier: Apache-2.0
// Histogram of 1024 bins by atomic additions to global memory, of values of which one in 64 is 0 and the others are
// uniform. Blocks add to one of 64 copies in turn (their sum is the histogram), or all to the same.
// Limits on an H100: with copies, the requests of a warp to 32 places: 16e6 / 132 SMs x 1 cycle of L1 = 0.07 ms, and as
// many additions spread over all of L2. With one, bin 0 takes 16e6 / 64 additions one after the other: at one to two
// cycles each 0.15 to 0.3 ms, and the other bins lie in 128 sectors with 130e3 additions each. 2 to 4 times as long.
// Kept apart because the bins come from data: no compiler adds up before.
#include <cstddef>
#include <random>

#include "tests/planted/kernels/run.h"
#include "tests/planted/kernels/totals.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 4;
constexpr int kBins = 1024;

template <unsigned kCopies>
__device__ void Count(const unsigned short* values, unsigned* counts) {
  unsigned* copy = counts + (blockIdx.x % kCopies) * kBins;
  const unsigned short* mine = values + static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;
  unsigned short bin[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) bin[i] = mine[i * kThreads];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) atomicAdd(copy + bin[i], 1u);
}
}  // namespace

constexpr int kManyLine = __LINE__ + 1;
extern "C" __global__ void histogram_64_copies(const unsigned short* values, unsigned* counts) {
  Count<64>(values, counts);
}
constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void histogram_one_copy(const unsigned short* values, unsigned* counts) {
  Count<1>(values, counts);
}

namespace culprit {
namespace {

// n values, a multiple of what a block takes.
LaunchConfig Config(int n) { return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0}; }

std::vector<unsigned short> Values(std::size_t n) {
  std::mt19937 random(1);
  std::vector<unsigned short> values(n);
  for (unsigned short& value : values) {
    const unsigned bits = random();
    value = bits >> 26 == 0 ? 0 : static_cast<unsigned short>(bits % kBins);
  }
  return values;
}

template <auto* kKernel, std::size_t kCopies>
PlantedRun Make(int n) {
  const std::vector<unsigned short> values = Values(n);
  const auto in = Uploaded(values);
  const std::shared_ptr<DeviceMemory> counts = std::make_shared<DeviceMemory>(kCopies * kBins * sizeof(unsigned));
  std::vector<double> wanted(kBins);
  for (const unsigned short value : values) ++wanted[value];
  PlantedRun run;
  // Counts go on from launch to launch and wrap: the work is the same.
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(n), stream, in->As<unsigned short>(), counts->As<unsigned>());
  };
  run.check = [=, launch = run.launch] { return CheckTotals({launch, {}}, counts->As<unsigned>(), kCopies, wanted); };
  return run;
}

}  // namespace

PlantedPair HistogramCopiesPair() {
  const AlikeKernels both("counts values into 1024 bins with atomic additions to global memory",
                          "copies of the histogram", "kernels/planted/histogram_copies.cu");
  return {.id = "histogram_copies",
          .base = both.With("64", "histogram_64_copies", kManyLine, ::histogram_64_copies, Config,
                            Make<::histogram_64_copies, 64>),
          .candidate = both.With("1", "histogram_one_copy", kOneLine, ::histogram_one_copy, Config,
                                 Make<::histogram_one_copy, 1>),
          .sizes = {8 << 20, 16 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return sizeof(unsigned short) * static_cast<double>(n); }};
}

}  // namespace culprit
