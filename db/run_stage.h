// SPDX-License-Identifier: Apache-2.0
// Private to db/.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "db/database.h"

namespace culprit {

// The row of stage `key` in this run.
std::optional<std::int64_t> FindStageOfRun(Connection& connection, RunId run, std::string_view key);
// Throws when StoreStage was not called for it.
std::int64_t StageOfRun(Connection& connection, RunId run, std::string_view key);

// {"loop nest":"k->m->n"}: sorted, so equal factors give equal texts.
std::string FactorsAsJson(const std::map<std::string, std::string>& factors);

}  // namespace culprit
