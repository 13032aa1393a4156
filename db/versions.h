// SPDX-License-Identifier: Apache-2.0
// Versions of libraries that a recorded program had loaded.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

struct LibraryVersion {
  std::string name, value;  // "torch", "2.10.0+cu130"
  friend bool operator==(const LibraryVersion&, const LibraryVersion&) = default;
};

// By name. Empty: none is known.
std::vector<LibraryVersion> VersionsOf(const Database& database, RunId run);

}  // namespace culprit
