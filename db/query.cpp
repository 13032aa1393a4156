// SPDX-License-Identifier: Apache-2.0
// Runs one read-only statement, which may be foreign.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/query_limits.h"

namespace culprit {
namespace {

// PRAGMAs that only read, with or without an argument.
constexpr auto kReadingPragmas = std::to_array<std::string_view>(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
     "foreign_key_check", "integrity_check", "quick_check", "function_list", "pragma_list", "compile_options",
     "database_list", "collation_list"});
// PRAGMAs that read without an argument and write with one.
constexpr auto kReadingPragmasWithoutValue =
    std::to_array<std::string_view>({"user_version", "application_id", "schema_version", "page_count", "page_size",
                                     "freelist_count", "encoding", "journal_mode", "data_version"});

bool MayPragma(std::string_view name, const char* value) {
  const auto has = [&](const auto& list) { return std::find(list.begin(), list.end(), name) != list.end(); };
  return has(kReadingPragmas) || (!value && has(kReadingPragmasWithoutValue));
}

// `context` receives the refused operation.
int Authorize(void* context, int action, const char* first, const char* second, const char*, const char*) {
  const auto refuse = [&](std::string what) {
    *static_cast<std::string*>(context) = std::move(what);
    return SQLITE_DENY;
  };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION: {
      const std::string_view function = second ? second : "";
      return function == "load_extension" || function == "fts3_tokenizer"
                 ? refuse(fmt::format("the function {}", function))
                 : SQLITE_OK;
    }
    case SQLITE_UPDATE:
      // The first use of json_each and pragma_table_info() looks like this. A real write is not read-only and is
      // refused later.
      return std::string_view(first) == "sqlite_master" ? SQLITE_OK : refuse("a statement that writes");
    case SQLITE_PRAGMA:
      return MayPragma(first, second) ? SQLITE_OK : refuse(fmt::format("PRAGMA {}", first));
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return refuse("attaching another file");
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return refuse("a transaction");
    default:
      return refuse("a statement that writes");
  }
}

// Allows only reading while it lives, even when a step prepares the statement again.
class ReadOnlyRule {
 public:
  explicit ReadOnlyRule(sqlite3* handle) : handle_(handle) { sqlite3_set_authorizer(handle_, Authorize, &refused_); }
  ~ReadOnlyRule() { sqlite3_set_authorizer(handle_, nullptr, nullptr); }
  ReadOnlyRule(const ReadOnlyRule&) = delete;
  ReadOnlyRule& operator=(const ReadOnlyRule&) = delete;
  const std::string& refused() const { return refused_; }

 private:
  sqlite3* handle_;
  std::string refused_;
};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

std::string Refusal(std::string_view what) {
  return fmt::format("a query only reads, {} is refused: use sqlite3 on a copy of the file", what);
}

// "line 2, column 8"; empty when SQLite does not know.
std::string PlaceOf(std::string_view sql, int offset) {
  if (offset < 0 || static_cast<std::size_t>(offset) > sql.size()) return {};
  const std::string_view before = sql.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto newline = before.rfind('\n');
  const auto column = newline == before.npos ? before.size() + 1 : before.size() - newline;
  return fmt::format(" at line {}, column {}", line, column);
}

// Null for a text of blanks and comments. `tail` is the text after the statement.
Statement Prepare(sqlite3* handle, std::string_view sql, std::string_view& tail, const ReadOnlyRule& rule) {
  sqlite3_stmt* raw = nullptr;
  const char* end = nullptr;
  const int rc = sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &raw, &end);
  Statement statement(raw);
  if (rc == SQLITE_AUTH && !rule.refused().empty()) throw Error(Refusal(rule.refused()));
  if (rc == SQLITE_ERROR)
    throw Error(fmt::format("the query has an error{}: {}", PlaceOf(sql, sqlite3_error_offset(handle)),
                            sqlite3_errmsg(handle)));
  if (rc != SQLITE_OK) throw SQLite::Exception(handle, rc);
  tail = sql.substr(end - sql.data());
  return statement;
}

void BindValue(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, index, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_bind_null(statement, index);
  }
}

// A missing value would be NULL, and `WHERE run_id = NULL` would silently give an empty result.
void RefuseMissing(sqlite3_stmt* statement, const Parameters& parameters) {
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
    const char* name = sqlite3_bind_parameter_name(statement, i);
    if (!name || *name != ':')
      throw Error(
          fmt::format("the query has a parameter {}: write it as :name, and give its value with --param "
                      "name=VALUE",
                      name ? name : "?"));
    const bool given = std::any_of(parameters.begin(), parameters.end(), [&](const auto& parameter) {
      return parameter.first == name || parameter.first == name + 1;
    });
    if (!given) throw Error(fmt::format("the query's {} has no value: give it with --param {}=VALUE", name, name + 1));
  }
}

