// SPDX-License-Identifier: Apache-2.0
// The .sql files of db/, embedded by CMake. db/CMakeLists.txt has the only list.
#pragma once
#include <span>

#include "db/embedded_text.h"

namespace culprit {

// PRAGMA user_version = n: migrations 1..n are applied. Never edited after a release.
std::span<const EmbeddedText> Migrations();

// One `CREATE VIEW name AS ...` per file, named like the view.
std::span<const EmbeddedText> Views();

// One statement per file.
std::span<const EmbeddedText> QueryFiles();

}  // namespace culprit
