// SPDX-License-Identifier: Apache-2.0
// What somebody types next who has recorded a program.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// "culprit why --base before --cand after" where an earlier run under another label launched one of the same kernels;
// else how to record a second run and compare. `run`: just recorded. `words`: its program and arguments. `db`: " --db
// FILE" where the file is not the usual one.
std::string NextCommand(const Database& database, const RunRecord& run, const std::vector<std::string>& words,
                        const std::string& db);

}  // namespace culprit