void BindAll(sqlite3_stmt* statement, const Parameters& parameters) {
  for (const auto& [name, value] : parameters) {
    const std::string full = name.starts_with(':') ? name : ':' + name;
    if (const int index = sqlite3_bind_parameter_index(statement, full.c_str())) {
      BindValue(statement, index, value);
      continue;
    }
    std::vector<std::string> known;
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i)
      if (const char* parameter = sqlite3_bind_parameter_name(statement, i)) known.push_back(parameter);
    throw Error(fmt::format("the query has no parameter {}: {}", full,
                            known.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(known, ", "))));
  }
}

std::string Hex(const void* bytes, int size) {
  std::string text = "x'";
  for (int i = 0; i < size; ++i) text += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  return text + '\'';
}

Value ValueOf(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_BLOB: {
      const void* bytes = sqlite3_column_blob(statement, column);
      return Hex(bytes, sqlite3_column_bytes(statement, column));
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, sqlite3_column_bytes(statement, column));
    }
  }
}

thread_local LimitQueries* innermost = nullptr;

QueryLimits LimitsNow() { return innermost != nullptr ? innermost->limits() : QueryLimits(); }

// While it lives, stops statements that take longer than the limits allow.
class Deadline {
 public:
  Deadline(sqlite3* handle, const QueryLimits& limits) : handle_(handle), stopped_(limits.stopped) {
    constexpr int kInstructionsBetweenLooks = 100'000;  // about a millisecond
    end_ += limits.time;
    sqlite3_progress_handler(
        handle_, kInstructionsBetweenLooks, [](void* self) { return static_cast<Deadline*>(self)->IsOver() ? 1 : 0; },
        this);
  }
  ~Deadline() { sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  bool IsOver() const { return std::chrono::steady_clock::now() > end_ || (stopped_ && stopped_()); }

  sqlite3* handle_;
  std::function<bool()> stopped_;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now();
};

Table Run(sqlite3* handle, sqlite3_stmt* statement, const ReadOnlyRule& rule, const QueryLimits& limits) {
  Table table;
  const int columns = sqlite3_column_count(statement);
  for (int i = 0; i < columns; ++i) table.columns.emplace_back(sqlite3_column_name(statement, i));
  int rc = SQLITE_ROW;
  while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
    if (table.rows.size() * columns > limits.values)
      throw Error(fmt::format("the query gives more than {} million values: add a LIMIT, or run it with sqlite3",
                              limits.values / kMillion));
    auto& row = table.rows.emplace_back();
    row.reserve(columns);
    for (int i = 0; i < columns; ++i) row.push_back(ValueOf(statement, i));
  }
  if (rc == SQLITE_AUTH && !rule.refused().empty()) throw Error(Refusal(rule.refused()));
  if (rc == SQLITE_INTERRUPT)
    throw Error(fmt::format("the query took longer than {} s and was stopped: narrow it, or run it with sqlite3",
                            limits.time.count()));
  if (rc == SQLITE_ERROR) throw Error(fmt::format("the query failed: {}", sqlite3_errmsg(handle)));
  if (rc != SQLITE_DONE) throw SQLite::Exception(handle, rc);
  return table;
}

enum class NotGiven { kIsAnError, kIsNull };

Table Query(Connection& connection, std::string_view sql, const Parameters& parameters, NotGiven not_given) {
  return Saying(connection.file(), "run the query", [&] {
    sqlite3* handle = connection.handle();
    if (sql.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error("the query is too long: SQLite takes 1 GB");
    const ReadOnlyRule rule(handle);
    std::string_view tail;
    const Statement statement = Prepare(handle, sql, tail, rule);
    if (!statement) throw Error("the query is empty: write one SELECT, or name a shipped one as @name");
    while (!tail.empty()) {
      std::string_view rest;
      if (Prepare(handle, tail, rest, rule)) throw Error("a query is one statement: run the second one on its own");
      tail = rest;
    }
    if (!sqlite3_stmt_readonly(statement.get())) throw Error(Refusal("a statement that writes"));
    BindAll(statement.get(), parameters);
    if (not_given == NotGiven::kIsAnError) RefuseMissing(statement.get(), parameters);
    const QueryLimits limits = LimitsNow();
    const Deadline deadline(handle, limits);
    return Run(handle, statement.get(), rule, limits);
  });
}

}  // namespace

LimitQueries::LimitQueries(QueryLimits limits) : limits_(std::move(limits)), outer_(std::exchange(innermost, this)) {
  if (outer_ == nullptr) return;
  limits_.time = std::min(limits_.time, outer_->limits_.time);
  limits_.values = std::min(limits_.values, outer_->limits_.values);
  if (!limits_.stopped) limits_.stopped = outer_->limits_.stopped;
}

LimitQueries::~LimitQueries() { innermost = outer_; }

Table Database::Query(std::string_view sql, const Parameters& parameters) const {
  return culprit::Query(impl_->connection, sql, parameters, NotGiven::kIsAnError);
}

Table Database::Query(const NamedQuery& query, const Parameters& parameters) const {
  return culprit::Query(impl_->connection, query.sql, parameters, NotGiven::kIsNull);
}

}  // namespace culprit
