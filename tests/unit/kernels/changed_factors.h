// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <set>
#include <string>

#include "kernels/stage.h"

namespace culprit {

// The factors in which a stage differs from its parent.
inline std::set<std::string> ChangedFactors(const std::string& id) {
  const Stage* const stage = FindStage(id);
  const Stage* const parent = FindStage(stage->parent);
  std::map<std::string, std::string> before(parent->factors.begin(), parent->factors.end());
  std::set<std::string> changed;
  for (const auto& [name, value] : stage->factors) {
    if (before[name] != value) changed.insert(name);
  }
  return changed;
}

}  // namespace culprit
