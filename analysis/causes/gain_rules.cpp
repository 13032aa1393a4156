// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/gain_rules.h"

namespace culprit {

std::span<const GainRule> GainRules() {
  static const std::vector<GainRule> rules = [] {
    std::vector<GainRule> all = MemoryGainRules();
    for (const GainRule& rule : ExecutionGainRules()) all.push_back(rule);
    return all;
  }();
  return rules;
}

const GainRule* FindGainRule(std::string_view cause) {
  for (const GainRule& rule : GainRules())
    if (rule.cause == cause) return &rule;
  return nullptr;
}

}  // namespace culprit
