// SPDX-License-Identifier: Apache-2.0
// Kernels that wait for different things, each as it is and with 2 % more work, under Google Benchmark. Recorded by
// many processes, pairs of the same tell how often a verdict sees a difference that is not there, and pairs with the
// slower one how often it sees 2 %.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "bench/workload.h"
#include "tests/noise/kernels/noise.h"

namespace culprit {
namespace {

// All buffers stay in place, half a gigabyte, so that going from one workload to another costs nothing.
const NoiseRun& Prepared(const NoiseKernel& kernel) {
  static std::map<std::string, NoiseRun> runs;
  const auto known = runs.find(kernel.id);
  return known != runs.end() ? known->second : runs.emplace(kernel.id, kernel.make()).first->second;
}

Workload Make(const NoiseKernel& kernel, const std::string& id, const std::string& parent, int work) {
  Workload w;
  w.id = id;
  w.shape = std::to_string(kernel.work);  // of both: they are compared
  w.group = "noise";
  w.family = "noise";
  w.parent = parent;
  w.idea = kernel.idea;
  w.constraint = "its own amount of work";
  w.factors = {{kernel.work_unit, std::to_string(work)}};
  w.source_file = kernel.source_file;
  w.source_line = kernel.source_line;
  if (kernel.min_bytes != nullptr) w.min_bytes = kernel.min_bytes(work);
  w.block_threads = kernel.block_threads;
  w.set_up = [&kernel] { Prepared(kernel); };
  w.launch = [&kernel, work](cudaStream_t stream) { Prepared(kernel).launch(work, stream); };
  w.verify = [&kernel, work] {
    const PlantedCheck check = Prepared(kernel).check(work);
    return VerifyResult{check.error_over_bound <= 1, check.error_over_bound, "exact", check.message};
  };
  return w;
}

std::vector<Workload> Workloads(const BenchOptions& options) {
  std::vector<Workload> workloads;
  for (const NoiseKernel& kernel : NoiseKernels()) {
    const std::string shape = std::to_string(kernel.work);
    if (!options.shapes.empty() &&
        std::find(options.shapes.begin(), options.shapes.end(), shape) == options.shapes.end())
      continue;
    workloads.push_back(Make(kernel, kernel.id, "", kernel.work));
    workloads.push_back(Make(kernel, kernel.id + "_slower", kernel.id, SlowerWork(kernel.work)));
  }
  return workloads;
}

}  // namespace
}  // namespace culprit

int main(int argc, char** argv) {
  const int status = culprit::BenchMain(argc, argv, culprit::Workloads);
  // Everything is stored. The driver takes memory and context back faster than their destructors give them.
  std::fflush(nullptr);
  std::quick_exit(status);
}
