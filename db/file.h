// SPDX-License-Identifier: Apache-2.0
// The two ways in which a file is opened: so that it cannot be changed, whatever state it was left in, and for writing.
// Private to db/.
#pragma once
#include <filesystem>

#include "db/connection.h"

namespace culprit {

// How long a call waits for another process that is writing.
constexpr int kBusyTimeoutMs = 3000;
// How long the beginning of a recording or an import waits for those who read or write: an export of a large file takes
// seconds.
constexpr int kPatienceMs = 30000;

// A symlink's target, made absolute: SQLite puts -wal and -journal beside that, and takes "file:..." for a URI.
std::filesystem::path TargetOf(const std::filesystem::path& file);

// Fails unless `file` is a database of ours, of this schema or an older one. Does not write to it or beside it, except
// for the -shm file through which readers and a recorder in progress see each other.
Connection OpenReadOnly(const std::filesystem::path& file);

// A copy in memory, which the reader may migrate.
Connection CopyToMemory(Connection& from);

// True for a file that holds nothing yet, or does not exist.
bool IsNew(const std::filesystem::path& file);

// Fails unless `file` is new or a database of ours; what is not ours is left as it was. In WAL mode, migrated to the
// newest schema, with our views. `shown` is how messages name the file.
Connection OpenForWriting(const std::filesystem::path& file, const std::filesystem::path& shown,
                          int patience_ms = kPatienceMs);

}  // namespace culprit
