// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// What the build of this very program wrote down about its kernels: one record per kernel and architecture, sorted by
// kernel, with attributes of sources "cubin" and "compiler". Defined by the source that CMake's
// culprit_static_table(program) generates; in a program without it the table is empty. `stage` is the kernel's symbol,
// which for our stages is the stage's id.
std::vector<BuildRecord> StaticTable();

// The records of one kernel, every architecture.
std::vector<BuildRecord> StaticTable(std::string_view kernel);

}  // namespace culprit
