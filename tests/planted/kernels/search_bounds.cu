// SPDX-License-Identifier: Apache-2.0
// Searches for 512 keys one after the other in a tree of 64-byte nodes in L2, one warp each: a lane compares the key
// with one of 32 separators, and how many are below it says which child is next. Then each lane adds up how far 64
// numbers of the record that was found last are below the largest of them.
// A step is one dependent L2 load, 300 cycles, of 2 sectors: speed is the number of resident warps. With its launch
// bound the kernel takes 32 registers, of which an SM has room for 64 warps, and spills most of the 64 numbers once in
// 512 steps; without it all of them stay in registers, and an SM takes 24 warps.
#include <algorithm>
#include <cstdint>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kLanes = 32;
constexpr unsigned kNodes = 65536;  // 4 MB
constexpr int kSteps = 512;
constexpr int kThreads = 256;
constexpr unsigned kRecords = 64;
constexpr int kNumbers = 64;  // of a record, for each lane

// Trees of nodes one behind the other: child c of a node, and where a step goes on with which key.
__host__ __device__ constexpr unsigned Child(unsigned node, unsigned c) {
  return (node * (kLanes + 1) + 1 + c) % kNodes;
}
__host__ __device__ constexpr unsigned KeyAfter(unsigned key) { return (key * 25173u + 13849u) & 0xffff; }
__host__ __device__ constexpr unsigned FirstOf(unsigned search) { return search * 40503u % kNodes; }

__device__ __forceinline__ void Search(const std::uint16_t* separators, const float* records, float* out) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned lane = thread % kLanes;
  unsigned node = FirstOf(thread / kLanes), key = node;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const unsigned separator = __ldcg(separators + node * kLanes + lane);  // past L1, whose hits depend on occupancy
    node = Child(node, static_cast<unsigned>(__popc(__ballot_sync(~0u, separator <= key))));
    key = KeyAfter(key);
  }
  const float* record = records + node % kRecords * (kNumbers * kLanes) + lane;
  float number[kNumbers], largest = -1, sum = 0;
#pragma unroll
  for (int k = 0; k < kNumbers; ++k) largest = fmaxf(largest, number[k] = record[k * kLanes]);
#pragma unroll
  for (int k = 0; k < kNumbers; ++k) sum += largest - number[k];
  out[thread] = sum;
}
}  // namespace

constexpr int kBoundLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, 8)
    search_bound_to_8_blocks(const std::uint16_t* separators, const float* records, float* out) {
  Search(separators, records, out);
}
constexpr int kFreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    search_not_bound(const std::uint16_t* separators, const float* records, float* out) {
  Search(separators, records, out);
}

namespace culprit {
namespace {

// `searches` is a multiple of the warps of a block.
LaunchConfig Config(int searches) { return {dim3(searches / (kThreads / kLanes)), dim3(kThreads), 0}; }

std::vector<std::uint16_t> Separators() {
  const std::vector<float> random = UniformFloats(static_cast<std::size_t>(kNodes) * kLanes, 1);
  std::vector<std::uint16_t> separators(random.size());
  for (std::size_t i = 0; i < separators.size(); ++i)
    separators[i] = static_cast<std::uint16_t>((random[i] + 1) * 32767);
  return separators;
}

template <auto* kKernel>
PlantedRun Make(int searches) {
  const auto separators = std::make_shared<const std::vector<std::uint16_t>>(Separators());
  const auto device_separators = Uploaded(*separators);
  const auto launch = [=](cudaStream_t stream, const float* records, float* out) {
    EnqueuePlanted(kKernel, Config(searches), stream, device_separators->As<std::uint16_t>(), records, out);
  };
  const auto wanted = [=](const std::vector<float>& records, std::size_t i) -> Wanted {
    unsigned node = FirstOf(static_cast<unsigned>(i / kLanes)), key = node;
    for (int step = 0; step < kSteps; ++step) {
      unsigned below = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) below += (*separators)[node * kLanes + lane] <= key;
      node = Child(node, below);
      key = KeyAfter(key);
    }
    const float* record = records.data() + node % kRecords * (kNumbers * kLanes) + i % kLanes;
    double largest = -1, sum = 0;
    for (int k = 0; k < kNumbers; ++k) largest = std::max(largest, double{record[k * kLanes]});
    for (int k = 0; k < kNumbers; ++k) sum += largest - record[k * kLanes];
    return {sum, (kNumbers + 1) * kFloatUnit * sum};
  };
  // Each of them costs the host 16384 comparisons.
  return PerElementRun(UniformFloats(std::size_t{kRecords} * kNumbers * kLanes, 2),
                       static_cast<std::size_t>(searches) * kLanes, 2899, launch, wanted);
}

}  // namespace

PlantedPair SearchBoundsPair() {
  const AlikeKernels both("a warp searches for keys in a tree of 64-byte nodes", "launch bound",
                          "kernels/planted/search_bounds.cu");
  // 4 and 8 waves of 64 warps on each of 132 SMs
  return {.id = "search_bounds",
          .base = both.With("8 blocks", "search_bound_to_8_blocks", kBoundLine, ::search_bound_to_8_blocks, Config,
                            Make<::search_bound_to_8_blocks>),
          .candidate =
              both.With("none", "search_not_bound", kFreeLine, ::search_not_bound, Config, Make<::search_not_bound>),
          .sizes = {33792, 67584},
          .flop = nullptr,
          .min_bytes = nullptr};
}

}  // namespace culprit
