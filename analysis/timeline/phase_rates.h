// SPDX-License-Identifier: Apache-2.0
// Rates of a GPU's units inside a launch, from its prologue to its tail: the mean over its calls.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "analysis/timeline/unit_rates.h"
#include "db/database.h"
#include "db/timeline.h"

namespace culprit {

struct PhaseRates {
  const UnitRate* rate = nullptr;
  std::vector<double> edges;           // phases + 1 relative times, from 0 to 1
  std::vector<double> values, errors;  // by phase, in the rate's unit; one standard deviation
  double mean = 0;                     // of the whole launch
};

// In the order of UnitRates. Cycles of a phase are those of the launch's mean clock. Empty: the launch has no profiles.
std::vector<PhaseRates> RatesInside(const KernelRecord& kernel, std::span<const PhaseProfile> profiles);

// The rate at a relative time. `edges` of 0 and 1 are part of the first and the last phase.
double ValueAt(const PhaseRates& rates, double time);

}  // namespace culprit
