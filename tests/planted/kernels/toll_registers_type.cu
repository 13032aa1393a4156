// SPDX-License-Identifier: Apache-2.0
// Linked lists of 64-byte nodes in L2, one walked by one warp: each lane adds a polynomial of degree 15 of its entry of
// each node. Eight of 65536 nodes have an overflow list.
// A  its entries wait in registers, some 60 more of the whole kernel's: three blocks fit an SM instead of eight.
// B  the polynomial is computed in double precision.
// A step is one dependent L2 load, 300 cycles, and a chain of 16 instructions, 64 or, with B, 250. In cycles of an SM
// per step of a warp: 6 with 64 warps, 16 with 24 of them; the FP64 pipe takes 8. So 1, A 2.6, B 1.5, both 4: A is
// about two thirds.
#include <cmath>
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
constexpr int kTerms = 16;
constexpr float kEntryUnit = 0x1p-16f, kSumUnit = 0x1p-14f;  // turn entries and their sums into numbers below 1

// Numbers in [-1, 1] that single precision holds exactly.
__host__ __device__ constexpr float Weight(int k) { return static_cast<float>((k * 5 + 3) % 17 - 8) / 8; }
__host__ __device__ constexpr unsigned FirstOf(unsigned walk) { return walk * 40503u % kNodes; }

template <bool kKept, class Number>
__device__ __forceinline__ void Walk(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned lane = thread % kLanes;
  unsigned node = FirstOf(thread / kLanes);
  Number sum = 0;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const unsigned entry = __ldcg(nodes + node * kLanes + lane);  // past L1, whose hits would depend on the occupancy
    const Number t = static_cast<Number>(entry) * kEntryUnit;
    Number toll = Weight(kTerms - 1);
#pragma unroll
    for (int k = kTerms - 2; k >= 0; --k) toll = fma(toll, t, Number(Weight(k)));
    sum += toll;
    if (node < kOverflowing)
      sum +=
          static_cast<Number>(culprit::OverflowSum<kKept>(overflow + node * culprit::kOverflowWords, lane)) * kSumUnit;
    node = __shfl_sync(0xffffffffu, entry, kLanes - 1);
  }
  out[thread] = static_cast<float>(sum);
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    toll_reread_float(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  Walk<false, float>(nodes, overflow, out);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    toll_kept_float(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  Walk<true, float>(nodes, overflow, out);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    toll_reread_double(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  Walk<false, double>(nodes, overflow, out);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    toll_kept_double(const std::uint16_t* nodes, const unsigned* overflow, float* out) {
  Walk<true, double>(nodes, overflow, out);
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
    unsigned node = FirstOf(static_cast<unsigned>(i / kLanes));
    double sum = 0, size = 0;
    for (int step = 0; step < kSteps; ++step) {
      const double t = double{kEntryUnit} * (*nodes)[node * kLanes + lane];
      double power = 1;
      for (int k = 0; k < kTerms; ++k, power *= t) {
        sum += Weight(k) * power;
        size += std::abs(Weight(k)) * power;
      }
      if (node < kOverflowing) {
        const double list = double{kSumUnit} * OverflowOnHost(overflow->data() + node * kOverflowWords, lane);
        sum += list;
        size += list;
      }
      node = Next(node);
    }
    return {sum, (kTerms + 2 * kSteps) * kFloatUnit * size};  // a rounding for each term, two for what is added up
  };
  return PerElementRun({}, static_cast<std::size_t>(walks) * kLanes, 29, launch, wanted);
}

}  // namespace

PlantedMixture TollRegistersTypeMixture() {
  const MixedKernels four("a warp walks a linked list and adds a polynomial of each entry", "overflow entries",
                          "type of the polynomial", "kernels/planted/toll_registers_type.cu");
  // 4 and 16 waves of 64 warps on each of 132 SMs
  return {.id = "toll_registers_type",
          .base = four.With("read twice", "float", "toll_reread_float", kBaseLine, ::toll_reread_float, Config,
                            Make<::toll_reread_float>),
          .a = four.With("kept in registers", "float", "toll_kept_float", kALine, ::toll_kept_float, Config,
                         Make<::toll_kept_float>),
          .b = four.With("read twice", "double", "toll_reread_double", kBLine, ::toll_reread_double, Config,
                         Make<::toll_reread_double>),
          .both = four.With("kept in registers", "double", "toll_kept_double", kBothLine, ::toll_kept_double, Config,
                            Make<::toll_kept_double>),
          .sizes = {33792, 135168},
          .flop = nullptr,
          .min_bytes = nullptr};
}

}  // namespace culprit
