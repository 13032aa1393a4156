// SPDX-License-Identifier: Apache-2.0
#include "db/fleet/server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utf8proc.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "db/fleet/fleet.h"
#include "db/fleet/libpq.h"

namespace culprit {
namespace {

constexpr int kTries = 5;
constexpr std::string_view kUri = "postgresql://", kShortUri = "postgres://";

// "FATAL:  database "x" does not exist\n" without the newline; several lines become one.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text)
    if (c != '\n' || (!line.empty() && line.back() != ' ')) line += c == '\n' || c == '\t' ? ' ' : c;
  while (line.ends_with(' ') || line.ends_with('.')) line.pop_back();
  return line;
}

void RefusePassword(const std::string& uri) {
  const Libpq& pq = Postgres();
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      pq.PQconninfoParse(uri.c_str(), &complaint), [](PQconninfoOption* o) { Postgres().PQconninfoFree(o); });
  if (!options) {
    // libpq's message quotes what it cannot read, which may be a password.
    if (complaint != nullptr) pq.PQfreemem(complaint);
    throw Error("this is no URI of a server; one is postgresql://user@host:5432/database.");
  }
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr &&
        (std::string_view(option->keyword) == "password" || std::string_view(option->keyword) == "sslpassword"))
      throw Error(
          "the server's URI has a password, which others can see; write it into ~/.pgpass (mode 0600) instead.");
}

std::string Advice(std::string_view state) {
  if (state == "42501") return "; ask who maintains it for the role (docs/fleet.md#roles)";
  if (state == "3F000" || state == "42P01") return "; run 'culprit setup' with its URI first";
  if (state == "53100") return "; its disk is full, make room and try again";
  return "";
}

}  // namespace

bool IsServer(std::string_view name) { return name.starts_with(kUri) || name.starts_with(kShortUri); }

void Rows::Clear(pg_result* result) { Postgres().PQclear(result); }
int Rows::size() const { return Postgres().PQntuples(result_.get()); }
bool Rows::IsNull(int row, int column) const { return Postgres().PQgetisnull(result_.get(), row, column) != 0; }
std::string_view Rows::Text(int row, int column) const {
  return {Postgres().PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(Postgres().PQgetlength(result_.get(), row, column))};
}
std::int64_t Rows::Integer(int row, int column) const {
  std::int64_t number = 0;
  const std::string_view text = Text(row, column);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}
std::optional<double> Rows::Real(int row, int column) const {
  if (IsNull(row, column)) return std::nullopt;
  double number = 0;
  const std::string_view text = Text(row, column);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void Server::Finish(pg_conn* connection) { Postgres().PQfinish(connection); }

Server::Server(const std::string& uri) : connection_(nullptr, Finish) {
  if (!IsServer(uri)) throw Error("a server's URI begins with postgresql://; see docs/fleet.md.");
  RefusePassword(uri);
  // The URI comes after the defaults, so it may set them.
  const std::array<const char*, 7> names = {"connect_timeout",
                                            "tcp_user_timeout",
                                            "fallback_application_name",
                                            "dbname",
                                            "client_encoding",
                                            "options",
                                            nullptr};
  const std::array<const char*, 7> values = {"10", "60000", "culprit", uri.c_str(), "UTF8", nullptr, nullptr};
  connection_.reset(Postgres().PQconnectdbParams(names.data(), values.data(), 1));
  if (Postgres().PQstatus(connection_.get()) != CONNECTION_OK)
    throw ServerError(
        fmt::format("cannot connect to the server: {}", OneLine(Postgres().PQerrorMessage(connection_.get()))), "");
  Postgres().PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  if (ParameterStatus("server_encoding") != "UTF8")
    throw Error("the server's database is not encoded in UTF-8; create one with 'createdb --encoding=UTF8'.");
  Execute("begin",
          "SET search_path = culprit; SET standard_conforming_strings = on; SET DateStyle = ISO; SET TimeZone = 'UTC'; "
          "SET bytea_output = hex; SET extra_float_digits = 1");
}

std::string_view Server::ParameterStatus(const char* name) const {
  const char* const value = Postgres().PQparameterStatus(connection_.get(), name);
  return value == nullptr ? "" : value;
}

bool Server::IsAlive() const { return Postgres().PQstatus(connection_.get()) == CONNECTION_OK; }

void Server::Throw(std::string_view doing, pg_result* result) {
  const Libpq& pq = Postgres();
  const char* const state = result == nullptr ? nullptr : pq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const message = result == nullptr ? nullptr : pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string code = state == nullptr ? "" : state;
  const bool lost = pq.PQstatus(connection_.get()) != CONNECTION_OK;
  const std::string why = OneLine(message != nullptr ? message : pq.PQerrorMessage(connection_.get()));
  if (result != nullptr) pq.PQclear(result);
  if (lost) throw ServerError(fmt::format("the connection to the server broke while it was to {}: {}", doing, why), "");
  throw ServerError(fmt::format("the server could not {}: {}{}", doing, why, Advice(code)), code);
}

Rows Server::Checked(std::string_view doing, pg_result* result) {
  const ExecStatusType status = result == nullptr ? PGRES_FATAL_ERROR : Postgres().PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) Throw(doing, result);
  return Rows(result);
}

