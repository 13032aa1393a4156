// SPDX-License-Identifier: Apache-2.0
// Machine code as rows that all launches share. Private to db/.
#pragma once
#include <cstdint>
#include <string_view>

#include "db/code.h"
#include "db/connection.h"

namespace culprit {

// The id of the row of this code, stored if the file has none yet. Throws BadNumber, and Error where two instructions
// have one offset.
std::int64_t StoreCode(Connection& connection, const MachineCode& code);

// Throws where the rows are not what StoreCode writes.
MachineCode LoadCode(Connection& connection, std::int64_t id);

// Code is found by its listing, so a row that lies about it would stand for other code from then on. Throws with a
// sentence that begins with `name`, for the first code whose instructions are not those that its listing names.
void CheckListings(Connection& connection, std::string_view name);

}  // namespace culprit
