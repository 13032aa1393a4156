// SPDX-License-Identifier: Apache-2.0
// The two ways in which a file is opened: so that it cannot be changed, whatever state it was left in, and for writing.
// Private to db/.
#pragma once
#include <filesystem>
#include <string>

#include "db/connection.h"

namespace culprit {

// How long a call waits for another process that is writing.
constexpr int kBusyTimeoutMs = 3000;
// How long the beginning of a recording or an import waits for those who read or write: an export of a large file takes
// seconds.
constexpr int kPatienceMs = 30000;

// A symlink's target, made absolute: SQLite puts -wal and -journal beside that, and takes "file:..." for a URI.
std::filesystem::path TargetOf(const std::filesystem::path& file);

// What there is to do about a file without a run: "there is no file m.db: import a recording, ...".
std::string NothingToRead(const std::string& what, const std::filesystem::path& file);

// Fails unless `file` is a database of ours, of this schema or an older one. Does not write to it or beside it, except
// for the -shm file through which readers and a recorder in progress see each other.
Connection OpenReadOnly(const std::filesystem::path& file);

// A copy in memory, which the reader may migrate.
Connection CopyToMemory(Connection& from);

// True for a file that holds nothing yet, or does not exist.
bool IsNew(const std::filesystem::path& file);

// Fails unless `file` is new or a database of ours; what is not ours is left as it was. In WAL mode, migrated to the
// newest schema, with our views.
Connection OpenForWriting(const std::filesystem::path& file, int patience_ms = kPatienceMs);

// The same without a change to the file: its journal mode and its schema are still what they were, and a transaction
// writes no page of it before it commits. The price is memory: what the transaction changes stays in it until then.
Connection OpenForImport(const std::filesystem::path& file, int patience_ms = kPatienceMs);

// Takes a file that was written to out of WAL mode, unless somebody else has it open: then the last one to close does
// it.
void LeaveAtRest(Connection& connection);

}  // namespace culprit
