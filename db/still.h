// SPDX-License-Identifier: Apache-2.0
// A file that is read without being changed, whatever state it was left in. Private to db/.
#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>

namespace culprit {

// The file itself where SQLite can read it as it is, else a copy in memory, with what is pending beside it taken in.
SQLite::Database OpenStill(const std::filesystem::path& target);

// Whether a file just opened is in WAL mode and has no -wal: nobody else has it open, or has read from it.
bool RestsInWal(SQLite::Database& sqlite, const std::filesystem::path& target);

// Throws when rolling the journal of `target` back would delete a file that the journal names. `journal`: it or a copy.
void RefuseForeignJournal(const std::filesystem::path& target, const std::filesystem::path& journal);

// "m.db-wal"
std::filesystem::path Beside(const std::filesystem::path& target, const char* suffix);

SQLite::Database InMemory();
void CopyPages(sqlite3* from, SQLite::Database& into);
std::int64_t SchemaRows(SQLite::Database& sqlite);

}  // namespace culprit
