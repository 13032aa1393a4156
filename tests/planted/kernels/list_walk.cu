// SPDX-License-Identifier: Apache-2.0
// Linked lists of 64-byte nodes in L2, one list walked by one warp: each lane sums its column of the nodes on the way.
// A step is one dependent L2 load (about 300 cycles) of 2 sectors, so speed is the number of resident warps: 64 per SM
// with 32 registers ask L2 for 0.4 sectors per cycle and SM, half of what it gives; with some 70 registers 24 are left.
// Eight nodes of 65536 have an overflow list, met once in 8192 steps: its code costs registers and hardly any time.
#include <cstdint>

#include "tests/planted/kernels/overflow.cuh"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kLanes = 32;
constexpr int kNodes = 65536;  // 4 MB
constexpr int kSteps = 128;
constexpr int kThreads = 256;
constexpr int kOverflowing = 8;  // nodes 0 to 7

template <bool kKept>
__device__ void Walk(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned lane = thread % kLanes;
  unsigned node = thread / kLanes * 40503u % kNodes;
  unsigned sum = 0;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const unsigned entry = __ldcg(nodes + node * kLanes + lane);  // past L1, whose hits would depend on the occupancy
    sum += entry;
    if (node < kOverflowing) sum += culprit::OverflowSum<kKept>(overflow + node * culprit::kOverflowWords, lane);
    node = __shfl_sync(0xffffffffu, entry, kLanes - 1);
  }
  out[thread] = static_cast<float>(sum);
}
}  // namespace

constexpr int kRereadLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    list_walk_reread(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  Walk<false>(nodes, overflow, out);
}
constexpr int kKeptLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    list_walk_kept(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  Walk<true>(nodes, overflow, out);
}

namespace culprit {
namespace {

// `walks` is a multiple of the warps of a block.
LaunchConfig Config(int walks) { return {dim3(walks / (kThreads / kLanes)), dim3(kThreads), 0}; }

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

template <auto* kKernel>
PlantedRun Make(int walks) {
  const auto nodes = std::make_shared<const std::vector<std::uint16_t>>(Nodes());
  const auto overflow = std::make_shared<const std::vector<unsigned>>(OverflowLists(kOverflowing));
  const auto device_nodes = Uploaded(*nodes);
  const auto device_overflow = Uploaded(*overflow);
  const auto launch = [=](cudaStream_t stream, const float*, float* out) {
    EnqueuePlanted(kKernel, Config(walks), stream, device_nodes->As<std::uint16_t>(), device_overflow->As<unsigned>(),
                   out);
  };
  const auto wanted = [=](const std::vector<float>&, std::size_t i) -> Wanted {
    const unsigned lane = i % kLanes;
    unsigned node = static_cast<unsigned>(i / kLanes) * 40503u % kNodes;
    unsigned sum = 0;
    for (int step = 0; step < kSteps; ++step) {
      sum += (*nodes)[node * kLanes + lane];
      if (node < kOverflowing) sum += OverflowOnHost(overflow->data() + node * kOverflowWords, lane);
      node = Next(node);
    }
    return {static_cast<double>(sum), 0};
  };
  // Entries below 256 and nodes below 65536 keep every sum below 2^24, which a float holds exactly.
  return PerElementRun({}, static_cast<std::size_t>(walks) * kLanes, 29, launch, wanted);
}

}  // namespace

PlantedPair ListWalkPair() {
  const AlikeKernels both("a warp walks a linked list of 64-byte nodes and sums their columns", "overflow entries",
                          "kernels/planted/list_walk.cu");
  // 4 and 16 waves of 64 warps on each of 132 SMs
  return {.id = "list_walk",
          .base = both.With("read twice", "list_walk_reread", kRereadLine, ::list_walk_reread, Config,
                            Make<::list_walk_reread>),
          .candidate = both.With("kept in registers", "list_walk_kept", kKeptLine, ::list_walk_kept, Config,
                                 Make<::list_walk_kept>),
          .sizes = {33792, 135168}};
}

}  // namespace culprit
