// SPDX-License-Identifier: Apache-2.0
// Accesses to shared memory, drawn and judged, and the layouts that would be better.
#pragma once
#include <span>
#include <string_view>

#include "analysis/report.h"
#include "db/database.h"
#include "db/shared_access.h"

namespace culprit {

// Adds a section for each access, then one for each array; with `only` for the access of that name and its array, whose
// layout is judged by all its accesses nevertheless. Throws culprit::Error as Model and ProposeLayouts do.
void AddBankSections(std::span<const SharedAccess> accesses, std::string_view only, Report& report);

// Adds what the counters said of a launch's shared-memory instructions, which need not be those that are stated: alike
// ones of a source line in one row. `rows` is the result of MeasuredWavefrontsSql() with :launch.
void AddMeasuredWavefronts(const Table& rows, Report& report);
std::string_view MeasuredWavefrontsSql();

// As people and --op write it: "ld" | "st" | "ldmatrix" | "stmatrix".
std::string_view OpName(SharedOp op);

}  // namespace culprit
