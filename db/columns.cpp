// SPDX-License-Identifier: Apache-2.0
#include "db/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace culprit {
namespace {

std::string NamesOf(std::span<const StoredColumn> columns) {
  std::vector<std::string_view> names;
  for (const StoredColumn& column : columns) names.push_back(column.name());
  return fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

std::string MarksFor(std::span<const StoredColumn> columns) {
  return fmt::format("{}", fmt::join(std::string(columns.size(), '?'), ", "));
}

struct Made {
  std::string insert, select, find;
  std::vector<const NumberRange*> ranges;
};

// What is made of a table's columns, once.
const Made& MadeOf(std::string_view table) {
  static const auto made = [] {
    std::map<std::string_view, Made> all;
    for (const StoredColumn& column : kColumns) {
      Made& of = all[column.table()];
      if (!column.is_id) of.ranges.push_back(column.has_range ? &column.range : nullptr);
    }
    for (auto& [name, of] : all) {
      const std::vector<StoredColumn> columns = ColumnsOf(name);
      of.insert = InsertInto(name, columns);
      of.select = fmt::format("SELECT {} FROM {}", NamesOf(columns), name);
      of.find = fmt::format("SELECT id FROM {} WHERE ({}) = ({})", name, NamesOf(columns), MarksFor(columns));
    }
    return all;
  }();
  return made.at(table);
}

}  // namespace

const NumberRange* FindRange(std::string_view table, std::string_view name) {
  for (const StoredColumn& column : kColumns)
    if (column.has_range && column.table() == table && column.name() == name) return &column.range;
  return nullptr;
}

bool HasTable(int version, std::string_view table) {
  return std::ranges::any_of(kColumns, [&](const StoredColumn& c) { return c.since <= version && c.table() == table; });
}

bool HasColumn(int version, std::string_view table, std::string_view name) {
  return std::ranges::any_of(
      kColumns, [&](const StoredColumn& c) { return c.since <= version && c.table() == table && c.name() == name; });
}

std::vector<StoredColumn> ColumnsOf(std::string_view table) {
  std::vector<StoredColumn> columns;
  for (const StoredColumn& column : kColumns)
    if (column.table() == table && !column.is_id) columns.push_back(column);
  return columns;
}

std::string InsertInto(std::string_view table, std::span<const StoredColumn> columns) {
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, NamesOf(columns), MarksFor(columns));
}

const std::string& InsertText(std::string_view table) { return MadeOf(table).insert; }
const std::string& SelectText(std::string_view table) { return MadeOf(table).select; }
const std::string& FindText(std::string_view table) { return MadeOf(table).find; }
const std::vector<const NumberRange*>& RangesOf(std::string_view table) { return MadeOf(table).ranges; }

std::string Shown(double value) { return fmt::format("{}", value); }

BadNumber::BadNumber(const NumberRange& range, std::string_view found, std::string_view where)
    : BadRow(fmt::format("{}.{}{} is {}, which is not within {} to {}", range.table, range.column, where, found,
                         Shown(range.least), Shown(range.most))) {}

}  // namespace culprit
