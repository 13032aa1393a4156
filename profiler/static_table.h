// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// The static attributes that this program's build recorded: one record per kernel and architecture, sorted by kernel,
// with sources "cubin" and "compiler". CMake's culprit_static_table(program) generates the function. Without it the
// table is empty. `stage` is the kernel's symbol, which equals the stage id for our stages.
std::vector<BuildRecord> StaticTable();

// The records of one kernel on every architecture.
std::vector<BuildRecord> StaticTable(std::string_view kernel);

}  // namespace culprit
