// SPDX-License-Identifier: Apache-2.0
// Votes of elements of two kinds for 64 bins of each stretch of 8192; neighbours, and so a warp's, vote for one bin.
// A  one copy of the bins instead of one for each lane: the additions of a warp go to one word one after the other.
// B  each warp takes halves of two runs of 32 elements, one of each kind, so that it executes both kinds' loops.
// In cycles of an SM per warp: a loop is 12 steps of two instructions, some 8 with what is around it, with B 16; an
// addition without a conflict 2, with A 32 or more. They overlap: 8, A 32, B 16, both 40. A is 85 to 90 %.
#include <bit>
#include <cstdint>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kLanes = 32;
constexpr int kRun = 32;  // elements of one kind in a row
constexpr int kBins = 64;
constexpr int kStretch = 8192;
constexpr int kAlike = 1024;  // elements in a row that vote for one bin
constexpr int kSteps = 12;
static_assert(kStretch * 255 < 1 << 24, "a float must hold the largest total");

__host__ __device__ constexpr int BinOf(unsigned i) { return static_cast<int>(i / kAlike * 2654435761u >> 26); }
__host__ __device__ constexpr bool IsSecond(unsigned i) { return i / kRun % 2 != 0; }
__host__ __device__ constexpr unsigned FirstStep(unsigned v) { return v * 1664525u + 1013904223u; }
__host__ __device__ constexpr unsigned SecondStep(unsigned v) { return (v ^ v >> 9) * 2246822519u; }

// Which element of its stretch thread t takes. Mixed: lanes 0 to 15 one of the first run of two, the others one of the
// second.
template <bool kMixed>
__device__ unsigned ElementOf(unsigned t) {
  if constexpr (!kMixed) return t;
  const unsigned warp = t / kLanes % 2, lane = t % kLanes;
  return t / (2 * kRun) * (2 * kRun) + lane / 16 * kRun + warp * 16 + lane % 16;
}

template <int kCopies, bool kMixed>
__device__ __forceinline__ void Vote(const unsigned* in, float* out) {
  __shared__ unsigned votes[kBins * kLanes];
  const unsigned thread = threadIdx.x;
  for (unsigned i = thread; i < kBins * kLanes; i += kThreads) votes[i] = 0;
  __syncthreads();
  const unsigned first = blockIdx.x * kStretch;
  unsigned* copy = votes + thread % kCopies;
#pragma unroll 1
  for (unsigned t = thread; t < kStretch; t += kThreads) {
    const unsigned i = first + ElementOf<kMixed>(t);
    unsigned v = in[i];
    if (IsSecond(i)) {
#pragma unroll 4
      for (int step = 0; step < kSteps; ++step) v = SecondStep(v);
    } else {
#pragma unroll 4
      for (int step = 0; step < kSteps; ++step) v = FirstStep(v) ^ v >> 16;
    }
    atomicAdd(copy + BinOf(i) * kLanes, v >> 24);
  }
  __syncthreads();
  if (thread >= kBins) return;
  unsigned sum = 0;
  // Each lane begins at another copy, in another bank.
  for (unsigned i = 0; i < kLanes; ++i) sum += votes[thread * kLanes + (thread + i) % kLanes];
  out[static_cast<std::size_t>(blockIdx.x) * kBins + thread] = static_cast<float>(sum);
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) votes_32_copies_runs(const unsigned* in, float* out) {
  Vote<kLanes, false>(in, out);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) votes_1_copy_runs(const unsigned* in, float* out) {
  Vote<1, false>(in, out);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) votes_32_copies_mixed(const unsigned* in, float* out) {
  Vote<kLanes, true>(in, out);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) votes_1_copy_mixed(const unsigned* in, float* out) {
  Vote<1, true>(in, out);
}

namespace culprit {
namespace {

// n is a multiple of the stretch.
LaunchConfig Config(int n) { return {dim3(n / kStretch), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, reinterpret_cast<const unsigned*>(in), out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t o) -> Wanted {
    unsigned sum = 0;
    const unsigned first = static_cast<unsigned>(o / kBins) * kStretch;
    for (unsigned i = first; i < first + kStretch; ++i) {
      if (BinOf(i) != static_cast<int>(o % kBins)) continue;
      auto v = std::bit_cast<unsigned>(in[i]);
      for (int step = 0; step < kSteps; ++step) v = IsSecond(i) ? SecondStep(v) : FirstStep(v) ^ v >> 16;
      sum += v >> 24;
    }
    return {static_cast<double>(sum), 0};
  };
  return PerElementRun(UniformFloats(n, 1), static_cast<std::size_t>(n) / kStretch * kBins, 7, launch, wanted);
}

}  // namespace

PlantedMixture VotesCopiesKindsMixture() {
  const MixedKernels four("counts the votes of elements of two kinds in shared memory", "copies", "elements of a warp",
                          "kernels/planted/votes_copies_kinds.cu");
  return {.id = "votes_copies_kinds",
          .base = four.With("32", "one run", "votes_32_copies_runs", kBaseLine, ::votes_32_copies_runs, Config,
                            Make<::votes_32_copies_runs>),
          .a = four.With("1", "one run", "votes_1_copy_runs", kALine, ::votes_1_copy_runs, Config,
                         Make<::votes_1_copy_runs>),
          .b = four.With("32", "halves of two runs", "votes_32_copies_mixed", kBLine, ::votes_32_copies_mixed, Config,
                         Make<::votes_32_copies_mixed>),
          .both = four.With("1", "halves of two runs", "votes_1_copy_mixed", kBothLine, ::votes_1_copy_mixed, Config,
                            Make<::votes_1_copy_mixed>),
          .sizes = {1 << 24, 1 << 26},
          .flop = nullptr,
          .min_bytes = [](int n) { return sizeof(float) * static_cast<double>(n); }};
}

}  // namespace culprit
