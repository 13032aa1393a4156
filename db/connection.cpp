// SPDX-License-Identifier: Apache-2.0
#include "db/connection.h"

#include <sqlite3.h>

#include <utility>

namespace culprit {

double NumberOf(const SQLite::Column& cell, const NumberRange& range, std::string_view where) {
  if (cell.isNull()) throw BadNumber(range, "missing", where);
  if (!cell.isInteger() && !cell.isFloat()) throw BadNumber(range, "a text", where);
  const double value = cell.getDouble();
  if (!range.Holds(value)) throw BadNumber(range, Shown(value), where);
  return value;
}

double Lease::Real(int column, const NumberRange& range) const { return NumberOf(statement_.getColumn(column), range); }

void Lease::NeedRow(std::string_view what) {
  if (!Step()) throw BadRow("a row of it refers to " + std::string(what) + " that is not there");
}

Connection::Connection(std::filesystem::path file, SQLite::Database sqlite)
    : file_(std::move(file)), sqlite_(std::move(sqlite)) {
  sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

ReadSnapshot::ReadSnapshot(Connection& connection) {
  if (sqlite3_get_autocommit(connection.handle()) != 0) transaction_.emplace(connection.sqlite());
}

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
