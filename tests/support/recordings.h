// SPDX-License-Identifier: Apache-2.0
// The recordings that ship, in db/recorded.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// Those in a folder of db/recorded itself, not below it, by name: "", "planted", "planted/lines".
std::vector<std::filesystem::path> RecordingsIn(const std::filesystem::path& folder);

// The SQL text of a file of db/recorded, "planted/lines/h200.sql.zst".
std::string ReadRecording(const std::filesystem::path& file);

void ImportRecording(const std::filesystem::path& file, Database& database);
void ImportRecordings(const std::filesystem::path& folder, Database& database);

}  // namespace culprit::testing
