// SPDX-License-Identifier: Apache-2.0
// A polynomial of degree 383 at 4 points a thread at a time; its coefficients are in shared memory, three in each of
// 128 nodes of 16 bytes, and all lanes want the same node. Each node says where the next one is: right behind it.
// Counted, nodes are read before their turn: 12 FMA and 2 others a node, and as many cycles of a sub-partition with one
// warp. Linked, each read waits for the one before, some 30 cycles: no more reads, of no more bytes, waited for longer.
#include <cmath>
#include <cstddef>
#include <cstring>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kNodes = 128, kTerms = 3 * kNodes;
constexpr int kPoints = 4;
constexpr int kThreads = 128;
constexpr int kBlocks = 132;  // one for each SM of an H100 SXM

// A node whole, its link too.
__device__ __forceinline__ float4 Node(unsigned at) {
  float4 node;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(node.x), "=f"(node.y), "=f"(node.z), "=f"(node.w)
               : "r"(at));
  return node;
}

template <bool kLinked>
__device__ __forceinline__ void Evaluate(const float4* nodes, const float* x, float* out, int count) {
  __shared__ float4 shared[kNodes];
  static_assert(kNodes == kThreads, "each thread brings one");
  shared[threadIdx.x] = nodes[threadIdx.x];
  __syncthreads();
  const unsigned first = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int apart = kBlocks * kThreads;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < count; i += kPoints * apart) {
    float point[kPoints], value[kPoints];
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
      point[p] = x[i + p * apart];
      value[p] = 0;
    }
    unsigned at = first;
#pragma unroll 8
    for (unsigned n = 0; n < kNodes; ++n) {
      const float4 node = Node(kLinked ? at : first + n * sizeof(float4));
      at = first + __float_as_uint(node.w);
#pragma unroll
      for (int p = 0; p < kPoints; ++p)
        value[p] = ((value[p] * point[p] + node.x) * point[p] + node.y) * point[p] + node.z;
    }
#pragma unroll
    for (int p = 0; p < kPoints; ++p) out[i + p * apart] = value[p];
  }
}
}  // namespace

constexpr int kCountedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    terms_counted(const float4* nodes, const float* x, float* out, int count) {
  Evaluate<false>(nodes, x, out, count);
}
constexpr int kLinkedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    terms_linked(const float4* nodes, const float* x, float* out, int count) {
  Evaluate<true>(nodes, x, out, count);
}

namespace culprit {
namespace {

LaunchConfig Config(int) { return {dim3(kBlocks), dim3(kThreads), 0}; }

// `count` is a multiple of the points of all blocks.
constexpr int kUnit = kBlocks * kThreads * kPoints;

template <auto* kKernel>
PlantedRun Make(int count) {
  const auto c = std::make_shared<std::vector<float>>(UniformFloats(kTerms, 1));
  const auto x = std::make_shared<std::vector<float>>(UniformFloats(count, 2));
  std::vector<float> linked;
  for (unsigned n = 0; n < kNodes; ++n) {
    const unsigned next = (n + 1) % kNodes * sizeof(float4);
    float link = 0;
    std::memcpy(&link, &next, sizeof link);
    linked.insert(linked.end(), {(*c)[3 * n], (*c)[3 * n + 1], (*c)[3 * n + 2], link});
  }
  const auto nodes = Uploaded(linked), points = Uploaded(*x);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(count), stream, nodes->As<float4>(), points->As<float>(), out->As<float>(), count);
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(count, 20'000);
    std::vector<double> wanted, bound;
    for (const std::size_t at : where) {
      double value = 0, magnitude = 0;
      const double point = (*x)[at];
      for (int i = 0; i < kTerms; ++i) {
        value = value * point + (*c)[i];
        magnitude = magnitude * std::abs(point) + std::abs((*c)[i]);
      }
      wanted.push_back(value);
      // Horner's rule, one rounding a term where the FMA is one operation, two otherwise (Higham, "Accuracy and
      // Stability of Numerical Algorithms", 5.1).
      bound.push_back(2 * kTerms * kFloatUnit * magnitude);
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair TermsLinkedPair() {
  const AlikeKernels both(
      "evaluates a polynomial whose coefficients are in nodes in shared memory at 4 points a thread", "node read",
      "kernels/planted/terms_linked.cu");
  return {
      .id = "terms_linked",
      .base = both.With("by its number", "terms_counted", kCountedLine, ::terms_counted, Config, Make<::terms_counted>),
      .candidate = both.With("where the one before says", "terms_linked", kLinkedLine, ::terms_linked, Config,
                             Make<::terms_linked>),
      .sizes = {8 * kUnit, 32 * kUnit},
      .flop = [](int count) { return 2.0 * kTerms * count; },
      .min_bytes = [](int count) { return 2.0 * sizeof(float) * count; }};
}

}  // namespace culprit
