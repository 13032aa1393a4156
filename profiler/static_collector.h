// SPDX-License-Identifier: Apache-2.0
// Static attributes of kernels from build outputs: cubins and ptxas's report. Needs no GPU and no CUDA.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

// Reads every kernel of every cubin in `directories` (as keep_cubins.sh writes them) and report.txt there. Returns one
// record per kernel and architecture with the attributes of both sources. For a kernel without launch bounds,
// max_threads comes from the register count (source "model"). Sorted by kernel, then architecture number. Throws
// culprit::Error when a directory cannot be read, a file does not match its name, or a kernel has two different codes
// for one architecture.
std::vector<BuildRecord> CollectStatic(const std::vector<std::filesystem::path>& directories);

// C++ source of a culprit::StaticTable() that returns `builds`.
std::string StaticTableSource(const std::vector<BuildRecord>& builds);

}  // namespace culprit
