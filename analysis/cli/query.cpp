// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "db/query_limits.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::string sql;
  std::vector<std::string> parameters;
  int most_seconds = 60;
  bool list = false;
};

template <class T>
std::optional<T> Whole(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Value ParseValue(const std::string& text) {
  if (const auto integer = Whole<std::int64_t>(text)) return *integer;
  // "inf" and "nan" are names.
  if (const auto real = Whole<double>(text); real && std::isfinite(*real)) return *real;
  return text;
}

Parameters ParseParameters(const std::vector<std::string>& words) {
  Parameters parameters;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == word.npos || equals == 0) throw Error("--param takes name=value, not '" + word + "'.");
    std::string name = word.substr(0, equals);
    if (name.front() != ':') name.insert(0, ":");
    parameters.emplace_back(std::move(name), ParseValue(word.substr(equals + 1)));
  }
  return parameters;
}

const NamedQuery& Find(const std::string& name) {
  if (const NamedQuery* query = FindNamedQuery(name)) return *query;
  throw Error(UnknownMessage("query", name, TextsOf(NamedQueries(), &NamedQuery::name), "'culprit query --list'"));
}

Table Run(const Arguments& args) {
  const Parameters parameters = ParseParameters(args.parameters);
  const LimitQueries limits({.time = std::chrono::seconds(args.most_seconds)});
  if (!args.sql.starts_with('@')) return Database::OpenForReading(args.db).Query(args.sql, parameters);
  const NamedQuery& query = Find(args.sql.substr(1));
  return Database::OpenForReading(args.db).Query(query, parameters);
}

Table List() {
  Table table{{"name", "summary"}, {}};
  for (const NamedQuery& query : NamedQueries())
    table.rows.push_back({"@" + std::string(query.name), std::string(query.summary)});
  return table;
}

Report AsStored(Table table) {
  ReportTable stored{"rows", "", {}};
  for (const std::string& column : table.columns) stored.columns.push_back({column, column});
  for (auto& row : table.rows) {
    auto& cells = stored.rows.emplace_back();
    for (Value& value : row) cells.push_back(Stored{std::move(value)});
    row = {};  // a large result should not be there twice
  }
  Report report;
  report.bare = true;
  report.sections.push_back({"query", "", {}, {std::move(stored)}});
  return report;
}

}  // namespace

Action AddQuery(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("SQL", &args->sql, "one read-only statement, or @name of a named one", {.words = "queries"});
  syntax.Add("--param", &args->parameters, "value of :name in the statement, as name=value; may be repeated",
             {.value = "NAME=VALUE"});
  syntax.Add("--max-seconds", &args->most_seconds, "stop the statement after this time (default: 60)",
             {.value = "N", .least = 1, .most = 60});
  syntax.Add("--list", &args->list, "list the named queries");
  AddReportOptions(syntax, *args);
  return [args](Streams& streams) {
    if (!args->list && args->sql.empty())
      throw Error("query needs an SQL statement or @name (see 'culprit query --list').");
    Render(AsStored(args->list ? List() : Run(*args)), args->output, streams);
  };
}

}  // namespace culprit
