// SPDX-License-Identifier: Apache-2.0
// The one quantity by which a cause shows itself, so that a change made against the cause can be seen to have worked:
// "excess wavefronts" of bank conflicts.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/number/measured.h"

namespace culprit {

struct Symptom {
  std::string_view cause;               // an id of Causes()
  std::string_view name;                // "excess wavefronts"
  std::vector<std::string_view> plus;   // ids of KernelView that are added ...
  std::vector<std::string_view> minus;  // ... and subtracted

  Measured Of(const KernelView& kernel) const;
};

// Null for causes without one: a lack of something (occupancy, overlap) has no count.
const Symptom* SymptomOf(std::string_view cause);

}  // namespace culprit
