// SPDX-License-Identifier: Apache-2.0
// A connection with a name for messages and a cache of prepared statements. Private to db/.
#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "db/columns.h"

namespace culprit {

// The longest text that a file may hold, in bytes: eight times the longest command line that Linux takes. It keeps what
// one value can cost in memory within reason.
constexpr int kMaxValueBytes = 16 << 20;

// The number of a cell, which must be within `range`; `where` as in BadNumber.
double NumberOf(const SQLite::Column& cell, const NumberRange& range, std::string_view where = {});

// What was read but cannot have been measured (0/0 of a ratio, an overflow) counts as not measured.
inline std::optional<double> Measurement(const std::optional<double>& value, const NumberRange& range) {
  return value && range.Holds(*value) ? value : std::nullopt;
}

// A cached statement on loan. It is reset when the loan ends, so that no read transaction outlives the call that began
// it.
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
  // Not copied: literals only.
  void BindOne(int index, const char* literal) { statement_.bindNoCopy(index, literal); }
  template <class T>
  void BindOne(int index, const std::optional<T>& value) {
    if (value) {
      BindOne(index, *value);
    } else {
      statement_.bind(index);
    }
  }

  bool Step() { return statement_.executeStep(); }
  // For a row that another one refers to; `what` as in "a device". Throws BadRow.
  void NeedRow(std::string_view what);
  void Reset() { statement_.reset(); }
  // Runs to the end and makes the statement ready for the next Bind.
  void Run() {
    while (Step()) {
    }
    statement_.reset();
  }

  bool IsNull(int column) const { return statement_.isColumnNull(column); }
  std::int64_t Integer(int column) const { return statement_.getColumn(column).getInt64(); }
  int Int(int column) const { return statement_.getColumn(column).getInt(); }
  // A number that the file must hold, and one that it may lack; both throw BadNumber for anything else than a number in
  // that range. Every number that is judged or shown comes through these.
  double Real(int column, const NumberRange& range) const;
  std::optional<double> MaybeReal(int column, const NumberRange& range) const {
    return IsNull(column) ? std::nullopt : std::optional<double>(Real(column, range));
  }
  std::int64_t Integer(int column, const NumberRange& range) const {
    return static_cast<std::int64_t>(Real(column, range));
  }
  int Int(int column, const NumberRange& range) const { return static_cast<int>(Real(column, range)); }
  // Of a row of SelectText: a number must be within its column's range, where that has one.
  double Real(Place at) const { return Real(at.index, *at.range); }
  std::optional<double> MaybeReal(Place at) const { return MaybeReal(at.index, *at.range); }
  std::int64_t Integer(Place at) const { return at.range ? Integer(at.index, *at.range) : Integer(at.index); }
  int Int(Place at) const { return at.range ? Int(at.index, *at.range) : Int(at.index); }
  std::string Text(Place at) const { return Text(at.index); }
  std::optional<std::string> MaybeText(Place at) const { return MaybeText(at.index); }
  bool IsNull(Place at) const { return IsNull(at.index); }
  std::string Text(int column) const { return statement_.getColumn(column).getString(); }
  std::optional<std::string> MaybeText(int column) const {
    return IsNull(column) ? std::nullopt : std::optional<std::string>(Text(column));
  }
  SQLite::Statement& statement() { return statement_; }

 private:
  SQLite::Statement& statement_;
};

class Connection {
 public:
  // `file` is how the user named it: what messages say. The file's schema may be anybody's: what it computes gets no
  // more rights than reading, and a value no more room than kMaxValueBytes.
  Connection(std::filesystem::path file, SQLite::Database sqlite);

  // Two leases of the same text must not be alive at once.
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
  std::map<std::string, SQLite::Statement, std::less<>> statements_;  // goes before sqlite_
};

// BEGIN IMMEDIATE: a transaction that starts by reading could not wait for another writer. Rolls back unless committed.
class WriteTransaction {
 public:
  explicit WriteTransaction(Connection& connection)
      : transaction_(connection.sqlite(), SQLite::TransactionBehavior::IMMEDIATE) {}
  void Commit() { transaction_.commit(); }

 private:
  SQLite::Transaction transaction_;
};

// One moment of a file that may be written to meanwhile, for all that is read while it lives; and a lock of the file
// once, not for each statement. Within a transaction it is a part of that.
class ReadSnapshot {
 public:
  explicit ReadSnapshot(Connection& connection);

 private:
  std::optional<SQLite::Transaction> transaction_;
};

}  // namespace culprit
