// SPDX-License-Identifier: Apache-2.0
// Counts of a launch's shared-memory instructions, which may differ from the stated accesses.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/show/render/report.h"
#include "db/database.h"
#include "db/shared_access.h"

namespace culprit {

// Instructions of the same kind on a source line.
struct MeasuredAccess {
  std::string source;  // "file:line", or the function's name
  std::string op;      // as in the view shared_instruction
  Measured width_bits;
  double instructions = 0, executed = 0;
  Measured wavefronts, ideal;  // per execution, by the SASS metric
};

// Takes the parameter :launch.
std::string_view MeasuredWavefrontsSql();
std::vector<MeasuredAccess> ReadMeasuredAccesses(const Table& rows);

// Whether the model of the stated access matches the counts.
bool Explains(const SharedAccess& stated, const MeasuredAccess& measured);

// The executions of each stated access. Accesses that match the same instructions share their count. 0: no instruction
// matches.
std::vector<double> Executions(std::span<const SharedAccess> stated, std::span<const MeasuredAccess> measured);

// Adds a section, and a warning for instructions with excess wavefronts that match no stated access. When nothing is
// stated, the section says how to get a map.
void AddMeasuredWavefronts(std::span<const MeasuredAccess> measured, std::span<const SharedAccess> stated,
                           Report& report);

}  // namespace culprit
