// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/kernel_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "analysis/judge/blame/costs.h"
#include "analysis/judge/blame/lines.h"
#include "analysis/launch/kernel_view.h"

namespace culprit {
namespace {

double TimeOf(const KernelRecord& kernel) {
  if (kernel.program && kernel.program->time_us) return *kernel.program->time_us;
  const auto times = KernelView(kernel).time().time_us;
  return times ? times->median * (kernel.program ? static_cast<double>(kernel.program->calls) : 1) : 0;
}

// Of a kernel that takes 1.
std::vector<KernelTime::Stack> SharesOf(const Database& database, const KernelRecord& kernel) {
  std::vector<KernelTime::Stack> shares;
  const auto sampling = database.Sampling(kernel.id);
  if (!sampling || sampling->samples == 0) return shares;
  for (const CostLine& line : LinesOf(CostsOf(1, *sampling, database.Instructions(kernel.id))))
    for (const CostLine::Chain& chain : line.chains)
      if (!chain.frames.empty() && chain.cost.blamed_us > 0) shares.push_back({chain.frames, chain.cost.blamed_us});
  std::ranges::stable_sort(shares, std::greater<>(), &KernelTime::Stack::us);
  return shares;
}

}  // namespace

double KernelTime::RestUs() const {
  return std::accumulate(stacks.begin(), stacks.end(), us, [](double rest, const Stack& s) { return rest - s.us; });
}

std::string KernelTime::Launch() const {
  std::string text = kernel.launch.shape;
  if (kernel.launch.ordinal > 0) text += fmt::format(", launch {}", kernel.launch.ordinal + 1);
  if (kernel.program && !kernel.program->nvtx.empty()) text += fmt::format(" in {}", kernel.program->nvtx);
  return text;
}

std::vector<KernelTime> KernelTimesOf(const Database& database, RunId run) {
  std::vector<KernelTime> times;
  std::map<std::string, std::vector<KernelTime::Stack>> shares;  // by symbol
  for (KernelRecord& kernel : database.LoadKernels(run, Ordinals::kAll)) {
    const double us = kernel.launch.state == LaunchState::kOk ? TimeOf(kernel) : 0;
    if (!(us > 0)) continue;
    std::vector<KernelTime::Stack>& of = shares[kernel.launch.kernel];
    if (of.empty()) of = SharesOf(database, kernel);
    KernelTime& time = times.emplace_back();
    time.name = kernel.program ? kernel.program->name : kernel.stage.id;
    time.us = us;
    time.kernel = std::move(kernel);
  }
  for (KernelTime& time : times) {
    time.stacks = shares[time.kernel.launch.kernel];
    for (KernelTime::Stack& stack : time.stacks) stack.us *= time.us;
  }
  std::ranges::stable_sort(times, std::greater<>(), &KernelTime::us);
  return times;
}

}  // namespace culprit
