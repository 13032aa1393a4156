// SPDX-License-Identifier: Apache-2.0
// Opens a file so that it cannot be changed, whatever state it was left in. Private to db/.
#pragma once
#include <filesystem>

#include "db/connection.h"

namespace culprit {

// How long a call waits for another process that is writing.
constexpr int kBusyTimeoutMs = 3000;

// A symlink's target, made absolute: SQLite puts -wal and -journal beside that, and takes "file:..." for a URI.
std::filesystem::path TargetOf(const std::filesystem::path& file);

// Fails unless `file` is a database of ours, of this schema or an older one. Does not write to it or beside it, except
// for the -shm file through which readers and a recorder in progress see each other.
Connection OpenReadOnly(const std::filesystem::path& file);

// A copy in memory, which the reader may migrate.
Connection CopyToMemory(Connection& from);

}  // namespace culprit
