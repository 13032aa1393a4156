// SPDX-License-Identifier: Apache-2.0
#include "db/still.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "db/error.h"
#include "db/file.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// https://www.sqlite.org/fileformat.html: magic; at byte 18 the version for writing: 1 rollback journal, 2 WAL; at 32
// the start of the list of free pages; at 36 their number. When only one of the last two is 0, reading and quick_check
// work, but the first write fails.
struct Header {
  bool is_database = false;
  bool is_wal = false;
  bool free_pages_agree = true;
};

// Reads through SQLite's descriptor: closing another one would drop this process's locks on the file
// (https://www.sqlite.org/howtocorrupt.html, 2.2).
Header ReadHeader(SQLite::Database& sqlite) {
  sqlite3_file* opened = nullptr;
  sqlite3_file_control(sqlite.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &opened);
  std::array<unsigned char, 100> bytes{};
  const int rc = opened->pMethods->xRead(opened, bytes.data(), bytes.size(), 0);
  if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) throw SQLite::Exception("cannot read its first bytes", rc);
  constexpr char kMagic[16] = "SQLite format 3";
  const auto is_zero = [&](std::size_t at) {
    return std::all_of(bytes.begin() + at, bytes.begin() + at + 4, [](unsigned char byte) { return byte == 0; });
  };
  return {std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0, bytes[18] == 2, is_zero(32) == is_zero(36)};
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

// Size, time and identity of the file and of pending files beside it: shows whether somebody has written meanwhile.
struct FileState {
  bool exists = false;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileState&) const = default;
};

constexpr std::array kParts = {"", "-wal", "-journal"};

std::array<FileState, kParts.size()> StateOf(const fs::path& target) {
  std::array<FileState, kParts.size()> states;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    struct stat found {};
    if (stat(Beside(target, kParts[i]).c_str(), &found) != 0) continue;
    states[i] = {true, found.st_ino, found.st_size, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
  }
  return states;
}

const int kOpenFlags = SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX;

// The result of `copy`, unless somebody wrote to the file while it ran, because then it may be inconsistent.
template <class Copy>
std::optional<SQLite::Database> UnlessDisturbed(const fs::path& target, Copy&& copy) {
  const auto before = StateOf(target);
  std::optional<SQLite::Database> copied;
  std::exception_ptr failed;
  try {
    copied.emplace(copy(target));
  } catch (...) {
    failed = std::current_exception();
  }
  if (StateOf(target) != before) return std::nullopt;
  if (failed) std::rethrow_exception(failed);
  return copied;
}

// A journal or -wal may claim any size for the file, and copying or checking would read all of it.
void CheckSize(SQLite::Database& sqlite, std::uintmax_t bytes) {
  const auto pages = sqlite.execAndGet("PRAGMA page_count").getInt64();
  const auto page_size = sqlite.execAndGet("PRAGMA page_size").getInt64();
  if (pages < 0 || static_cast<std::uintmax_t>(pages) * page_size > bytes)
    throw SQLite::Exception("it claims pages that are nowhere", SQLITE_CORRUPT);
}

fs::path TemporaryDirectory(const fs::path& target) {
  std::error_code failed;
  std::string directory = (fs::temp_directory_path(failed) / "culprit-XXXXXX").string();
  if (failed || !mkdtemp(directory.data()))
    throw Error(fmt::format("cannot make a temporary copy of {}: set TMPDIR to a directory that you may write to",
                            target.string()));
  return directory;
}

// Pending changes beside the file cannot be applied without writing, so apply them to a copy, as SQLite would in place.
SQLite::Database TakingInWhatIsPending(const fs::path& target) {
  const fs::path directory = TemporaryDirectory(target);
  const fs::path copy = directory / "copy.db";
  SQLite::Database memory = InMemory();
  std::error_code ignored;
  try {
    std::uintmax_t bytes = 0;
    for (const char* suffix : kParts) {
      if (!fs::exists(Beside(target, suffix))) continue;
      fs::copy_file(Beside(target, suffix), Beside(copy, suffix));
      bytes += fs::file_size(Beside(copy, suffix));
    }
    RefuseForeignJournal(target, Beside(copy, "-journal"));
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
    SQLite::Database taken_in(copy.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
    SchemaRows(taken_in);
    CheckSize(taken_in, bytes);
    CopyPages(taken_in.getHandle(), memory);
  } catch (const fs::filesystem_error& e) {
    fs::remove_all(directory, ignored);
    throw Error(fmt::format("cannot make a temporary copy of {} ({}): set TMPDIR to a directory with room for it",
                            target.string(), e.code().message()));
  } catch (...) {
    fs::remove_all(directory, ignored);
    throw;
  }
  fs::remove_all(directory, ignored);
  return memory;
}

// A WAL-mode file with an empty or missing -wal has no pending changes. A normal open would create a -wal and a -shm
// beside it, which fails in a read-only directory or on a full disk and is not a reader's business. `immutable` avoids
// that, but assumes that nobody writes, so copy the file.
SQLite::Database AtRest(const fs::path& target) {
  SQLite::Database still(UriOf(target) + "?immutable=1", kOpenFlags | SQLite::OPEN_URI);
  SQLite::Database memory = InMemory();
  CopyPages(still.getHandle(), memory);
  return memory;
}

bool IsPending(const fs::path& target, const char* suffix) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(Beside(target, suffix), missing);
  return !missing && bytes > 0;
}

