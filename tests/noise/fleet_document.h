// SPDX-License-Identifier: Apache-2.0
// docs/evidence/fleet.md.
#pragma once
#include <span>
#include <string>

#include "tests/noise/fleet_series.h"

namespace culprit::testing {

std::string FleetDocument(std::span<const StepTally> steps, std::span<const FleetTally> fleet);

}  // namespace culprit::testing
