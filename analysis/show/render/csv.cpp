// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/report.h"

namespace culprit {
namespace {

// RFC 4180.
std::string Quote(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// An empty field is a number that was not measured, because CSV readers expect a number or nothing. For SQL values it
// is NULL, and "" is an empty text.
std::string Field(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return Quote(*text);
  if (const auto* stored = std::get_if<Stored>(&cell)) {
    if (std::holds_alternative<std::monostate>(stored->value)) return "";
    const std::string text = InFull(*stored);
    return text.empty() ? "\"\"" : Quote(text);
  }
  if (std::holds_alternative<Pairs>(cell)) return Quote(Format(cell));
  const Measured& value = std::get<Number>(cell).value;
  return value ? fmt::format("{}", *value) : "";
}

void Write(const ReportTable& table, std::ostream& out) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) out << (c ? "," : "") << Quote(table.columns[c].key);
  out << '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out << (c ? "," : "") << Field(row[c]);
    out << '\n';
  }
}

// Facts and findings become tables too.
ReportTable FromFacts(const Section& section) {
  ReportTable table{section.key};
  if (!section.repeated) {
    table.columns = {{"key"}, {"value"}};
    for (const Fact& fact : section.facts) table.rows.push_back({fact.key, fact.value});
    return table;
  }
  auto& row = table.rows.emplace_back();
  for (const Fact& fact : section.facts) {
    table.columns.push_back({fact.key});
    row.push_back(fact.value);
  }
  return table;
}

ReportTable FromItems(const Section& section) {
  ReportTable table{section.key + ".items", "", {{"id"}, {"weight_us"}, {"text"}}};
  for (const Item& item : section.items) table.rows.push_back({item.key, item.weight, item.text});
  return table;
}

std::size_t PlaceOf(const std::string& column, const ReportTable& table) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, column, &Column::key) - table.columns.begin());
}

// When a section occurs several times, each row names its own by the section's first fact.
ReportTable FromTable(const Section& section, const ReportTable& given) {
  ReportTable table = given;
  table.key = section.key + "." + given.key;
  if (!section.repeated || section.facts.empty()) return table;
  const Fact& which = section.facts.front();
  if (PlaceOf(which.key, table) < table.columns.size()) return table;
  table.columns.insert(table.columns.begin(), {which.key, ""});
  for (auto& row : table.rows) row.insert(row.begin(), which.value);
  return table;
}

// Missing columns stay empty.
void Append(const ReportTable& more, ReportTable& table) {
  for (const Column& column : more.columns)
    if (PlaceOf(column.key, table) == table.columns.size()) table.columns.push_back(column);
  for (auto& row : table.rows) row.resize(table.columns.size(), Number{});
  for (const auto& row : more.rows) {
    auto& cells = table.rows.emplace_back(table.columns.size(), Number{});
    for (std::size_t c = 0; c < row.size(); ++c) cells[PlaceOf(more.columns[c].key, table)] = row[c];
  }
}

std::vector<ReportTable> TablesOf(const Report& report) {
  std::vector<ReportTable> tables;
  const auto add = [&](ReportTable table) {
    const auto known = std::ranges::find(tables, table.key, &ReportTable::key);
    if (known == tables.end())
      tables.push_back(std::move(table));
    else
      Append(table, *known);
  };
  for (const Section& section : report.sections) {
    if (section.key.empty()) continue;
    if (!section.facts.empty()) add(FromFacts(section));
    for (const ReportTable& table : section.tables)
      if (!table.key.empty()) add(FromTable(section, table));
    if (!section.items.empty() || section.itemised) add(FromItems(section));
  }
  return tables;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  return lower;
}

// The table under a heading that people see: of several, the first with a name; else the one for people.
std::optional<ReportTable> Below(const Section& section, const std::vector<ReportTable>& tables) {
  const auto named = [&](const std::string& key) -> std::optional<ReportTable> {
    const auto table = std::ranges::find(tables, key, &ReportTable::key);
    return table == tables.end() ? std::nullopt : std::optional(*table);
  };
  if (!section.key.empty())
    for (const ReportTable& table : section.tables)
      if (!table.key.empty()) return named(section.key + "." + table.key);
  if (!section.items.empty() || section.itemised) {
    if (auto table = named(section.key + ".items")) return table;
    return FromItems(section);
  }
  if (section.tables.empty()) return named(section.key);
  ReportTable table = section.tables.front();
  for (Column& column : table.columns)
    if (column.key.empty()) column.key = column.title;
  return table;
}

// Finds a table by its name in any case, or by an unambiguous prefix: "findings" is findings.items. Else by the heading
// that people see, or its prefix. Else by the last part of its name: "runs" is list.runs.
ReportTable Named(const Report& report, std::string_view given, const std::vector<ReportTable>& tables) {
  const std::string wanted = Lower(given);
  std::vector<std::pair<std::string, const ReportTable*>> fitting;
  for (const ReportTable& table : tables) {
    if (Lower(table.key) == wanted) return table;
    if (Lower(table.key).starts_with(wanted)) fitting.emplace_back(table.key, &table);
  }
  std::vector<std::pair<std::string, ReportTable>> headed;
  for (const Section& section : report.sections)
    if (!section.title.empty() &&
        (Lower(section.title) == wanted || (fitting.size() != 1 && Lower(section.title).starts_with(wanted))))
      if (auto table = Below(section, tables)) headed.emplace_back("'" + section.title + "'", *std::move(table));
  if (fitting.empty() && headed.empty())
    for (const ReportTable& table : tables)
      if (Lower(table.key).ends_with("." + wanted)) fitting.emplace_back(table.key, &table);
  if (fitting.size() == 1) return *fitting.front().second;
  if (headed.size() == 1) return std::move(headed.front().second);
  if (fitting.empty() && headed.empty())
    throw Error(fmt::format("there is no table '{}' here: name one of {}.", given, Joined(tables, &ReportTable::key)));
  const auto name = [](const auto& pair) { return pair.first; };
  throw Error(fmt::format("'{}' may be {} tables here: name one of {}.", given,
                          fitting.empty() ? headed.size() : fitting.size(),
                          fitting.empty() ? Joined(headed, name) : Joined(fitting, name)));
}

}  // namespace

void RenderCsv(const Report& report, std::ostream& out, std::string_view wanted) {
  if (report.bare && wanted.empty()) return Write(report.sections.at(0).tables.at(0), out);
  const std::vector<ReportTable> tables = TablesOf(report);
  if (!wanted.empty()) return Write(Named(report, wanted, tables), out);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables.size() > 1) out << (t ? "\n# " : "# ") << tables[t].key << '\n';
    Write(tables[t], out);
  }
}

}  // namespace culprit
