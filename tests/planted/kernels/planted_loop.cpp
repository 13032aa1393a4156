// SPDX-License-Identifier: Apache-2.0
// planted_loop SECONDS [small|large]: launches all planted kernels at the smallest or the largest size of their pair,
// again and again, each round in another order. Each is launched several times in a row, in an NVTX range with its name.
// A program for `culprit record`, which knows nothing of it; planted_score reads the recording.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/planted/kernels/planted.h"
#include "tests/planted/make_all.h"
#include "tests/planted/range_name.h"

namespace culprit {
namespace {

// After the first launch, a kernel finds in L2 what it left there, as in a benchmark.
constexpr int kInARow = 4;

struct Job {
  const PlantedKernel* kernel;
  int size;
  PlantedRun run = {};

  const std::string& Name() const { return kernel->id; }
  void Make() { run = kernel->make(size); }
  bool IsMade() const { return run.launch != nullptr; }
};

std::vector<Job> Jobs(bool large) {
  std::vector<Job> jobs;
  for (const PlantedPair& pair : PlantedPairs())
    for (const PlantedKernel* kernel : {&pair.base, &pair.candidate})
      if (DeviceRefusal(kernel->id, pair.device).empty())
        jobs.push_back({kernel, large ? pair.sizes.back() : pair.sizes.front()});
  for (const PlantedMixture& mixture : PlantedMixtures())
    for (const PlantedKernel* kernel : {&mixture.base, &mixture.a, &mixture.b, &mixture.both})
      jobs.push_back({kernel, large ? mixture.sizes.back() : mixture.sizes.front()});
  return jobs;
}

int Loop(double seconds, bool large) {
  std::vector<Job> jobs = Jobs(large);
  testing::MakeAll(jobs);
  std::mt19937 random(1);
  const auto ends = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int rounds = 0;
  for (; std::chrono::steady_clock::now() < ends; ++rounds) {
    std::ranges::shuffle(jobs, random);
    for (const Job& job : jobs) {
      nvtxRangePushA(testing::RangeOf(fmt::format("{} {}", job.kernel->id, job.size)).c_str());
      for (int i = 0; i < kInARow; ++i) job.run.launch(nullptr);
      nvtxRangePop();
    }
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
      std::fprintf(stderr, "a launch failed: %s\n", cudaGetErrorString(error));
      return 1;
    }
  }
  std::printf("%zu kernels, %d rounds\n", jobs.size(), rounds);
  return 0;
}

}  // namespace
}  // namespace culprit

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0;
  const std::string_view size = argc > 2 ? argv[2] : "small";
  if (!(seconds > 0) || argc > 3 || (size != "small" && size != "large")) {
    std::fprintf(stderr, "usage: %s SECONDS [small|large]\n", argv[0]);
    return 2;
  }
  return culprit::Loop(seconds, size == "large");
}
