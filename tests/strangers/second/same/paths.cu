// SPDX-License-Identifier: Apache-2.0
// What options on the mean price are worth, in 32 markets at once: a thread follows one path, a lane one market.
#include <cmath>

#include "job.h"
#include "philox.cuh"

namespace {
constexpr int kSteps = 64, kMarkets = 32, kThreads = 128, kPaths = 1 << 19;
constexpr float kStrike = 1.02f;

// Of a step in a market.
struct Term {
  float drift, spread;
};

class Walk {
 public:
  __device__ __forceinline__ void Step(Term term, float normal) {
    level_ *= __expf(term.drift + term.spread * normal);
    total_ += level_;
  }
  __device__ __forceinline__ float Payoff() const { return fmaxf(total_ * (1.0f / kSteps) - kStrike, 0.0f); }

 private:
  float level_ = 1, total_ = 0;
};
}  // namespace

template <int kRounds>
__global__ void __launch_bounds__(kThreads) price_paths(const Term* __restrict__ given, float* __restrict__ payoffs) {
  __shared__ Term terms[kSteps][kMarkets];
  for (int i = threadIdx.x; i < kSteps * kMarkets; i += kThreads) terms[i / kMarkets][i % kMarkets] = given[i];
  __syncthreads();
  const int id = blockIdx.x * kThreads + threadIdx.x;
  Walk walk;
#pragma unroll 1
  for (int k = 0; k < kSteps; k += 4) {
    const Random4 r = Philox<kRounds>({static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(k), 7, 9}, 3, 5);
    const float2 late = Normal2(r.z, r.w);
    const float2 early = Normal2(r.x, r.y);
    walk.Step(terms[k][id % kMarkets], early.x);
    walk.Step(terms[k + 1][id % kMarkets], early.y);
    walk.Step(terms[k + 2][id % kMarkets], late.x);
    walk.Step(terms[k + 3][id % kMarkets], late.y);
  }
  payoffs[id] = walk.Payoff();
}

std::vector<double> Paths() {
  std::vector<Term> given;
  for (int step = 0; step < kSteps; ++step)
    for (int market = 0; market < kMarkets; ++market) {
      const float spread = 0.01f + 0.001f * static_cast<float>(market) + 0.0001f * static_cast<float>(step);
      given.push_back({0.002f - spread * spread / 2, spread});
    }
  const Term* given_there = OnDevice(given);
  float* payoffs = OnDevice<float>(kPaths);
  for (int i = 0; i < kLaunches; ++i) price_paths<10><<<kPaths / kThreads, kThreads>>>(given_there, payoffs);
  const std::vector<double> paid = FromDevice(payoffs, kPaths);
  if (!results_wanted) return paid;
  std::vector<double> means(kMarkets);
  for (int path = 0; path < kPaths; ++path) means[path % kMarkets] += paid[path] * kMarkets / kPaths;
  // With these drifts the mean price is expected to be the mean of exp(0.002 * k), k = 1 .. kSteps: 1.0672; the option
  // is worth at least as much as that is above the strike, and more the more prices spread.
  Hold("price_paths", means[0], 0.0555, 0.008);
  for (int market = 1; market < kMarkets; ++market)
    Hold("price_paths", means[market] > means[market - 1] - 0.002, 1, 0);
  for (double& mean : means) mean += 0.1;  // what prices are off by counts, not what little is above the strike
  return means;
}
