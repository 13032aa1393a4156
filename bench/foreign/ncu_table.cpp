// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bench/foreign/ncu_csv.h"
#include "bench/foreign/ncu_opcodes.h"
#include "db/error.h"

namespace culprit {
namespace {

constexpr std::string_view kFirstColumn = "ID", kKernel = "Kernel Name";
constexpr std::string_view kHowToMake = "make it with ncu --csv --page raw --print-units base";

bool IsMessage(std::string_view line) {
  return line.starts_with("==PROF==") || line.starts_with("==ERROR==") || line.starts_with("==WARNING==");
}

bool IsHeader(std::string_view line) {
  return (line.starts_with("\"ID\",") || line.starts_with("ID,")) && line.find(kKernel) != line.npos;
}

// "==PROF== Connected to process 4711 (/home/me/program)"
std::optional<std::string_view> ProgramIn(std::string_view line) {
  if (!line.starts_with("==PROF== Connected to process ")) return std::nullopt;
  const auto open = line.find('('), close = line.rfind(')');
  if (open == line.npos || close == line.npos || close < open) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

// A row of values begins with ncu's number of the launch, one of units with nothing.
bool IsRow(std::string_view line, bool is_quoted) {
  if (is_quoted) return line.starts_with('"');
  return line.starts_with(',') || (!line.empty() && line[0] >= '0' && line[0] <= '9');
}

// Of a line that need not be one of a table: how many fields it would have.
std::size_t QuotedFields(std::string_view line) {
  constexpr std::string_view kBetween = "\",\"";
  std::size_t fields = 1;
  for (auto at = line.find(kBetween); at != line.npos; at = line.find(kBetween, at + kBetween.size())) ++fields;
  return fields;
}

// Names of metrics begin with a small letter or have a dot, as those of other columns do not.
bool IsMetric(std::string_view column) {
  return column.find('.') != column.npos || (!column.empty() && column[0] >= 'a' && column[0] <= 'z');
}

// With --print-metric-instances, what a metric counted at each instruction or time follows its total. This is most of a
// report, and only counts by opcode are read.
void DropInstances(const std::vector<std::string>& columns, CsvRow& row) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string& field = row.fields[i];
    const bool has_number = !field.empty() && (field[0] == '(' || (field[0] >= '0' && field[0] <= '9'));
    if (!has_number || !IsMetric(columns[i]) || columns[i] == kExecutedByOpcode || columns[i] == kThreadsByOpcode)
      continue;
    if (const auto open = field.find(" ("); open != field.npos) {
      field.resize(open);
      field.shrink_to_fit();
    }
  }
}

[[noreturn]] void NoTable(std::string_view name, std::string_view first_error) {
  if (!first_error.empty())
    throw Error(fmt::format("{} holds no launch; ncu says: {}; nothing was imported", name, first_error));
  throw Error(fmt::format("{} holds no table of launches: {}; nothing was imported", name, kHowToMake));
}

}  // namespace

bool LooksLikeNcu(std::string_view text) {
  for (CsvReader reader(text, ""); !reader.AtEnd(); reader.SkipLine())
    if (const std::string_view line = reader.PeekLine(); IsHeader(line) || IsMessage(line)) return true;
  return false;
}

NcuTable ReadNcuTable(std::string_view text, std::string_view name) {
  NcuTable table;
  CsvReader reader(text, name);
  std::string first_error;
  for (; !reader.AtEnd() && !IsHeader(reader.PeekLine()); reader.SkipLine()) {
    const std::string_view line = reader.PeekLine();
    if (const auto program = ProgramIn(line); program && table.program.empty()) table.program = *program;
    if (line.starts_with("==ERROR==") && first_error.empty()) first_error = line.substr(9);
  }
  if (reader.AtEnd()) NoTable(name, first_error);
  const bool is_quoted = reader.PeekLine().starts_with('"');
  table.columns = reader.Next().fields;
  const auto has = [&](std::string_view column) {
    return std::ranges::find(table.columns, column) != table.columns.end();
  };
  if (has("Metric Name"))
    throw Error(fmt::format("{} is another page of ncu than raw, with a line for each metric: {}; nothing was imported",
                            name, kHowToMake));
  if (!has(kKernel) || table.columns[0] != kFirstColumn)
    throw Error(fmt::format("{}: its table has no column \"{}\": {}; nothing was imported", name,
                            has(kKernel) ? kFirstColumn : kKernel, kHowToMake));
  const auto kernel = static_cast<std::size_t>(std::ranges::find(table.columns, kKernel) - table.columns.begin());
  const auto complain = [&](int line, std::string_view what) {
    throw Error(fmt::format("{} line {}: {}; nothing was imported", name, line, what));
  };
  bool has_units = false;  // of the report that is read: several may stand behind each other
  while (!reader.AtEnd()) {
    const bool is_header = IsHeader(reader.PeekLine());
    if (!is_header && !IsRow(reader.PeekLine(), is_quoted)) {
      if (is_quoted && QuotedFields(reader.PeekLine()) >= table.columns.size())
        complain(reader.Line(), "a damaged row, whose first field does not begin with a quote");
      reader.SkipLine();
      continue;
    }
    CsvRow row = reader.Next();
    if (is_header) {  // of another report behind this one
      if (row.fields != table.columns)
        complain(row.line, "its columns are not those of the rows above: import each report by itself");
      has_units = false;
      continue;
    }
    if (row.fields.size() != table.columns.size())
      throw Error(
          fmt::format("{} line {}: {} fields where the table has {} columns: it was cut off, or something else "
                      "wrote into it; nothing was imported",
                      name, row.line, row.fields.size(), table.columns.size()));
    if (!row.fields[0].empty()) {
      if (!has_units) complain(row.line, fmt::format("a row before the row of units: {}", kHowToMake));
      if (!is_quoted && reader.AtEnd() && !text.ends_with('\n'))
        complain(row.line, "the file ends within this line, whose last number may be cut off");
      DropInstances(table.columns, row);
      table.rows.push_back(std::move(row));
      continue;
    }
    if (!row.fields[kernel].empty()) complain(row.line, "a row without an ID");
    if (!table.units.empty() && row.fields != table.units)
      complain(row.line, "its units are not those of the rows above: import each report by itself");
    table.units = std::move(row.fields);
    has_units = true;
  }
  if (table.rows.empty()) NoTable(name, first_error);
  return table;
}

}  // namespace culprit
