// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/program/executions.h"

#include <algorithm>

namespace culprit {
namespace {

constexpr int kEnough = 5;

bool IsComplete(const RunSummary& run) { return run.run.program && run.state == "complete"; }

}  // namespace

bool CanPool(std::span<const RunSummary> base, std::span<const RunSummary> candidate) {
  return std::ranges::count_if(base, IsComplete) >= kEnough && std::ranges::count_if(candidate, IsComplete) >= kEnough;
}

Executions::Executions(const Database& database, const RunSummary& explained, std::span<const RunSummary> runs) {
  for (const RunSummary& run : runs) {
    if (!IsComplete(run) || run.id == explained.id) continue;
    Samples& samples = others_.emplace_back();
    for (KernelRecord& kernel : database.LoadKernels(run.id, Ordinals::kAll))
      if (kernel.program) samples.try_emplace(KeyOf(kernel), std::move(kernel.samples));
  }
}

void Executions::AddTo(KernelRecord& kernel) const {
  for (Sample& sample : kernel.samples) sample.process = 0;
  if (!kernel.program) return;
  const LaunchKey key = KeyOf(kernel);
  int process = 0;
  for (const Samples& execution : others_) {
    ++process;
    const auto same = execution.find(key);
    if (same == execution.end()) continue;
    for (Sample sample : same->second) {
      sample.process = process;
      kernel.samples.push_back(sample);
    }
  }
}

Executions::LaunchKey Executions::KeyOf(const KernelRecord& kernel) {
  return {kernel.stage.id, kernel.launch.shape, kernel.launch.dynamic_shared_bytes, kernel.program->nvtx};
}

}  // namespace culprit
