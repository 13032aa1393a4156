// SPDX-License-Identifier: Apache-2.0
// Reverses stretches of 256 values through shared memory, where values lie beside each other, or in every other word.
// Limits on an H100: device memory in both, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi. In every other word two
// lanes meet in a bank: a warp's store and load take four wavefronts instead of two, where device memory takes 18
// cycles of an SM for the same values.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;

template <int kApart>
__device__ void Reverse(const float* in, float* out) {
  __shared__ float slots[2 * kThreads];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads;
  slots[threadIdx.x * kApart] = in[first + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = slots[(kThreads - 1 - threadIdx.x) * kApart];
}
}  // namespace

constexpr int kBesideLine = __LINE__ + 1;
extern "C" __global__ void reverse_each_slot(const float* in, float* out) { Reverse<1>(in, out); }
constexpr int kApartLine = __LINE__ + 1;
extern "C" __global__ void reverse_every_other_slot(const float* in, float* out) { Reverse<2>(in, out); }

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    return {in[i / kThreads * kThreads + (kThreads - 1 - i % kThreads)]};
  }
};

}  // namespace

PlantedPair ReverseSlotsPair() {
  const AlikeKernels both("reverses stretches of 256 values through shared memory", "slots used",
                          "kernels/planted/reverse_slots.cu");
  return {.id = "reverse_slots",
          .base = ElementsKernel<Job, ::reverse_each_slot, Config>(both, "each", "reverse_each_slot", kBesideLine),
          .candidate = ElementsKernel<Job, ::reverse_every_other_slot, Config>(both, "every other",
                                                                               "reverse_every_other_slot", kApartLine),
          .sizes = {16 << 20, 32 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
