// SPDX-License-Identifier: Apache-2.0
// Recorded runs of an invented program.
#pragma once
#include <filesystem>

namespace culprit::testing {

// Runs "before" and "after" of `./train --steps 20` on one GPU:
//   gather_rows     has the counters of InventedV17, in "after" those of InventedV16 and nearly twice the time
//   ns::normalize   a template that was not counted
//   wait_for_peer   cannot be replayed
//   ns::fill        was launched once, by a CUDA graph, at the same time as wait_for_peer
// Also copies to the device, and memory sets.
void WriteRecordedDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
