// SPDX-License-Identifier: Apache-2.0
// Counts values by atomic additions to 4096 totals in global memory. A function computes the total's index, or a
// lambda.
// Limits on an H100: the atomic requests of L2: 16 Mi additions to 512 sectors, in 0.1 ms or somewhat more. Both are
// the same machine code.
#include <cstddef>
#include <random>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kTotals = 4096;

__host__ __device__ unsigned TotalOf(unsigned value) { return (value * 2654435761u) >> 20; }
static_assert(0xffffffffu >> 20 < kTotals);
}  // namespace

constexpr int kFunctionLine = __LINE__ + 1;
extern "C" __global__ void votes_by_function(const unsigned* in, unsigned* out) {
  atomicAdd(out + TotalOf(in[static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x]), 1u);
}
constexpr int kLambdaLine = __LINE__ + 1;
extern "C" __global__ void votes_by_lambda(const unsigned* in, unsigned* out) {
  const auto vote = [=](unsigned value) { atomicAdd(out + ((value * 2654435761u) >> 20), 1u); };
  vote(in[static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x]);
}

namespace culprit {
namespace {

// n values.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  using Total = unsigned;
  static constexpr std::size_t kCopies = 1;
  static std::vector<unsigned> Inputs(int n) {
    std::mt19937 random(1);
    std::vector<unsigned> values(n);
    for (unsigned& value : values) value = random();
    return values;
  }
  static std::vector<double> Totals(const std::vector<unsigned>& in) {
    std::vector<double> totals(kTotals);
    for (const unsigned value : in) ++totals[TotalOf(value)];
    return totals;
  }
};

}  // namespace

PlantedPair VotesLambdaPair() {
  const AlikeKernels both("counts values with atomic additions to global memory", "index of a total",
                          "kernels/planted/votes_lambda.cu");
  return {
      .id = "votes_lambda",
      .base = TotalsKernel<Job, ::votes_by_function, Config>(both, "a function", "votes_by_function", kFunctionLine),
      .candidate = TotalsKernel<Job, ::votes_by_lambda, Config>(both, "a lambda", "votes_by_lambda", kLambdaLine),
      .sizes = {8 << 20, 16 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 1.0 * sizeof(unsigned) * n; }};
}

}  // namespace culprit
