// SPDX-License-Identifier: Apache-2.0
// An export as a database. Private to db/.
#pragma once
#include <string_view>

#include "db/connection.h"

namespace culprit {

// In memory, at our schema, with every rule of it kept, every number in its range and every row where it belongs.
// Throws culprit::Error that names the line where it can.
Connection ReadExport(std::string_view text, std::string_view source_name);

}  // namespace culprit
