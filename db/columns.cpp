// SPDX-License-Identifier: Apache-2.0
#include "db/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace culprit {
namespace {

// What `make` gives for each table, once.
template <class Make>
std::map<std::string_view, std::string> ForEachTable(Make make) {
  std::map<std::string_view, std::string> texts;
  for (const StoredColumn& column : kColumns) {
    if (texts.contains(column.table())) continue;
    std::vector<std::string> names;
    for (const StoredColumn& each : ColumnsOf(column.table())) names.push_back(fmt::format("\"{}\"", each.name()));
    texts[column.table()] = make(column.table(), names);
  }
  return texts;
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

const std::string& InsertText(std::string_view table) {
  static const auto texts = ForEachTable([](std::string_view name, const std::vector<std::string>& columns) {
    const std::vector<std::string> marks(columns.size(), "?");
    return fmt::format("INSERT INTO {} ({}) VALUES ({})", name, fmt::join(columns, ", "), fmt::join(marks, ", "));
  });
  return texts.at(table);
}

const std::string& SelectText(std::string_view table) {
  static const auto texts = ForEachTable([](std::string_view name, const std::vector<std::string>& columns) {
    return fmt::format("SELECT {} FROM {}", fmt::join(columns, ", "), name);
  });
  return texts.at(table);
}

const std::string& FindText(std::string_view table) {
  static const auto texts = ForEachTable([](std::string_view name, const std::vector<std::string>& columns) {
    const std::vector<std::string> marks(columns.size(), "?");
    return fmt::format("SELECT id FROM {} WHERE ({}) = ({})", name, fmt::join(columns, ", "), fmt::join(marks, ", "));
  });
  return texts.at(table);
}

const std::vector<const NumberRange*>& RangesOf(std::string_view table) {
  static const auto ranges = [] {
    std::map<std::string_view, std::vector<const NumberRange*>> all;
    for (const StoredColumn& column : kColumns)
      if (!column.is_id) all[column.table()].push_back(column.has_range ? &column.range : nullptr);
    return all;
  }();
  return ranges.at(table);
}

std::string Shown(double value) { return fmt::format("{}", value); }

BadNumber::BadNumber(const NumberRange& range, std::string_view found, std::string_view where)
    : BadRow(fmt::format("{}.{}{} is {}, which is not within {} to {}", range.table, range.column, where, found,
                         Shown(range.least), Shown(range.most))) {}

}  // namespace culprit
