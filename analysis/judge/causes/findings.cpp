// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/findings.h"

#include <algorithm>

#include "analysis/judge/causes/sharing.h"

namespace culprit {
namespace {

std::vector<Evidence> Collect(const KernelView& kernel, const FindingRule& rule) {
  std::vector<Evidence> evidence;
  for (const auto* ids : {&rule.needs, &rule.also})
    for (std::string_view id : *ids)
      if (const Measured value = kernel.Get(id))
        evidence.push_back({std::string(id), *value, std::string(kernel.UnitOf(id))});
  return evidence;
}

// A finding about less than a hundredth of the time is left out, because the samples scatter by as much. The quartiles
// of a launch are up to 0.8 % apart in 123 of the 125 launches of db/recorded that take more than 40 us.
constexpr double kMinWeightShare = 0.01;

bool Matters(const KernelView& kernel, const Opinion& opinion) {
  return !opinion.weight_us || *opinion.weight_us >= kMinWeightShare * kernel.Get("time_us").value_or(0);
}

// A stall is needed as a part of the time. This can be undefined even if each number was measured.
Measured Needed(const KernelView& kernel, std::string_view id) {
  constexpr std::string_view kStall = "stall_";
  const Measured value = kernel.Get(id);
  if (!value || !id.starts_with(kStall) || !kernel.Get("warps_active") || !kernel.Get("time_us")) return value;
  return kernel.StallUs(id.substr(kStall.size()));
}

void Judge(const Sharing& sharing, const Cause& cause, Findings& result) {
  const KernelView& kernel = sharing.kernel();
  const FindingRule& rule = cause.finding;
  if (rule.judge == nullptr) return;
  NotJudged not_judged{std::string(cause.id), {}};
  for (std::string_view need : rule.needs)
    if (const Measured value = Needed(kernel, need); !value)
      not_judged.missing.push_back({std::string(need), value.absence()});
  if (!not_judged.missing.empty()) {
    result.not_judged.push_back(std::move(not_judged));
    return;
  }
  sharing.TakeOpen();
  if (auto opinion = rule.judge(sharing); opinion && Matters(kernel, *opinion)) {
    result.findings.push_back({std::move(*opinion), std::string(cause.id), Collect(kernel, rule)});
  } else if (sharing.TakeOpen()) {
    // The cause may have no finding only because its own or others' demand was not fully counted.
    for (const std::string& id : sharing.demand().missing) not_judged.missing.push_back({id, kernel.Get(id).absence()});
    result.not_judged.push_back(std::move(not_judged));
  } else {
    ++result.silent;
  }
}

}  // namespace

Findings JudgeKernel(const KernelView& kernel, const Cause& cause) {
  Findings result;
  Judge(Sharing(kernel), cause, result);
  return result;
}

Findings JudgeKernel(const KernelView& kernel) {
  Findings result;
  const Sharing sharing(kernel);
  for (const Cause& cause : Causes()) Judge(sharing, cause, result);
  std::stable_sort(result.findings.begin(), result.findings.end(), [](const Finding& a, const Finding& b) {
    if (a.good != b.good) return b.good;
    return a.weight_us.value_or(-1) > b.weight_us.value_or(-1);
  });
  return result;
}

}  // namespace culprit
