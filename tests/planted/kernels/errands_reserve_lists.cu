// SPDX-License-Identifier: Apache-2.0
// Linked lists of 64-byte nodes in L2, four lists a warp: each lane sums its column of the nodes on the way.
// A  a block reserves 110 KB of shared memory instead of 73: two blocks fit an SM instead of three.
// B  a warp walks one list after the other instead of all four at once.
// A step is one dependent L2 load, 300 cycles, and 24 warps with 4 each ask for 20 bytes a cycle and SM, half of what
// L2 gives. So both stretch the same waiting: 1, A 1.5, B 4, both 6. A is (0.5 + 1.5 / 2) / 5, a quarter.
#include <cstdint>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kLanes = 32;
constexpr unsigned kNodes = 65536;  // 4 MB
constexpr int kSteps = 128;
constexpr int kLists = 4;
constexpr int kThreads = 256;
constexpr unsigned kExact = 0xffffff;  // of a sum: what a float holds exactly
// 228 KB per SM, of which each block takes 1 KB for the system (CUDA C++ Programming Guide, compute capability 9.0)
constexpr std::size_t kThirdBytes = 73 * 1024, kHalfBytes = 110 * 1024;
static_assert(228 * 1024 / (kThirdBytes + 1024) == 3 && 228 * 1024 / (kHalfBytes + 1024) == 2);

__host__ __device__ constexpr unsigned FirstOf(unsigned list) { return list * 40503u % kNodes; }

template <int kAtOnce>
__device__ __forceinline__ void Walk(const std::uint16_t* nodes, float* out) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned lane = thread % kLanes;
  unsigned sum = 0;
#pragma unroll 1
  for (int first = 0; first < kLists; first += kAtOnce) {
    unsigned node[kAtOnce], entry[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) node[j] = FirstOf(thread / kLanes * kLists + first + j);
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) entry[j] = __ldcg(nodes + node[j] * kLanes + lane);  // past L1
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        sum += entry[j];
        node[j] = __shfl_sync(0xffffffffu, entry[j], kLanes - 1);
      }
    }
  }
  out[thread] = static_cast<float>(sum & kExact);
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) errands_24_warps_4(const std::uint16_t* nodes, float* out) {
  Walk<kLists>(nodes, out);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) errands_16_warps_4(const std::uint16_t* nodes, float* out) {
  Walk<kLists>(nodes, out);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) errands_24_warps_1(const std::uint16_t* nodes, float* out) {
  Walk<1>(nodes, out);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) errands_16_warps_1(const std::uint16_t* nodes, float* out) {
  Walk<1>(nodes, out);
}

namespace culprit {
namespace {

// `warps` is a multiple of a block's.
template <std::size_t kBytes>
LaunchConfig Config(int warps) {
  return {dim3(warps / (kThreads / kLanes)), dim3(kThreads), kBytes};
}

// One cycle through all nodes: a linear congruence of full period (multiplier 1 mod 4, odd increment).
constexpr unsigned Next(unsigned node) { return (node * 27941u + 12345u) % kNodes; }

std::vector<std::uint16_t> Nodes() {
  const std::vector<float> random = UniformFloats(static_cast<std::size_t>(kNodes) * kLanes, 1);
  std::vector<std::uint16_t> nodes(random.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i] = static_cast<std::uint16_t>(i % kLanes == kLanes - 1 ? Next(static_cast<unsigned>(i / kLanes))
                                                                   : (random[i] + 1) * 32767);
  return nodes;
}

template <auto* kKernel, std::size_t kBytes>
PlantedRun Make(int warps) {
  const auto values = std::make_shared<std::vector<std::uint16_t>>(Nodes());
  const auto nodes = Uploaded(*values);
  const auto launch = [=](cudaStream_t stream, const float*, float* out) {
    EnqueuePlanted(kKernel, Config<kBytes>(warps), stream, nodes->As<std::uint16_t>(), out);
  };
  const auto wanted = [values](const std::vector<float>&, std::size_t thread) -> Wanted {
    unsigned sum = 0;
    for (unsigned list = 0; list < kLists; ++list) {
      unsigned node = FirstOf(static_cast<unsigned>(thread) / kLanes * kLists + list);
      for (int step = 0; step < kSteps; ++step) {
        sum += (*values)[node * kLanes + thread % kLanes];
        node = Next(node);
      }
    }
    return {static_cast<double>(sum & kExact), 0};
  };
  return PerElementRun({}, static_cast<std::size_t>(warps) * kLanes, 61, launch, wanted);
}

}  // namespace

PlantedMixture ErrandsReserveListsMixture() {
  const MixedKernels four("walks four linked lists a warp", "shared memory per block", "lists at once",
                          "kernels/planted/errands_reserve_lists.cu");
  return {.id = "errands_reserve_lists",
          .base = four.With("73 KB", "4", "errands_24_warps_4", kBaseLine, ::errands_24_warps_4, Config<kThirdBytes>,
                            Make<::errands_24_warps_4, kThirdBytes>),
          .a = four.With("110 KB", "4", "errands_16_warps_4", kALine, ::errands_16_warps_4, Config<kHalfBytes>,
                         Make<::errands_16_warps_4, kHalfBytes>),
          .b = four.With("73 KB", "1", "errands_24_warps_1", kBLine, ::errands_24_warps_1, Config<kThirdBytes>,
                         Make<::errands_24_warps_1, kThirdBytes>),
          .both = four.With("110 KB", "1", "errands_16_warps_1", kBothLine, ::errands_16_warps_1, Config<kHalfBytes>,
                            Make<::errands_16_warps_1, kHalfBytes>),
          .sizes = {24 * 132 * 2, 24 * 132 * 8},
          .flop = nullptr,
          .min_bytes = nullptr};
}

}  // namespace culprit
