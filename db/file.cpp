// SPDX-License-Identifier: Apache-2.0
#include "db/file.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "db/error.h"
#include "db/failure.h"
#include "db/migrate.h"
#include "db/regular_file.h"
#include "db/still.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

void CheckPath(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (status.type() == fs::file_type::not_found)
    throw Error(NothingToRead(fmt::format("there is no file {}", file.string()), file));
  if (status.type() == fs::file_type::directory)
    throw Error(fmt::format("{} is a directory: name a file in it with --db", file.string()));
  if (status.type() == fs::file_type::regular && fs::file_size(file, ignored) == 0)
    throw Error(NothingToRead(fmt::format("{} is empty", file.string()), file));
  if (status.type() != fs::file_type::regular)
    throw Error(fmt::format("{} {}: check its permissions, or name another one with --db", file.string(),
                            status.type() == fs::file_type::fifo ? "is a FIFO" : "cannot be read as a file"));
}

// SQLite would block on a FIFO and give an unclear error for a directory.
void CheckBeside(const fs::path& file) {
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    const fs::path beside = Beside(TargetOf(file), suffix);
    struct stat found {};
    if (stat(beside.c_str(), &found) != 0) continue;
    if (const std::string_view kind = KindOfSpecialFile(found.st_mode); !kind.empty())
      throw Error(fmt::format("{} is {}, where SQLite keeps a file of {}: move it away, or name another file with --db",
                              beside.string(), kind, file.string()));
  }
  RefuseForeignJournal(file, Beside(TargetOf(file), "-journal"));
}

void CheckIsOurs(Connection& connection) {
  const std::string name = connection.file().string();
  const auto version = connection.IntegerOf("PRAGMA user_version");
  if (connection.IntegerOf("PRAGMA application_id") == kApplicationId) {
    if (version > SchemaVersion())
      throw Error(fmt::format("{} was written by a newer culprit (schema {}, this one knows {}): update culprit", name,
                              version, SchemaVersion()));
    // The first migration sets the id and makes tables in one transaction.
    if (version < 1) throw Error(NotASchemaOfOurs(connection.file(), version));
    return CheckTables(connection, static_cast<int>(version));
  }
  // The process was killed before the first migration, or the file was never used.
  if (version == 0 && SchemaRows(connection.sqlite()) == 0) return;
  throw Error(fmt::format(
      "{} is an SQLite database but not one of culprit's: name the file that a recording wrote with --db", name));
}

void CheckPlaceForRecording(const fs::path& file) {
  const fs::path directory = TargetOf(file).parent_path();
  if (!fs::is_directory(directory))
    throw Error(fmt::format("there is no directory {}: create it, or name another file with --db", directory.string()));
  // SQLite writes its journal beside the file.
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error(fmt::format("cannot record into {}, its directory is read-only: name a file elsewhere with --db",
                            file.string()));
}

