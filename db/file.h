// SPDX-License-Identifier: Apache-2.0
// Opens a database file, read-only or for writing. Private to db/.
#pragma once
#include <filesystem>
#include <string>

#include "db/connection.h"

namespace culprit {

// How long a call waits for another process that is writing.
constexpr int kBusyTimeoutMs = 3000;
// How long the start of a recording or an import waits for readers and writers. Exporting a large file takes seconds.
constexpr int kPatienceMs = 30000;

// The absolute target of a symlink. SQLite puts -wal and -journal beside the target. The absolute path also prevents
// that SQLite reads "file:..." as a URI.
std::filesystem::path TargetOf(const std::filesystem::path& file);

// The message when there is no run: "there is no file m.db: import a recording, ...".
std::string NothingToRead(const std::string& what, const std::filesystem::path& file);

// Fails unless `file` is a database of ours with this schema or an older one. Writes neither to it nor beside it,
// except for the -shm file that readers and a recorder in progress share.
Connection OpenReadOnly(const std::filesystem::path& file);

// A copy in memory that the reader may migrate.
Connection CopyToMemory(Connection& from);

// True when the file is missing or empty.
bool IsNew(const std::filesystem::path& file);

// Fails unless `file` is new or a database of ours; a foreign file stays unchanged. Sets WAL mode, migrates to the
// newest schema and creates our views.
Connection OpenForWriting(const std::filesystem::path& file, int patience_ms = kPatienceMs);

// The same, but does not change the file's journal mode and schema. A transaction writes no page before it commits; its
// changes stay in memory until then.
Connection OpenForImport(const std::filesystem::path& file, int patience_ms = kPatienceMs);

// Takes a written file out of WAL mode. If other processes have it open, the last of them does this when it closes it.
void LeaveAtRest(Connection& connection);

}  // namespace culprit
