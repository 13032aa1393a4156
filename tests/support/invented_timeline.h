// SPDX-License-Identifier: Apache-2.0
// Runs of a program with timelines and profiles. Every number is invented.
#pragma once
#include <filesystem>

namespace culprit::testing {

// Runs "before" and "after" of one program: four steps of 10 ms, each with a copy, gather_rows and matmul_tiles. A small
// kernel of a CUDA graph overlaps another one on its stream. In bins of 0.5 ms, one list of counters covers all but the
// last 2.5 ms; L1 has the rest. matmul_tiles has profiles; in "after" its tail is longer. The launches of "after" from
// 20 ms to 30 ms are not listed. Run "plain" has no timeline.
void WriteTimelineDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
