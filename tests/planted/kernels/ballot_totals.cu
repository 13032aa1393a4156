// SPDX-License-Identifier: Apache-2.0
// Weighted votes for 16 candidates. A block adds its votes up in shared memory and then to the totals in global memory,
// or each vote goes to the totals at once.
// Limits on an H100: added up in shared memory, where 32 lanes meet on 16 words in some 5 rounds, 262144 warps / 132 x
// 10 cycles and more, 0.02 ms at 8 Mi votes. At once a total takes 512 Ki additions one after the other: at one to two
// cycles of L2 each 0.3 to 0.6 ms, 10 times as long and more.
#include <cstddef>
#include <random>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 4;
constexpr int kTotals = 16;

// A vote is its candidate, and a weight of 1 to 4.
__host__ __device__ int CandidateOf(unsigned vote) { return static_cast<int>(vote % kTotals); }
__host__ __device__ unsigned WeightOf(unsigned vote) { return 1 + vote / kTotals % 4; }

template <bool kInBlock>
__device__ void Ballot(const unsigned* in, unsigned* out) {
  __shared__ unsigned totals[kTotals];
  const unsigned* mine = in + static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;
  if (kInBlock) {
    if (threadIdx.x < kTotals) totals[threadIdx.x] = 0;
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const unsigned vote = mine[i * kThreads];
    if (kInBlock) {
      atomicAdd(totals + CandidateOf(vote), WeightOf(vote));
    } else {
      atomicAdd(out + CandidateOf(vote), WeightOf(vote));
    }
  }
  if (kInBlock) {
    __syncthreads();
    if (threadIdx.x < kTotals) atomicAdd(out + threadIdx.x, totals[threadIdx.x]);
  }
}
}  // namespace

constexpr int kBlockLine = __LINE__ + 1;
extern "C" __global__ void ballot_by_block(const unsigned* in, unsigned* out) { Ballot<true>(in, out); }
constexpr int kAtOnceLine = __LINE__ + 1;
extern "C" __global__ void ballot_at_once(const unsigned* in, unsigned* out) { Ballot<false>(in, out); }

namespace culprit {
namespace {

// n votes, a multiple of what a block takes.
LaunchConfig Config(int n) { return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0}; }

struct Job {
  using Total = unsigned;
  static constexpr std::size_t kCopies = 1;
  static std::vector<unsigned> Inputs(int n) {
    std::mt19937 random(1);
    std::vector<unsigned> votes(n);
    for (unsigned& vote : votes) vote = random();
    return votes;
  }
  static std::vector<double> Totals(const std::vector<unsigned>& in) {
    std::vector<double> totals(kTotals);
    for (const unsigned vote : in) totals[CandidateOf(vote)] += WeightOf(vote);
    return totals;
  }
};

}  // namespace

PlantedPair BallotTotalsPair() {
  const AlikeKernels both("adds weighted votes up for 16 candidates", "votes are added",
                          "kernels/planted/ballot_totals.cu");
  return {.id = "ballot_totals",
          .base = TotalsKernel<Job, ::ballot_by_block, Config>(both, "by block", "ballot_by_block", kBlockLine),
          .candidate = TotalsKernel<Job, ::ballot_at_once, Config>(both, "at once", "ballot_at_once", kAtOnceLine),
          .sizes = {4 << 20, 8 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 1.0 * sizeof(unsigned) * n; }};
}

}  // namespace culprit
