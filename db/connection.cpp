// SPDX-License-Identifier: Apache-2.0
#include "db/connection.h"

#include <utility>

namespace culprit {

Connection::Connection(std::filesystem::path file, SQLite::Database sqlite)
    : file_(std::move(file)), sqlite_(std::move(sqlite)) {}

Lease Connection::Prepared(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    std::string text(sql);
    SQLite::Statement statement(sqlite_, text);
    found = statements_.emplace(std::move(text), std::move(statement)).first;
  }
  return Lease(found->second);
}

std::int64_t Connection::IntegerOf(std::string_view sql) {
  SQLite::Statement statement(sqlite_, std::string(sql));
  return statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
}

}  // namespace culprit
