// SPDX-License-Identifier: Apache-2.0
// Runs of a program that never ran.
#pragma once
#include <filesystem>

namespace culprit::testing {

// Runs "before" and "after" of `./train --steps 20` on one GPU: gather_rows with the counters of InventedV17 (in
// "after" those of InventedV16, and twice its time), a template of which nothing was counted, one launch of a third
// kernel that a CUDA graph made beside it, copies to the device and sets, and a kernel that cannot be replayed.
void WriteRecordedDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
