// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "analysis/render/format.h"
#include "analysis/render/report.h"

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

// An empty field is a number that was not measured: the readers of CSV expect a number or nothing. Of what SQL gave it
// is NULL, and "" is an empty text.
std::string Field(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return Quote(*text);
  if (const auto* stored = std::get_if<Stored>(&cell)) {
    if (std::holds_alternative<std::monostate>(stored->value)) return "";
    const std::string text = Format(*stored);
    return text.empty() ? "\"\"" : Quote(text);
  }
  if (std::holds_alternative<Pairs>(cell)) return Quote(Format(cell));
  const Measured& value = std::get<Number>(cell).value;
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

void RenderCsv(const ReportTable& table, std::ostream& out) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) out << (c ? "," : "") << Quote(table.columns[c].key);
  out << '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out << (c ? "," : "") << Field(row[c]);
    out << '\n';
  }
}

namespace {

// Facts and findings are tables too, once nobody has to read them as prose.
ReportTable FromFacts(std::string key, const std::vector<Fact>& facts) {
  ReportTable table{std::move(key), "", {{"key", ""}, {"value", ""}}, {}, {}};
  for (const Fact& fact : facts) table.rows.push_back({Cell(fact.key), fact.value});
  return table;
}

ReportTable FromItems(std::string key, const std::vector<Item>& items) {
  ReportTable table{std::move(key), "", {{"id", ""}, {"weight_us", ""}, {"text", ""}}, {}, {}};
  for (const Item& item : items) table.rows.push_back({Cell(item.key), Cell(item.weight), Cell(item.text)});
  return table;
}

}  // namespace

void RenderCsv(const Report& report, std::ostream& out) {
  std::vector<ReportTable> tables;
  for (const Section& section : report.sections) {
    if (section.key.empty()) continue;
    if (!section.facts.empty()) tables.push_back(FromFacts(section.key, section.facts));
    for (const ReportTable& table : section.tables)
      if (!table.key.empty()) tables.push_back(table);
    if (!section.items.empty()) tables.push_back(FromItems(section.key, section.items));
  }
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables.size() > 1) out << (t ? "\n# " : "# ") << tables[t].key << '\n';
    RenderCsv(tables[t], out);
  }
}

}  // namespace culprit