Rows Server::Query(std::string_view doing, const std::string& sql, std::span<const Parameter> parameters) {
  std::vector<const char*> values;
  for (const Parameter& parameter : parameters) values.push_back(parameter ? parameter->c_str() : nullptr);
  return Checked(doing, Postgres().PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()),
                                                nullptr, values.data(), nullptr, nullptr, 0));
}

void Server::Execute(std::string_view doing, const std::string& sql) {
  Checked(doing, Postgres().PQexec(connection_.get(), sql.c_str()));
}

void Server::CopyIn(std::string_view doing, const std::string& sql, const std::function<void(const Put&)>& write) {
  const Libpq& pq = Postgres();
  pg_result* const begun = pq.PQexec(connection_.get(), sql.c_str());
  if (begun == nullptr || pq.PQresultStatus(begun) != PGRES_COPY_IN) Throw(doing, begun);
  pq.PQclear(begun);
  const auto finish = [&](const char* why) {
    if (pq.PQputCopyEnd(connection_.get(), why) != 1) Throw(doing, nullptr);
    pg_result* const result = pq.PQgetResult(connection_.get());
    if (result == nullptr || pq.PQresultStatus(result) != PGRES_COMMAND_OK) {
      pg_result* left = nullptr;
      while ((left = pq.PQgetResult(connection_.get())) != nullptr) pq.PQclear(left);
      if (why == nullptr) Throw(doing, result);
    }
    if (result != nullptr) pq.PQclear(result);
    pg_result* left = nullptr;
    while ((left = pq.PQgetResult(connection_.get())) != nullptr) pq.PQclear(left);
  };
  try {
    write([&](std::string_view bytes) {
      if (!bytes.empty() && pq.PQputCopyData(connection_.get(), bytes.data(), static_cast<int>(bytes.size())) != 1)
        Throw(doing, nullptr);
    });
  } catch (const ServerError&) {
    throw;
  } catch (...) {
    finish("given up");
    throw;
  }
  finish(nullptr);
}

