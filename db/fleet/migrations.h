// SPDX-License-Identifier: Apache-2.0
// The SQL files of migrations/, embedded by CMake: the first n make version n. Never edited after a release.
#pragma once
#include <span>

#include "db/embedded_text.h"

namespace culprit {

std::span<const EmbeddedText> FleetMigrations();

}  // namespace culprit
