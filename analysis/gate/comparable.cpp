// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/comparable.h"

#include <fmt/core.h>

namespace culprit {

std::string WhyNotComparable(const RunRecord& base, const RunRecord& candidate) {
  for (const auto& [run, name] : {std::pair{&base, "base"}, std::pair{&candidate, "candidate"}})
    if (!run->device)
      return fmt::format("The {} run was recorded without a GPU: record it again on the machine of the other.", name);
  const Device &b = *base.device, &c = *candidate.device;
  if (b.name != c.name || b.sm_count != c.sm_count)
    return fmt::format(
        "The base run was recorded on {} with {} SMs and the candidate run on {} with {}: record both on "
        "one kind of GPU.",
        b.name, b.sm_count, c.name, c.sm_count);
  if (base.l2 != candidate.l2)
    return fmt::format(
        "The L2 cache was {} between samples of the base run and {} in the candidate run: record both "
        "with the same --l2.",
        base.l2 == "flush" ? "flushed" : "hot", candidate.l2 == "flush" ? "flushed" : "hot");
  return {};
}

std::vector<std::string> Differences(const RunSummary& base, const RunSummary& candidate) {
  std::vector<std::string> differences;
  const auto say = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is)
      differences.push_back(fmt::format("{}: {} in the base run, {} in the candidate run.", what,
                                        was.empty() ? "unknown" : was, is.empty() ? "unknown" : is));
  };
  const Toolchain &b = base.run.toolchain, &c = candidate.run.toolchain;
  say("driver", b.driver, c.driver);
  say("CUDA runtime", b.cuda_runtime, c.cuda_runtime);
  say("nvcc", b.nvcc, c.nvcc);
  for (const auto& [run, name] : {std::pair{&base, "base"}, std::pair{&candidate, "candidate"}})
    if (run->state != "complete")
      differences.push_back(fmt::format("The {} run is {}: what it had not stored is missing here.", name, run->state));
  return differences;
}

}  // namespace culprit
