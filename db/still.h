// SPDX-License-Identifier: Apache-2.0
// Reads a file without changing it, in whatever state a writer left it. Private to db/.
#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>

namespace culprit {

// The file itself, if SQLite can read it without a change. Else a copy in memory that includes the changes in the -wal
// or -journal file.
SQLite::Database OpenStill(const std::filesystem::path& target);

// Whether a file just opened is in WAL mode without a -wal file. Then nobody else has it open.
bool RestsInWal(SQLite::Database& sqlite, const std::filesystem::path& target);

// Throws when rolling back the journal of `target` would delete a file that the journal names. `journal`: the journal
// or a copy of it.
void RefuseForeignJournal(const std::filesystem::path& target, const std::filesystem::path& journal);

// "m.db-wal"
std::filesystem::path Beside(const std::filesystem::path& target, const char* suffix);

SQLite::Database InMemory();
void CopyPages(sqlite3* from, SQLite::Database& into);
std::int64_t SchemaRows(SQLite::Database& sqlite);

}  // namespace culprit
