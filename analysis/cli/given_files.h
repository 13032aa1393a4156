// SPDX-License-Identifier: Apache-2.0
// Files that the user gives: exports of ours, and reports and traces of other tools.
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

struct GivenFile {
  std::string text;         // what Database::Import takes
  bool is_foreign = false;  // another tool wrote the file
};

// `label`: of the run that another tool's file becomes. Throws culprit::Error if the file cannot be read as runs.
GivenFile ReadGivenFile(const std::string& file, const std::string& label);

// The database for a command that compares runs, where a word may be a file in place of a run. Then the database is a
// copy in memory that has the file's run, and the word becomes its UUID. Its label is the file's name as it was given.
// If a run and a file have the name, the run is used, and `err` says so.
Database OpenWithFiles(const std::string& db, const std::vector<std::string*>& words, std::ostream& err);
inline constexpr const char* kFileHelp = ", or a file that culprit import reads";

}  // namespace culprit
