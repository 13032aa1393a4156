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

#ifdef CHANGE_B
__constant__ Term terms[kSteps][kMarkets];
#endif
}  // namespace

template <int kRounds>
__global__ void __launch_bounds__(kThreads) price_paths(const Term* __restrict__ given, float* __restrict__ payoffs) {
#ifndef CHANGE_B
  __shared__ Term terms[kSteps][kMarkets];
  for (int i = threadIdx.x; i < kSteps * kMarkets; i += kThreads) terms[i / kMarkets][i % kMarkets] = given[i];
  __syncthreads();
#endif
  const int path = blockIdx.x * kThreads + threadIdx.x, market = path % kMarkets;
  float price = 1, sum = 0;
#pragma unroll 1
  for (int step = 0; step < kSteps; step += 4) {
    const Random4 bits =
        Philox<kRounds>({static_cast<std::uint32_t>(path), static_cast<std::uint32_t>(step), 7, 9}, 3, 5);
    const float2 one = Normal2(bits.x, bits.y), two = Normal2(bits.z, bits.w);
    const float normal[4] = {one.x, one.y, two.x, two.y};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Term term = terms[step + i][market];
      price *= __expf(term.drift + term.spread * normal[i]);
      sum += price;
    }
  }
  payoffs[path] = fmaxf(sum * (1.0f / kSteps) - kStrike, 0.0f);
}

std::vector<double> Paths() {
  std::vector<Term> given;
  for (int step = 0; step < kSteps; ++step)
    for (int market = 0; market < kMarkets; ++market) {
      const float spread = 0.01f + 0.001f * static_cast<float>(market) + 0.0001f * static_cast<float>(step);
      given.push_back({0.002f - spread * spread / 2, spread});
    }
  const Term* given_there = OnDevice(given);
#ifdef CHANGE_B
  Check(cudaMemcpyToSymbol(terms, given.data(), sizeof terms), "cudaMemcpyToSymbol");
#endif
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
