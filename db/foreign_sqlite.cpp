// SPDX-License-Identifier: Apache-2.0
#include "db/foreign_sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <set>
#include <vector>

#include "db/connection.h"
#include "db/error.h"

namespace culprit {
namespace {

// Where the header says how the file is written and read: 2 for a write-ahead log, which memory does not have.
constexpr std::size_t kWriteVersion = 18, kReadVersion = 19;

[[noreturn]] void Damaged(const std::string& name, const char* what) {
  throw Error(fmt::format("{} cannot be read ({}): export it again; nothing was imported", name, what));
}

std::string Quoted(const std::string& name) { return fmt::format("\"{}\"", name); }

Value ValueOf(const SQLite::Column& cell) {
  switch (cell.getType()) {
    case SQLITE_INTEGER:
      return cell.getInt64();
    case SQLITE_FLOAT:
      return cell.getDouble();
    case SQLITE_TEXT:
      return cell.getString();
    default:
      return std::monostate();
  }
}

}  // namespace

struct ForeignSqlite::Impl {
  std::string name;
  std::string copy;  // of a file that expects a log beside it
  Connection connection;
  std::set<std::string> columns;  // "table.column" and "table."
};

ForeignSqlite::ForeignSqlite(std::string_view bytes, const std::string& name)
    : impl_(new Impl{name, {}, Connection(name, SQLite::Database(":memory:", SQLite::OPEN_READWRITE)), {}}) {
  if (bytes.size() > kReadVersion && (bytes[kWriteVersion] == 2 || bytes[kReadVersion] == 2)) {
    impl_->copy = bytes;
    impl_->copy[kWriteVersion] = impl_->copy[kReadVersion] = 1;
    bytes = impl_->copy;
  }
  // SQLite does not write to what is read-only.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  sqlite3* handle = impl_->connection.handle();
  if (sqlite3_deserialize(handle, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    Damaged(name, sqlite3_errmsg(handle));
  try {
    // Hidden columns are computed.
    Lease row = impl_->connection.Prepared(
        "SELECT lower(t.name), lower(c.name) FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c WHERE t.type "
        "= 'table' AND t.sql LIKE 'CREATE TABLE%' AND c.hidden = 0");
    while (row.Step()) {
      impl_->columns.insert(row.Text(0) + '.');
      impl_->columns.insert(row.Text(0) + '.' + row.Text(1));
    }
  } catch (const SQLite::Exception& e) {
    Damaged(name, e.what());
  }
}

ForeignSqlite::~ForeignSqlite() = default;

bool ForeignSqlite::Has(const std::string& table, const std::string& column) const {
  std::string name = table + '.' + column;
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return impl_->columns.contains(name);
}

void ForeignSqlite::ForEach(const std::string& table, std::span<const char* const> columns,
                            const std::function<void(Row)>& read) const {
  if (!Has(table)) return;
  std::vector<std::string> selected;
  for (const char* column : columns) selected.push_back(Has(table, column) ? Quoted(column) : "NULL");
  try {
    SQLite::Statement statement(impl_->connection.sqlite(),
                                fmt::format("SELECT {} FROM {}", fmt::join(selected, ", "), Quoted(table)));
    std::vector<Value> row(columns.size());
    while (statement.executeStep()) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = ValueOf(statement.getColumn(static_cast<int>(i)));
      read(row);
    }
  } catch (const SQLite::Exception& e) {
    Damaged(impl_->name, e.what());
  }
}

}  // namespace culprit
