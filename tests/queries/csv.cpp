// SPDX-License-Identifier: Apache-2.0
#include "tests/queries/csv.h"

#include <fmt/format.h>

namespace culprit {
namespace {

std::string Cell(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.10g}", *real);
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return {};
  if (!text->empty() && text->find_first_of(",\"\n") == text->npos) return *text;
  std::string quoted = "\"";
  for (const char c : *text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string ToCsv(const Table& table) {
  std::string csv;
  for (std::size_t i = 0; i < table.columns.size(); ++i) csv += (i ? "," : "") + table.columns[i];
  csv += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) csv += (i ? "," : "") + Cell(row[i]);
    csv += '\n';
  }
  return csv;
}

}  // namespace culprit
