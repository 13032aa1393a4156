// SPDX-License-Identifier: Apache-2.0
// Merges runs of one database into another by UUID. Private to db/.
#pragma once
#include <vector>

#include "db/connection.h"
#include "db/database.h"

namespace culprit {

// Merges all of `exports` (see ReadExport) in one transaction, or none. The same transaction migrates an older
// database.
std::vector<Database::ImportResult> MergeAll(Connection& connection, std::vector<Connection>& exports);

}  // namespace culprit
