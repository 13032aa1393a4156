// SPDX-License-Identifier: Apache-2.0
#include "db/failure.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "db/connection.h"

namespace culprit {

std::string Sentence(const std::filesystem::path& file, std::string_view doing, const SQLite::Exception& e) {
  const std::string name = file.string();
  switch (e.getErrorCode() & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("cannot {} while another process is writing to {}: wait until it has finished, then try again",
                         doing, name);
    case SQLITE_FULL:
      return fmt::format("cannot {}, the disk of {} is full: free some space; what was stored before is intact", doing,
                         name);
    case SQLITE_IOERR:
      return fmt::format(
          "cannot {}, the disk of {} refused ({}): check its free space and health; what was stored before is intact",
          doing, name, e.what());
    case SQLITE_CORRUPT:
      return fmt::format(
          "{} is damaged ({}): import an export of it into a new file, or save what is left with 'sqlite3 {} .recover'",
          name, e.what(), name);
    case SQLITE_NOTADB:
      return fmt::format("{} is not a database: name the file that a recording wrote with --db", name);
    case SQLITE_READONLY:
      return fmt::format(
          "cannot {}, {} or its directory is read-only: make both writable or name another file with --db", doing,
          name);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return fmt::format(
          "cannot open {} ({}): check that you may read it and write to its directory, or name another file with --db",
          name, e.what());
    case SQLITE_NOMEM:
      return fmt::format("cannot {} in {}: out of memory, close something and try again", doing, name);
    case SQLITE_TOOBIG:
      return fmt::format(
          "cannot {} in {}: it holds a value of more than {} MB, which no recording has; import an export without it",
          doing, name, kMaxValueBytes >> 20);
    default:
      return fmt::format("cannot {} in {}: {}", doing, name, e.what());
  }
}

std::string Sentence(const std::filesystem::path& file, std::string_view doing, const BadRow& e) {
  return fmt::format("cannot {} in {}: {}; record it again, or leave that run out", doing, file.string(), e.what());
}

std::string Sentence(Connection& connection, std::int64_t run, const BadRow& e) {
  Lease row = connection.Prepared("SELECT substr(uuid, 1, 8), label FROM run WHERE id = ?");
  const bool is_there = row.Bind(run).Step();
  const std::string label = is_there ? row.Text(1) : "";
  return fmt::format(
      "run {}{} of {} is damaged: {}; record it again, or leave that run out: culprit export --run UUID takes the "
      "others",
      is_there ? row.Text(0) : std::to_string(run), label.empty() ? "" : fmt::format(" ({})", label),
      connection.file().string(), e.what());
}

Error ReadersInTheWay(const std::filesystem::path& file, std::string_view doing, int patience_ms) {
  return Error(
      fmt::format("cannot {} into {}, another process has been reading it for more than {} s: wait until it has "
                  "finished, then try again",
                  doing, file.string(), patience_ms / 1000));
}

}  // namespace culprit
