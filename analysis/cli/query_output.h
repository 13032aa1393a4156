// SPDX-License-Identifier: Apache-2.0
// Results of SQL, as the database gave them: no units, no rounding.
#pragma once
#include <ostream>
#include <string_view>

#include "db/database.h"

namespace culprit {

// `format`: "text" or "table", "md", "csv", "json". NULL is "NULL", an empty field, or null.
void RenderQuery(const Table& table, std::string_view format, std::ostream& out);

}  // namespace culprit
