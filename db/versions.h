// SPDX-License-Identifier: Apache-2.0
// Versions of libraries that a recorded program had loaded.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

struct LibraryVersion {
  std::string name, value;  // "torch", "2.10.0+cu130"
  friend bool operator==(const LibraryVersion&, const LibraryVersion&) = default;
};

// Replaces the versions of a run that is still recorded, so that its checksum will cover them. Opens the file by itself.
void StoreVersions(const std::filesystem::path& file, const std::string& run_uuid,
                   std::span<const LibraryVersion> versions);

// By name. Empty: none is known.
std::vector<LibraryVersion> VersionsOf(const Database& database, RunId run);

}  // namespace culprit
