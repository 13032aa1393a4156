// SPDX-License-Identifier: Apache-2.0
// Reads an export into a database. Private to db/.
#pragma once
#include <string_view>

#include "db/connection.h"

namespace culprit {

// The database is in memory and has our schema. All constraints, number ranges and references are checked. Throws
// culprit::Error, with the line if possible.
Connection ReadExport(std::string_view text, std::string_view source_name);

}  // namespace culprit
