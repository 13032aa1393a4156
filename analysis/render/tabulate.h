// SPDX-License-Identifier: Apache-2.0
// A table from what its rows are made of: each column says in one place how it is called and how it is read off a row.
#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/render/report.h"

namespace culprit {

template <class Row>
struct ColumnOf {
  // `get`: a member or a function of a row. Text or a cell; with a unit, a number.
  template <class Get>
  requires std::invocable<Get, const Row&> ColumnOf(std::string key, std::string title, Get get,
                                                    bool for_programs = false)
      : column{std::move(key), std::move(title), for_programs},
        cell([get](const Row& row) { return Cell(std::invoke(get, row)); }) {}
  template <class Get>
  requires std::invocable<Get, const Row&> ColumnOf(std::string key, std::string title, Unit unit, Get get,
                                                    bool for_programs = false)
      : column{std::move(key), std::move(title), for_programs},
        cell([unit, get](const Row& row) { return Cell(Measured(std::invoke(get, row)), unit); }) {}

  Column column;
  std::function<Cell(const Row&)> cell;
};

template <class Row>
std::vector<Column> Heads(const std::vector<ColumnOf<Row>>& columns) {
  std::vector<Column> heads;
  for (const auto& column : columns) heads.push_back(column.column);
  return heads;
}

// `rows`: a range of Row, or of pointers to them.
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

}  // namespace culprit
