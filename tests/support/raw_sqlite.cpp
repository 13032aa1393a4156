// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_sqlite.h"

#include <sqlite3.h>

#include <stdexcept>

namespace culprit {

RawSqlite::RawSqlite(const std::filesystem::path& file) {
  if (sqlite3_open(file.c_str(), &handle_) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(handle_));
}

RawSqlite::~RawSqlite() { sqlite3_close(handle_); }

void RawSqlite::Execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(handle_));
}

std::string RawSqlite::Text(const std::string& sql) {
  const std::string rows = Dump(sql);
  return rows.substr(0, rows.find_first_of("|\n"));
}

std::string RawSqlite::Dump(const std::string& sql) {
  std::string rows;
  const auto append = [](void* out, int columns, char** values, char**) {
    auto& text = *static_cast<std::string*>(out);
    for (int i = 0; i < columns; ++i) (text += i ? "|" : "") += values[i] ? values[i] : "NULL";
    text += '\n';
    return 0;
  };
  if (sqlite3_exec(handle_, sql.c_str(), append, &rows, nullptr) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(handle_));
  return rows;
}

}  // namespace culprit
