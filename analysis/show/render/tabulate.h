// SPDX-License-Identifier: Apache-2.0
// Builds a table from a range of rows: each column states its name and its value in one place.
#pragma once
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/show/render/report.h"

namespace culprit {

template <class T>
Measured AsMeasured(const T& number) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(number);
  else
    return number;
}
inline Measured AsMeasured(const std::optional<int>& number) { return number ? Measured(*number) : Measured(); }

template <class Row>
struct ColumnOf {
  // `get`: a member or function of a row that returns text or a cell; with a unit, a number.
  // Without a title: only for programs.
  template <class Get>
  requires std::invocable<Get, const Row&> ColumnOf(std::string key, Get get)
      : ColumnOf(std::move(key), "", get, true) {}
  template <class Get>
  requires std::invocable<Get, const Row&> ColumnOf(std::string key, Unit unit, Get get)
      : ColumnOf(std::move(key), "", unit, get, true) {}
  template <class Get>
  requires std::invocable<Get, const Row&> ColumnOf(std::string key, std::string title, Get get,
                                                    bool for_programs = false)
      : column{std::move(key), std::move(title), for_programs},
        cell([get](const Row& row) { return Cell(std::invoke(get, row)); }) {}
  template <class Get>
  requires std::invocable<Get, const Row&> ColumnOf(std::string key, std::string title, Unit unit, Get get,
                                                    bool for_programs = false)
      : column{std::move(key), std::move(title), for_programs},
        cell([unit, get](const Row& row) { return Cell(AsMeasured(std::invoke(get, row)), unit); }) {}

  Column column;
  std::function<Cell(const Row&)> cell;
};

template <class Row>
std::vector<Column> Heads(const std::vector<ColumnOf<Row>>& columns) {
  std::vector<Column> heads;
  for (const auto& column : columns) heads.push_back(column.column);
  return heads;
}

// `rows`: a range of Row or of pointers to Row.
template <class Row, class Rows>
ReportTable Tabulate(std::string key, std::string title, Rows&& rows, const std::vector<ColumnOf<Row>>& columns) {
  ReportTable table{std::move(key), std::move(title), Heads(columns)};
  for (const auto& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto& column : columns)
      if constexpr (std::is_pointer_v<std::decay_t<decltype(row)>>)
        cells.push_back(column.cell(*row));
      else
        cells.push_back(column.cell(row));
  }
  return table;
}

// A table that people do not see.
template <class Row, class Rows>
ReportTable ForPrograms(std::string key, Rows&& rows, const std::vector<ColumnOf<Row>>& columns) {
  ReportTable table = Tabulate<Row>(std::move(key), "", rows, columns);
  table.shown = 0;
  return table;
}

}  // namespace culprit
