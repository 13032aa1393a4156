// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel/factor_change.h"

#include <fmt/core.h>

#include <set>

namespace culprit {

std::vector<FactorChange> FactorChanges(const StageRecord& base, const StageRecord& candidate) {
  std::set<std::string> names;
  for (const auto* stage : {&base, &candidate})
    for (const auto& [factor, value] : stage->factors) names.insert(factor);
  const auto value = [](const StageRecord& stage, const std::string& factor) {
    const auto found = stage.factors.find(factor);
    return found == stage.factors.end() ? std::string("none") : found->second;
  };
  std::vector<FactorChange> changes;
  for (const std::string& name : names) {
    // A factor that only one of the two states has changed, even from or to the word "none": as view `edge` counts.
    const bool stated_by_both = base.factors.contains(name) && candidate.factors.contains(name);
    FactorChange change{name, value(base, name), value(candidate, name)};
    if (!stated_by_both || change.base != change.candidate) changes.push_back(std::move(change));
  }
  return changes;
}

std::string ToText(const FactorChange& change) {
  return fmt::format("{}: {} => {}", change.factor, change.base, change.candidate);
}

}  // namespace culprit
