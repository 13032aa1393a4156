// SPDX-License-Identifier: Apache-2.0
// What changed in the libraries that two recorded programs had loaded.
#pragma once
#include <optional>
#include <span>

#include "db/database.h"
#include "db/records.h"
#include "db/versions.h"

namespace culprit {

// "The two runs had other versions of libraries: torch 2.10.0 -> 2.11.0." None: all are equal, or one run's are not
// known. Both lists are by name.
std::optional<Warning> VersionChange(std::span<const LibraryVersion> base, std::span<const LibraryVersion> candidate);
std::optional<Warning> VersionChange(const Database& database, RunId base, RunId candidate);

}  // namespace culprit
