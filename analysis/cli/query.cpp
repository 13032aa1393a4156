// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/query_output.h"
#include "analysis/cli/suggest.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  std::string sql;
  std::vector<std::string> parameters;
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
  if (const auto real = Whole<double>(text)) return *real;
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

std::string Resolve(const std::string& sql) {
  if (!sql.starts_with('@')) return sql;
  const std::string name = sql.substr(1);
  if (const NamedQuery* query = FindNamedQuery(name)) return std::string(query->sql);
  std::vector<std::string> names;
  for (const NamedQuery& query : NamedQueries()) names.emplace_back(query.name);
  throw Error(UnknownMessage("query", name, names));
}

Table List() {
  Table table{{"name", "summary"}, {}};
  for (const NamedQuery& query : NamedQueries())
    table.rows.push_back({"@" + std::string(query.name), std::string(query.summary)});
  return table;
}

}  // namespace

Action AddQuery(CLI::App& app) {
  auto args = std::make_shared<Arguments>();
  app.add_option("SQL", args->sql, "one read-only statement, or @name of a named one");
  app.add_option("--param", args->parameters, "value of :name in the statement, as name=value; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--list", args->list, "list the named queries");
  AddDatabaseOption(app, args->db);
  AddOutputOptions(app, args->output);
  return [args](Streams& streams) {
    const std::string format = args->output.json ? "json" : args->output.format;
    if (args->list) return RenderQuery(List(), format, streams.out);
    if (args->sql.empty()) throw Error("query needs an SQL statement or @name (see 'culprit query --list').");
    const std::string sql = Resolve(args->sql);
    const Database database = Database::OpenForReading(args->db.File());
    RenderQuery(database.Query(sql, ParseParameters(args->parameters)), format, streams.out);
  };
}

}  // namespace culprit
