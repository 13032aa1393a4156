// SPDX-License-Identifier: Apache-2.0
// Stores machine code in rows that launches share. Private to db/.
#pragma once
#include <cstdint>
#include <string_view>

#include "db/code.h"
#include "db/connection.h"

namespace culprit {

// Returns the row id of this code. Stores the code if the file does not have it. Throws BadNumber, and throws Error
// when two instructions have the same offset.
std::int64_t StoreCode(Connection& connection, const MachineCode& code);

// Throws when StoreCode cannot have written the rows.
MachineCode LoadCode(Connection& connection, std::int64_t id);

// Throws if a code's instructions do not match its listing; the message begins with `name`. Code is looked up by its
// listing, so a wrong listing would replace other code.
void CheckListings(Connection& connection, std::string_view name);

}  // namespace culprit
