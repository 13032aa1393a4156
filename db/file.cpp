// SPDX-License-Identifier: Apache-2.0
#include "db/file.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <array>
#include <cstring>
#include <string>

#include "db/error.h"
#include "db/failure.h"
#include "db/migrate.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// https://www.sqlite.org/fileformat.html: magic, then at byte 18 the version that writing needs: 1 rollback journal, 2
// WAL.
struct Header {
  bool is_database = false;
  bool is_wal = false;
};

// Through SQLite's own descriptor: closing another one would drop the locks that this process holds on the file
// (https://www.sqlite.org/howtocorrupt.html, 2.2).
Header ReadHeader(SQLite::Database& sqlite) {
  sqlite3_file* opened = nullptr;
  sqlite3_file_control(sqlite.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &opened);
  std::array<unsigned char, 100> bytes{};
  const int rc = opened->pMethods->xRead(opened, bytes.data(), bytes.size(), 0);
  if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) throw SQLite::Exception("cannot read its first bytes", rc);
  constexpr char kMagic[16] = "SQLite format 3";
  return {std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0, bytes[18] == 2};
}

std::string UriOf(const fs::path& file) {
  std::string uri = "file:";
  for (const unsigned char c : file.string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", c);
    } else {
      uri += static_cast<char>(c);
    }
  }
  return uri;
}

fs::path Beside(const fs::path& target, const char* suffix) { return target.string() + suffix; }

void CheckPath(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (status.type() == fs::file_type::not_found)
    throw Error(fmt::format("there is no file {}: record a run into it, or name another one with --db", file.string()));
  if (status.type() == fs::file_type::directory)
    throw Error(fmt::format("{} is a directory: name a file in it with --db", file.string()));
  if (status.type() == fs::file_type::regular && fs::file_size(file, ignored) == 0)
    throw Error(fmt::format("{} is empty: record a run into it, or name another file with --db", file.string()));
  if (status.type() != fs::file_type::regular)
    throw Error(fmt::format("{} cannot be read as a file: check its permissions, or name another one with --db",
                            file.string()));
}

SQLite::Database Open(const fs::path& target) {
  SQLite::Database sqlite(target.string(), SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX, kBusyTimeoutMs);
  const Header header = ReadHeader(sqlite);
  if (!header.is_database) throw SQLite::Exception("file is not a database", SQLITE_NOTADB);
  // Without a -wal nobody is recording and nothing is pending. Opened normally, SQLite would have to create one beside
  // it, which a read-only directory forbids and a reader has no business doing.
  if (header.is_wal && !fs::exists(Beside(target, "-wal")))
    return SQLite::Database(UriOf(target) + "?immutable=1",
                            SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX, kBusyTimeoutMs);
  return sqlite;
}

// What is pending beside the file cannot be taken in without writing: do that to a copy, as SQLite would have done in
// place.
SQLite::Database OpenCopy(const fs::path& target) {
  std::string directory = (fs::temp_directory_path() / "culprit-XXXXXX").string();
  if (!mkdtemp(directory.data()))
    throw Error(fmt::format("cannot make a temporary copy of {}: set TMPDIR to a directory that you may write to",
                            target.string()));
  const fs::path copy = fs::path(directory) / "copy.db";
  SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
  try {
    for (const char* suffix : {"", "-wal", "-journal"})
      if (fs::exists(Beside(target, suffix))) fs::copy_file(Beside(target, suffix), Beside(copy, suffix));
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
    memory.backup(copy.c_str(), SQLite::Database::Load);
  } catch (const fs::filesystem_error& e) {
    fs::remove_all(directory);
    throw Error(fmt::format("cannot make a temporary copy of {} ({}): set TMPDIR to a directory with room for it",
                            target.string(), e.code().message()));
  } catch (...) {
    fs::remove_all(directory);
    throw;
  }
  fs::remove_all(directory);
  return memory;
}

// SQLite reads nothing before the first statement.
std::int64_t SchemaRows(SQLite::Database& sqlite) {
  return sqlite.execAndGet("SELECT count(*) FROM sqlite_schema").getInt64();
}

SQLite::Database OpenAnyhow(const fs::path& target) {
  try {
    SQLite::Database sqlite = Open(target);
    SchemaRows(sqlite);
    return sqlite;
  } catch (const SQLite::Exception& e) {
    const int code = e.getErrorCode() & 0xff;
    if (code != SQLITE_READONLY && code != SQLITE_CANTOPEN) throw;
    if (!fs::exists(Beside(target, "-wal")) && !fs::exists(Beside(target, "-journal"))) throw;
    return OpenCopy(target);
  }
}

void CheckIsOurs(Connection& connection) {
  const std::string name = connection.file().string();
  const auto version = connection.IntegerOf("PRAGMA user_version");
  if (connection.IntegerOf("PRAGMA application_id") == kApplicationId) {
    if (version > SchemaVersion())
      throw Error(fmt::format("{} was written by a newer culprit (schema {}, this one knows {}): update culprit", name,
                              version, SchemaVersion()));
    return;
  }
  if (SchemaRows(connection.sqlite()) == 0) return;  // killed before the first migration, or never used
  throw Error(fmt::format(
      "{} is an SQLite database but not one of culprit's: name the file that a recording wrote with --db", name));
}

}  // namespace

fs::path TargetOf(const fs::path& file) {
  std::error_code ignored;
  const fs::path target = fs::canonical(file, ignored);
  return target.empty() ? fs::absolute(file) : target;
}

Connection OpenReadOnly(const fs::path& file) {
  return Saying(file, "read", [&] {
    CheckPath(file);
    Connection connection(file, OpenAnyhow(TargetOf(file)));
    CheckIsOurs(connection);
    return connection;
  });
}

Connection CopyToMemory(Connection& from) {
  return Saying(from.file(), "read", [&] {
    SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
    sqlite3_backup* backup = sqlite3_backup_init(memory.getHandle(), "main", from.handle(), "main");
    if (!backup) throw SQLite::Exception(memory.getHandle());
    const int copied = sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
    if (copied != SQLITE_DONE) throw SQLite::Exception(memory.getHandle(), copied);
    return Connection(from.file(), std::move(memory));
  });
}

}  // namespace culprit
