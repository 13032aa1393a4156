// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/executions.h"

#include <algorithm>
#include <tuple>

namespace culprit {
namespace {

constexpr int kEnough = 5;

bool IsComplete(const RunSummary& run) { return run.run.program && run.state == "complete"; }

bool IsSameLaunch(const KernelRecord& a, const KernelRecord& b) {
  const auto key = [](const KernelRecord& k) {
    return std::tie(k.stage.id, k.launch.shape, k.launch.dynamic_shared_bytes, k.program->nvtx);
  };
  return a.program && b.program && key(a) == key(b);
}

}  // namespace

bool CanPool(std::span<const RunSummary> base, std::span<const RunSummary> candidate) {
  return std::ranges::count_if(base, IsComplete) >= kEnough && std::ranges::count_if(candidate, IsComplete) >= kEnough;
}

Executions::Executions(const Database& database, const RunSummary& explained, std::span<const RunSummary> runs) {
  for (const RunSummary& run : runs)
    if (IsComplete(run) && run.id != explained.id) others_.push_back(database.LoadKernels(run.id, Ordinals::kAll));
}

void Executions::AddTo(KernelRecord& kernel) const {
  for (Sample& sample : kernel.samples) sample.process = 0;
  int process = 0;
  for (const std::vector<KernelRecord>& execution : others_) {
    ++process;
    const auto same =
        std::ranges::find_if(execution, [&](const KernelRecord& other) { return IsSameLaunch(kernel, other); });
    if (same == execution.end()) continue;
    for (Sample sample : same->samples) {
      sample.process = process;
      kernel.samples.push_back(sample);
    }
  }
}

}  // namespace culprit
