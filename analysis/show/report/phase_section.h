// SPDX-License-Identifier: Apache-2.0
// What the units of a GPU do inside a launch, from its prologue to its tail.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/show/render/report.h"
#include "db/database.h"
#include "db/timeline.h"

namespace culprit {

// A launch with its profiles, and its name beside another one ("base").
struct PhaseSide {
  std::string name;
  const KernelRecord* kernel;
  std::vector<PhaseProfile> profiles;
};

// One side or two, drawn one above the other. Key "phases": the table has every phase with its error. None: no side has
// profiles.
std::optional<Section> MakePhaseSection(std::span<const PhaseSide> sides);

}  // namespace culprit
