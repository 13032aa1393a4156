// SPDX-License-Identifier: Apache-2.0
// The .sql files of db/, as CMake embeds them. The list in db/CMakeLists.txt is the only one.
#pragma once
#include <span>

#include "db/embedded_text.h"

namespace culprit {

// PRAGMA user_version = n means that the first n are in. Never edited after a release.
std::span<const EmbeddedText> Migrations();

// One `CREATE VIEW name AS ...` per file, the file being called after the view.
std::span<const EmbeddedText> Views();

// One statement per file.
std::span<const EmbeddedText> QueryFiles();

}  // namespace culprit
