// SPDX-License-Identifier: Apache-2.0
// SQLite without our library, to build files that we would not write and to disturb our own connections.
#pragma once
#include <filesystem>
#include <string>

struct sqlite3;

namespace culprit {

class RawSqlite {
 public:
  explicit RawSqlite(const std::filesystem::path& file);
  ~RawSqlite();
  RawSqlite(const RawSqlite&) = delete;
  RawSqlite& operator=(const RawSqlite&) = delete;
  // Throws std::runtime_error with SQLite's words.
  void Execute(const std::string& sql);
  // First column of the first row.
  std::string Text(const std::string& sql);
  // Every row as values joined by '|', one line each.
  std::string Dump(const std::string& sql);

 private:
  sqlite3* handle_ = nullptr;
};

}  // namespace culprit