void Server::CopyOut(std::string_view doing, const std::string& sql,
                     const std::function<void(std::string_view row)>& take) {
  const Libpq& pq = Postgres();
  pg_result* const begun = pq.PQexec(connection_.get(), sql.c_str());
  if (begun == nullptr || pq.PQresultStatus(begun) != PGRES_COPY_OUT) Throw(doing, begun);
  pq.PQclear(begun);
  char* row = nullptr;
  int bytes = 0;
  while ((bytes = pq.PQgetCopyData(connection_.get(), &row, 0)) > 0) {
    const std::unique_ptr<char, void (*)(void*)> owned(row, pq.PQfreemem);
    take({row, static_cast<std::size_t>(bytes)});
  }
  pg_result* const result = pq.PQgetResult(connection_.get());
  if (bytes == -2 || result == nullptr || pq.PQresultStatus(result) != PGRES_COMMAND_OK) Throw(doing, result);
  pq.PQclear(result);
  pg_result* left = nullptr;
  while ((left = pq.PQgetResult(connection_.get())) != nullptr) pq.PQclear(left);
}

void Server::InTransaction(std::string_view doing, const std::function<void()>& work) {
  for (int tries = 1;; ++tries) {
    try {
      Execute(doing, "BEGIN");
      work();
      Execute(doing, "COMMIT");
      return;
    } catch (const ServerError& error) {
      if (error.IsLost()) throw;
      Execute("undo what it began", "ROLLBACK");
      if (!error.IsConflict() || tries == kTries) throw;
    } catch (...) {
      Execute("undo what it began", "ROLLBACK");
      throw;
    }
  }
}

namespace {
template <class List, class Write>
std::string Array(const List& list, Write write) {
  std::string text = "{";
  for (const auto& one : list) {
    if (text.size() > 1) text += ',';
    write(text, one);
  }
  return text + "}";
}

void AppendReal(std::string& out, double number, bool single) {
  char digits[32];
  const auto end = single ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(number)).ptr
                          : std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}
}  // namespace

std::string ArrayOf(std::span<const std::string> texts) {
  return Array(texts, [](std::string& out, const std::string& text) {
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  });
}
std::string ArrayOf(std::span<const std::int64_t> numbers) {
  return Array(numbers, [](std::string& out, std::int64_t number) { out += std::to_string(number); });
}
std::string ArrayOf(std::span<const std::optional<double>> numbers) {
  return Array(numbers, [](std::string& out, const std::optional<double>& number) {
    if (number)
      AppendReal(out, *number, true);
    else
      out += "NULL";
  });
}

std::string AsUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t point = 0;
    const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                        static_cast<utf8proc_ssize_t>(text.size()), &point);
    const bool is_valid = bytes > 0 && point != 0;
    valid.append(is_valid ? text.substr(0, static_cast<std::size_t>(bytes)) : "\xEF\xBF\xBD");
    text.remove_prefix(bytes > 0 ? static_cast<std::size_t>(bytes) : 1);
  }
  return valid;
}

CopyRow& CopyRow::Text(std::string_view text) {
  Next();
  for (const char c : text) {
    switch (c) {
      case '\\':
        out_ += "\\\\";
        break;
      case '\n':
        out_ += "\\n";
        break;
      case '\r':
        out_ += "\\r";
        break;
      case '\t':
        out_ += "\\t";
        break;
      default:
        out_ += c;
    }
  }
  return *this;
}
CopyRow& CopyRow::Integer(std::int64_t number) {
  Next();
  out_ += std::to_string(number);
  return *this;
}
CopyRow& CopyRow::Real(std::optional<double> number) {
  if (!number) return Null();
  Next();
  AppendReal(out_, *number, false);
  return *this;
}
CopyRow& CopyRow::Bool(std::optional<bool> value) {
  if (!value) return Null();
  Next();
  out_ += *value ? 't' : 'f';
  return *this;
}
CopyRow& CopyRow::Bytes(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  Next();
  out_.reserve(out_.size() + 2 * bytes.size() + 3);
  out_ += "\\\\x";
  for (const char c : bytes) {
    out_ += kHex[static_cast<unsigned char>(c) >> 4];
    out_ += kHex[static_cast<unsigned char>(c) & 15];
  }
  return *this;
}
CopyRow& CopyRow::Null() {
  Next();
  out_ += "\\N";
  return *this;
}

}  // namespace culprit
