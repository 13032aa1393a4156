// SPDX-License-Identifier: Apache-2.0
// A connection with a name for messages and a cache of prepared statements. Private to db/.
#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "db/columns.h"
#include "db/fields.h"

namespace culprit {

// The longest text that a file may hold, in bytes: eight times Linux's longest command line. It bounds the memory for
// one value.
constexpr int kMaxValueBytes = 16 << 20;

// The number in a cell. Throws when it is not within `range`. `where`: see BadNumber.
double NumberOf(const SQLite::Column& cell, const NumberRange& range, std::string_view where = {});

// A cached statement, borrowed. It is reset when the lease ends, so its read transaction ends, too.
class Lease {
 public:
  explicit Lease(SQLite::Statement& statement) : statement_(statement) {}
  ~Lease() { statement_.tryReset(); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Binds parameters 1..n.
  template <class... Values>
  Lease& Bind(const Values&... values) {
    int index = 0;
    (BindOne(++index, values), ...);
    return *this;
  }
  void BindOne(int index, bool value) { statement_.bind(index, value ? 1 : 0); }
  void BindOne(int index, int value) { statement_.bind(index, value); }
  void BindOne(int index, unsigned value) { statement_.bind(index, static_cast<std::int64_t>(value)); }
  void BindOne(int index, std::int64_t value) { statement_.bind(index, value); }
  void BindOne(int index, double value) { statement_.bind(index, value); }
  void BindOne(int index, const std::string& value) { statement_.bind(index, value); }
  void BindOne(int index, std::string_view value) { statement_.bind(index, std::string(value)); }
  // Literals need no copy.
  void BindOne(int index, const char* literal) { statement_.bindNoCopy(index, literal); }
  template <class Kind>
  requires std::is_enum_v<Kind>
  void BindOne(int index, Kind kind) { BindOne(index, NameOf(kind)); }
  void BindOne(int index, std::monostate) { statement_.bind(index); }
  template <class... Cells>
  void BindOne(int index, const std::variant<Cells...>& value) {
    std::visit([&](const auto& cell) { BindOne(index, cell); }, value);
  }
  template <class T>
  void BindOne(int index, const std::optional<T>& value) {
    if (value) {
      BindOne(index, *value);
    } else {
      statement_.bind(index);
    }
  }

  bool Step() { return statement_.executeStep(); }
  // Steps to a row that another row refers to. Throws BadRow when it is missing. `what`: for example "a device".
  void NeedRow(std::string_view what);
  void Reset() { statement_.reset(); }
  // Runs to the end, then makes the statement ready for the next Bind.
  void Run() {
    while (Step()) {
    }
    statement_.reset();
  }

  bool IsNull(int column) const { return statement_.isColumnNull(column); }
  std::int64_t Integer(int column) const { return statement_.getColumn(column).getInt64(); }
  int Int(int column) const { return statement_.getColumn(column).getInt(); }
  // Real is for a required number, MaybeReal for one that may be NULL. Both throw BadNumber unless the number is in the
  // range. All numbers that we judge or show are read with these.
  double Real(int column, const NumberRange& range) const;
  std::optional<double> MaybeReal(int column, const NumberRange& range) const {
    return IsNull(column) ? std::nullopt : std::optional<double>(Real(column, range));
  }
  std::int64_t Integer(int column, const NumberRange& range) const {
    return static_cast<std::int64_t>(Real(column, range));
  }
  int Int(int column, const NumberRange& range) const { return static_cast<int>(Real(column, range)); }
  // For a row of SelectText. Reads the columns from `at` on into members (db/fields.h) and checks their ranges.
  template <class... Members>
  void Read(Place at, std::tuple<Members&...> into) const {
    std::apply([&](Members&... members) { ((Get(at, members), at = at.Next()), ...); }, into);
  }
  template <class Record>
  void Read(Record& record) const {
    Read(kFirst<Record>, Fields(record));
  }
  // The records of all rows, or their first columns.
  template <class Record>
  std::vector<Record> All() {
    std::vector<Record> records;
    while (Step()) Read(records.emplace_back());
    return records;
  }
  std::vector<std::int64_t> Integers() {
    std::vector<std::int64_t> integers;
    while (Step()) integers.push_back(Integer(0));
    return integers;
  }
  void Get(Place at, std::string& into) const { into = Text(at.index); }
  void Get(Place at, bool& into) const { into = Integer(at) != 0; }
  void Get(Place at, double& into) const { into = Real(at.index, at.column->range); }
  template <std::integral Number>
  void Get(Place at, Number& into) const {
    into = static_cast<Number>(Integer(at));
  }
  // An unknown name becomes kFailed.
  template <class Kind>
  requires std::is_enum_v<Kind>
  void Get(Place at, Kind& into) const { into = KindNamed<Kind>(Text(at.index)).value_or(Kind::kFailed); }
  template <class Value>
  void Get(Place at, std::optional<Value>& into) const {
    if (IsNull(at.index))
      into.reset();
    else
      Get(at, into.emplace());
  }
  std::int64_t Integer(Place at) const { return at.range() ? Integer(at.index, *at.range()) : Integer(at.index); }
  std::string Text(Place at) const { return Text(at.index); }
  std::string Text(int column) const { return statement_.getColumn(column).getString(); }
  SQLite::Statement& statement() { return statement_; }

 private:
  SQLite::Statement& statement_;
};

class Connection {
 public:
  // Messages use the name `file`. The schema is untrusted: its expressions may only read, and no value may exceed
  // kMaxValueBytes.
  Connection(std::filesystem::path file, SQLite::Database sqlite);

  // Do not hold two leases of the same text at once.
  Lease Prepared(std::string_view sql);
  void Execute(const std::string& sql) { sqlite_.exec(sql); }
  std::int64_t IntegerOf(std::string_view sql);
  void ReleaseStatements() { statements_.clear(); }
  std::int64_t LastRowId() const { return sqlite_.getLastInsertRowid(); }

  const std::filesystem::path& file() const { return file_; }
  SQLite::Database& sqlite() { return sqlite_; }
  sqlite3* handle() const { return sqlite_.getHandle(); }

 private:
  std::filesystem::path file_;
  SQLite::Database sqlite_;
  std::map<std::string, SQLite::Statement, std::less<>> statements_;  // destroyed before sqlite_
};

// BEGIN IMMEDIATE, because a transaction that begins with a read cannot wait for another writer. Rolls back unless
// committed.
class WriteTransaction {
 public:
  explicit WriteTransaction(Connection& connection)
      : transaction_(connection.sqlite(), SQLite::TransactionBehavior::IMMEDIATE) {}
  void Commit() { transaction_.commit(); }

 private:
  SQLite::Transaction transaction_;
};

// A consistent view of a file while others may write to it. It locks the file once instead of once per statement.
// Inside a transaction it joins that transaction.
class ReadSnapshot {
 public:
  explicit ReadSnapshot(Connection& connection);

 private:
  std::optional<SQLite::Transaction> transaction_;
};

}  // namespace culprit