// SQLite cannot create the -shm file that it needs to read a -wal: a read-only directory or a full disk.
bool LacksPlace(const SQLite::Exception& e) {
  switch (e.getExtendedErrorCode()) {
    case SQLITE_IOERR_SHMOPEN:
    case SQLITE_IOERR_SHMSIZE:
    case SQLITE_IOERR_SHMMAP:
      return true;
    default:
      return (e.getErrorCode() & 0xff) == SQLITE_READONLY || (e.getErrorCode() & 0xff) == SQLITE_CANTOPEN;
  }
}

}  // namespace

fs::path Beside(const fs::path& target, const char* suffix) { return target.string() + suffix; }

SQLite::Database InMemory() { return {":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX}; }

void CopyPages(sqlite3* from, SQLite::Database& into) {
  sqlite3_backup* backup = sqlite3_backup_init(into.getHandle(), "main", from, "main");
  if (!backup) throw SQLite::Exception(into.getHandle());
  const int copied = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (copied != SQLITE_DONE) throw SQLite::Exception(into.getHandle(), copied);
}

// The first statement makes SQLite read the file.
std::int64_t SchemaRows(SQLite::Database& sqlite) {
  return sqlite.execAndGet("SELECT count(*) FROM sqlite_schema").getInt64();
}

// A transaction over several files can name another file at the end of its journal. SQLite deletes that file when it
// rolls the journal back (https://www.sqlite.org/fileformat.html#the_rollback_journal, "super-journal"). Culprit never
// writes such journals, so one that names a file is an attack.
void RefuseForeignJournal(const fs::path& target, const fs::path& journal) {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::ifstream in(journal, std::ios::binary);
  std::string tail(kMagic.size(), '\0');
  if (!in.seekg(-static_cast<std::streamoff>(kMagic.size()), std::ios::end) ||
      !in.read(tail.data(), static_cast<std::streamsize>(tail.size())) || tail != kMagic)
    return;
  throw Error(
      fmt::format("{}-journal belongs to a transaction over several files and would have one of them deleted, which no "
                  "culprit writes: "
                  "do not use this file, ask for an export of it",
                  target.string()));
}

bool RestsInWal(SQLite::Database& sqlite, const fs::path& target) {
  return ReadHeader(sqlite).is_wal && !fs::exists(Beside(target, "-wal"));
}

// Retries when a writer came or went meanwhile. A writer that stays has a -wal, with which SQLite separates readers and
// writers.
SQLite::Database OpenStill(const fs::path& target) {
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    SQLite::Database sqlite(target.string(), kOpenFlags, kBusyTimeoutMs);
    const Header header = ReadHeader(sqlite);
    if (!header.is_database) throw SQLite::Exception("file is not a database", SQLITE_NOTADB);
    if (!header.free_pages_agree) throw SQLite::Exception("its free pages are miscounted", SQLITE_CORRUPT);
    if (header.is_wal && !IsPending(target, "-wal")) {
      if (auto copy = UnlessDisturbed(target, AtRest)) return std::move(*copy);
      continue;
    }
    try {
      SchemaRows(sqlite);
      std::uintmax_t bytes = 0;
      for (const FileState& part : StateOf(target)) bytes += static_cast<std::uintmax_t>(part.size);
      CheckSize(sqlite, bytes);
      return sqlite;
    } catch (const SQLite::Exception& e) {
      if (!LacksPlace(e)) throw;
      if (!fs::exists(Beside(target, "-wal")) && !fs::exists(Beside(target, "-journal"))) throw;
      if (auto copy = UnlessDisturbed(target, TakingInWhatIsPending)) return std::move(*copy);
    }
  }
  throw SQLite::Exception("somebody writes to it all the time", SQLITE_BUSY);
}

}  // namespace culprit
