// SPDX-License-Identifier: Apache-2.0
// Two xorshift generators a thread, 256 steps each; a seed below -1, of which there are 4, adds a list of its own.
// The list's entries wait in registers, some 60 more so that three blocks fit an SM instead of eight, or are read
// twice. The ALU pipe is full either way: it takes a warp's instruction in 2 cycles of a quarter of an SM and answers
// after some 5, so that 2 of 6 warps with two chains each would do. The time stays.
#include <cstdint>
#include <cstring>

#include "tests/planted/kernels/overflow.cuh"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kSteps = 256;
constexpr int kLists = 4;
constexpr unsigned kOther = 0x9e3779b9;  // turns a seed into that of the second generator
constexpr unsigned kExact = 0xffffff;    // of a result: what a float holds exactly

__host__ __device__ constexpr unsigned Next(unsigned x) {
  x ^= x << 13;
  x ^= x >> 17;
  return x ^ x << 5;
}

template <bool kKept>
__device__ __forceinline__ void Generate(const float* seeds, const unsigned* lists, float* out) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float seed = seeds[i];
  unsigned x = __float_as_uint(seed), y = x ^ kOther;
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step) {
    x = Next(x);
    y = Next(y);
  }
  unsigned sum = x + y;
  if (seed < -1)
    sum += culprit::OverflowSum<kKept>(lists + i % kLists * culprit::kOverflowWords,
                                       threadIdx.x % culprit::kOverflowLanes);
  out[i] = static_cast<float>(sum & kExact);
}
}  // namespace

constexpr int kRereadLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    generators_reread(const float* seeds, const unsigned* lists, float* out) {
  Generate<false>(seeds, lists, out);
}
constexpr int kKeptLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    generators_kept(const float* seeds, const unsigned* lists, float* out) {
  Generate<true>(seeds, lists, out);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

// Every 61st result is checked.
std::vector<float> Seeds(int n) {
  std::vector<float> seeds = UniformFloats(n, 1);
  for (std::size_t list = 0; list < kLists; ++list) seeds[list * 61 * 33] = -2;  // `list` modulo the lists
  return seeds;
}

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto lists = std::make_shared<const std::vector<unsigned>>(OverflowLists(kLists));
  const auto device_lists = Uploaded(*lists);
  const auto launch = [=](cudaStream_t stream, const float* seeds, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, seeds, device_lists->As<unsigned>(), out);
  };
  const auto wanted = [lists](const std::vector<float>& seeds, std::size_t i) -> Wanted {
    unsigned x;
    std::memcpy(&x, &seeds[i], sizeof x);
    unsigned y = x ^ kOther;
    for (int step = 0; step < kSteps; ++step) {
      x = Next(x);
      y = Next(y);
    }
    unsigned sum = x + y;
    if (seeds[i] < -1)
      sum += OverflowOnHost(lists->data() + i % kLists * kOverflowWords, static_cast<unsigned>(i % kOverflowLanes));
    return {static_cast<double>(sum & kExact), 0};
  };
  return PerElementRun(Seeds(n), n, 61, launch, wanted);
}

}  // namespace

PlantedPair GeneratorsRegistersPair() {
  const AlikeKernels both("runs two xorshift generators a thread", "entries of a list",
                          "kernels/planted/generators_registers.cu");
  return {.id = "generators_registers",
          .base = both.With("read twice", "generators_reread", kRereadLine, ::generators_reread, Config,
                            Make<::generators_reread>),
          .candidate = both.With("kept in registers", "generators_kept", kKeptLine, ::generators_kept, Config,
                                 Make<::generators_kept>),
          .sizes = {1 << 20, 1 << 22},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
