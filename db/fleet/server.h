// SPDX-License-Identifier: Apache-2.0
// A connection to a PostgreSQL server. Private to db/fleet/.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/error.h"

struct pg_conn;
struct pg_result;

namespace culprit {

// A statement failed. `state`: the SQLSTATE, five characters; empty if the connection was lost.
class ServerError : public Error {
 public:
  ServerError(const std::string& what, std::string state) : Error(what), state_(std::move(state)) {}
  bool IsLost() const { return state_.empty() || state_.starts_with("08") || state_.starts_with("57P"); }
  // Another transaction was in the way; trying again helps.
  bool IsConflict() const { return state_ == "40P01" || state_ == "40001"; }

 private:
  std::string state_;
};

// The rows of an answer, as text.
class Rows {
 public:
  explicit Rows(pg_result* result) : result_(result, Clear) {}
  int size() const;
  bool IsNull(int row, int column) const;
  std::string_view Text(int row, int column) const;  // empty for NULL
  std::int64_t Integer(int row, int column) const;   // 0 for NULL
  std::optional<double> Real(int row, int column) const;

 private:
  static void Clear(pg_result* result);
  std::unique_ptr<pg_result, void (*)(pg_result*)> result_;
};

// A parameter of a statement: text, or NULL. Arrays are text, too (ArrayOf).
using Parameter = std::optional<std::string>;

class Server {
 public:
  // `uri` as libpq takes it: "postgresql://user@host/database". Refuses a URI with a password, because other users of
  // the machine can see it; libpq reads ~/.pgpass, and certificates as PGSSLMODE and others say.
  explicit Server(const std::string& uri);
  Server(Server&&) noexcept = default;

  // `doing`: "store the run", for messages.
  Rows Query(std::string_view doing, const std::string& sql, std::span<const Parameter> parameters = {});
  Rows Query(std::string_view doing, const std::string& sql, std::initializer_list<Parameter> parameters) {
    return Query(doing, sql, std::span(parameters.begin(), parameters.size()));
  }
  // Several statements without parameters.
  void Execute(std::string_view doing, const std::string& sql);

  // COPY ... FROM STDIN: `write` calls its argument with bytes of rows in COPY's text format.
  using Put = std::function<void(std::string_view bytes)>;
  void CopyIn(std::string_view doing, const std::string& sql, const std::function<void(const Put&)>& write);
  // COPY ... TO STDOUT: calls `take` with each row.
  void CopyOut(std::string_view doing, const std::string& sql, const std::function<void(std::string_view row)>& take);

  // Runs `work` in a transaction. If it throws, nothing was stored. Tries again when another transaction was in the way.
  void InTransaction(std::string_view doing, const std::function<void()>& work);

  std::string_view ParameterStatus(const char* name) const;
  bool IsAlive() const;

 private:
  [[noreturn]] void Throw(std::string_view doing, pg_result* result);
  Rows Checked(std::string_view doing, pg_result* result);

  static void Finish(pg_conn* connection);
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
};

// An array literal: {"a","b"}; NULL for an empty optional.
std::string ArrayOf(std::span<const std::string> texts);
std::string ArrayOf(std::span<const std::int64_t> numbers);
std::string ArrayOf(std::span<const std::optional<double>> numbers);  // single precision

// Rows in COPY's text format.
class CopyRow {
 public:
  explicit CopyRow(std::string& out) : out_(out) {}
  CopyRow& Text(std::string_view text);
  CopyRow& MaybeText(const std::optional<std::string>& text) { return text ? Text(std::string_view(*text)) : Null(); }
  CopyRow& Integer(std::int64_t number);
  CopyRow& Real(std::optional<double> number);
  CopyRow& Bool(std::optional<bool> value);
  CopyRow& Bytes(std::string_view bytes);  // bytea
  CopyRow& Null();
  void End() {
    out_ += '\n';
    first_ = true;
  }

 private:
  void Next() {
    if (!first_) out_ += '\t';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

}  // namespace culprit