// Needs exclusive access for a moment, so it waits for readers and writers.
void SwitchToWal(Connection& connection, int patience_ms) {
  try {
    connection.Execute("PRAGMA journal_mode = WAL");
  } catch (const SQLite::Exception& e) {
    if ((e.getErrorCode() & 0xff) != SQLITE_BUSY) throw;
    // Readers allow one writer to begin.
    sqlite3_busy_timeout(connection.handle(), 0);
    const bool only_readers =
        sqlite3_exec(connection.handle(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK;
    if (!only_readers) throw;
    sqlite3_exec(connection.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw ReadersInTheWay(connection.file(), "record", patience_ms);
  }
}

// Opens a WAL-mode file at rest in exclusive mode. Otherwise SQLite creates -wal and -shm files before the first
// statement and leaves both when the disk is full.
void TakeAlone(SQLite::Database& sqlite) { sqlite.exec("PRAGMA locking_mode = EXCLUSIVE"); }

// Ends exclusive access. A file in WAL mode must leave that mode first.
void Share(Connection& connection) {
  if (connection.sqlite().execAndGet("PRAGMA locking_mode").getString() != "exclusive") return;
  connection.Execute("PRAGMA journal_mode = DELETE");
  connection.Execute("PRAGMA locking_mode = NORMAL");
}

Connection OpenReadWrite(const fs::path& file, int patience_ms) {
  CheckPlaceForRecording(file);
  if (!IsNew(file)) OpenReadOnly(file);  // refuses a foreign file before anything touches it
  CheckBeside(file);
  SQLite::Database sqlite(TargetOf(file).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX,
                          patience_ms);
  if (sqlite3_db_readonly(sqlite.getHandle(), "main") == 1)
    throw Error(fmt::format(
        "cannot record into {}, it is read-only: make it writable (chmod u+w) or name another file with --db",
        file.string()));
  if (RestsInWal(sqlite, TargetOf(file))) TakeAlone(sqlite);
  Connection connection(file, std::move(sqlite));
  CheckIsOurs(connection);  // another process may have created it since
  return connection;
}

}  // namespace

std::string NothingToRead(const std::string& what, const fs::path& file) {
  return fmt::format(
      "{0}: record a program (culprit record --db {1} -- ./program), import a recording (culprit import --db {1} "
      "FILE; one comes with culprit, in db/recorded), or name another file with --db",
      what, file.string());
}

fs::path TargetOf(const fs::path& file) {
  std::error_code failed;
  fs::path target = fs::canonical(file, failed);
  if (!target.empty()) return target;
  // A link may point to a file that does not exist yet, or to itself: follow as many links as Linux does.
  constexpr int kLinks = 40;
  target = fs::absolute(file);
  for (int i = 0; i < kLinks && fs::is_symlink(fs::symlink_status(target, failed)); ++i)
    target = target.parent_path() / fs::read_symlink(target, failed);
  return target;
}

Connection OpenReadOnly(const fs::path& file) {
  return Saying(file, "read", [&] {
    CheckPath(file);
    CheckBeside(file);
    Connection connection(file, OpenStill(TargetOf(file)));
    CheckIsOurs(connection);
    return connection;
  });
}

Connection CopyToMemory(Connection& from) {
  return Saying(from.file(), "read", [&] {
    SQLite::Database memory = InMemory();
    CopyPages(from.handle(), memory);
    return Connection(from.file(), std::move(memory));
  });
}

bool IsNew(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  return status.type() == fs::file_type::not_found ||
         (status.type() == fs::file_type::regular && fs::file_size(file, ignored) == 0);
}

// WAL: readers see a run while it is recorded, and a call appends its pages once. synchronous = NORMAL: stored calls
// survive the death of the process. A power cut may lose whole calls since the last checkpoint but never damages the
// file (https://www.sqlite.org/pragma.html#pragma_synchronous). FinishRun makes a checkpoint.
Connection OpenForWriting(const fs::path& file, int patience_ms) {
  return Saying(file, "record", [&] {
    Connection connection = OpenReadWrite(file, patience_ms);
    connection.Execute("PRAGMA synchronous = NORMAL");
    Share(connection);
    SwitchToWal(connection, patience_ms);
    // 32 MB, about 1000 launches. With SQLite's default of 4 MB, half of the time goes to waiting for the disk.
    connection.Execute("PRAGMA wal_autocheckpoint = 8192");
    Migrate(connection, SchemaVersion());
    RefreshViews(connection);
    return connection;
  });
}

Connection OpenForImport(const fs::path& file, int patience_ms) {
  return Saying(file, "import", [&] {
    Connection connection = OpenReadWrite(file, patience_ms);
    connection.Execute("PRAGMA cache_spill = OFF");
    return connection;
  });
}

// A file at rest uses a rollback journal instead of a WAL, so it can be read on read-only media and copied as one file.
void LeaveAtRest(Connection& connection) {
  connection.ReleaseStatements();
  sqlite3_busy_timeout(connection.handle(), 0);
  connection.sqlite().tryExec("PRAGMA journal_mode = DELETE");
}

}  // namespace culprit
