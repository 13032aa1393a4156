// SPDX-License-Identifier: Apache-2.0
// What the counters said of a launch's shared-memory instructions, which need not be those that are stated.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/render/report.h"
#include "db/database.h"
#include "db/shared_access.h"

namespace culprit {

// Alike instructions of a source line.
struct MeasuredAccess {
  std::string source;  // "file:line", or the function's name
  std::string op;      // as the view shared_instruction writes it
  Measured width_bits;
  double instructions = 0, executed = 0;
  Measured wavefronts, ideal;  // of one execution, by the SASS metric
};

// Query it with :launch.
std::string_view MeasuredWavefrontsSql();
std::vector<MeasuredAccess> ReadMeasuredAccesses(const Table& rows);

// Whether the model says of the access what was counted.
bool Explains(const SharedAccess& stated, const MeasuredAccess& measured);

// How often each stated access was executed: accesses that the same instructions may be share them. 0 where no
// instruction is explained by it.
std::vector<double> Executions(std::span<const SharedAccess> stated, std::span<const MeasuredAccess> measured);

// Adds a section, and a warning for instructions with more than ideal wavefronts that no stated access explains. Where
// nothing is stated, the section says how to get a map.
void AddMeasuredWavefronts(std::span<const MeasuredAccess> measured, std::span<const SharedAccess> stated,
                           Report& report);

}  // namespace culprit
