// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/file.h"
#include "db/migrate.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

void CheckPlaceForRecording(const fs::path& file) {
  const fs::path directory = fs::absolute(file).parent_path();
  if (!fs::is_directory(directory))
    throw Error(fmt::format("there is no directory {}: create it, or name another file with --db", directory.string()));
  // SQLite writes its journal beside the file.
  if (access(TargetOf(file).parent_path().c_str(), W_OK | X_OK) != 0)
    throw Error(fmt::format("cannot record into {}, its directory is read-only: name a file elsewhere with --db",
                            file.string()));
}

// True for a file that holds nothing yet.
bool IsNew(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  return status.type() == fs::file_type::not_found ||
         (status.type() == fs::file_type::regular && fs::file_size(file, ignored) == 0);
}

}  // namespace

// WAL: readers see a run while it is recorded, and a call appends its pages once. synchronous = NORMAL: what a call
// stored survives the death of the process at any moment; a power cut may take the calls since the last checkpoint with
// it, whole calls and never the file (https://www.sqlite.org/pragma.html#pragma_synchronous). FinishRun checkpoints.
Database Database::OpenForRecording(const fs::path& file) {
  CheckPlaceForRecording(file);
  if (!IsNew(file)) OpenReadOnly(file);  // refuses what is not ours before anything could touch it
  return Saying(file, "record", [&] {
    SQLite::Database sqlite(TargetOf(file).string(),
                            SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX, kBusyTimeoutMs);
    if (sqlite3_db_readonly(sqlite.getHandle(), "main") == 1)
      throw Error(fmt::format(
          "cannot record into {}, it is read-only: make it writable (chmod u+w) or name another file with --db",
          file.string()));
    Connection connection(file, std::move(sqlite));
    connection.Execute("PRAGMA synchronous = NORMAL");
    connection.Execute("PRAGMA journal_mode = WAL");
    // 32 MB, some 1000 launches: SQLite's default of 4 MB spends half of the time of storing on waiting for the disk.
    connection.Execute("PRAGMA wal_autocheckpoint = 8192");
    Migrate(connection, SchemaVersion());
    RefreshViews(connection);
    return Database(std::make_unique<Impl>(std::move(connection), true));
  });
}

Database Database::OpenForReading(const fs::path& file) {
  Connection connection = OpenReadOnly(file);
  return Saying(file, "read", [&] {
    const auto version = connection.IntegerOf("PRAGMA user_version");
    if (version == 0)
      throw Error(fmt::format("{} is empty: record a run into it, or name another file with --db", file.string()));
    connection.Execute("PRAGMA temp_store = MEMORY");
    if (version == SchemaVersion()) {
      ShadowStaleViews(connection);
      return Database(std::make_unique<Impl>(std::move(connection), false));
    }
    Connection copy = CopyToMemory(connection);
    Migrate(copy, SchemaVersion());
    RefreshViews(copy);
    return Database(std::make_unique<Impl>(std::move(copy), false));
  });
}

// A file at rest keeps a rollback journal instead of a WAL: it can be read on read-only media and copied as one file.
// Refused while someone else has it open; then the last recorder to close does it.
Database::Impl::~Impl() {
  if (!recording) return;
  connection.ReleaseStatements();
  sqlite3_busy_timeout(connection.handle(), 0);
  connection.sqlite().tryExec("PRAGMA journal_mode = DELETE");
}

}  // namespace culprit
