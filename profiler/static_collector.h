// SPDX-License-Identifier: Apache-2.0
// Static attributes of kernels from what their build left behind: cubins and ptxas's report. Needs no GPU and no CUDA.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

// Every kernel of every cubin in `directory` (as keep_cubins.sh leaves it), joined with report.txt there: one record
// per kernel and architecture, with both sources' attributes, and max_threads from the register count (source "model")
// where the kernel has no launch bounds. Sorted by kernel, then architecture number. Throws culprit::Error when the
// directory cannot be read, something in it is not what its name says, or one kernel of one architecture occurs with
// two different codes.
std::vector<BuildRecord> CollectStatic(const std::filesystem::path& directory);

// The same for several directories.
std::vector<BuildRecord> CollectStatic(const std::vector<std::filesystem::path>& directories);

// C++ source that defines culprit::StaticTable() to return `builds`.
std::string StaticTableSource(const std::vector<BuildRecord>& builds);

}  // namespace culprit
