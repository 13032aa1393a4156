// SPDX-License-Identifier: Apache-2.0
// The recordings of tests: exports in tests/recorded, compressed by Zstandard.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// The absolute path of a file of tests/recorded, such as "planted/h200_sxm_cuda13.0_2026-11-22.sql.zst".
std::filesystem::path Recording(const std::filesystem::path& file);

// The files of a folder of tests/recorded ("", "planted", "planted/lines"), sorted, without those of its subfolders.
// Throws std::runtime_error if there is none.
std::vector<std::filesystem::path> RecordingsIn(const std::filesystem::path& folder);

void ImportRecording(const std::filesystem::path& file, Database& database);
void ImportRecordings(const std::filesystem::path& folder, Database& database);

}  // namespace culprit::testing
