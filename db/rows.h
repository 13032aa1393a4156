// SPDX-License-Identifier: Apache-2.0
// Rows by the list of columns: values in the order of db/columns.h. Private to db/.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "db/columns.h"
#include "db/connection.h"

namespace culprit {

template <class Value>
void CheckValue(const Value& value, const NumberRange* range) {
  if constexpr (std::is_arithmetic_v<Value>)
    if (range && !range->Holds(static_cast<double>(value))) throw BadNumber(*range, Shown(static_cast<double>(value)));
}
template <class Value>
void CheckValue(const std::optional<Value>& value, const NumberRange* range) {
  if (value) CheckValue(*value, range);
}

// A file that we wrote must be one that we read: throws BadNumber where a number is not within its column's range.
template <class... Values>
void CheckRow(std::string_view table, const Values&... values) {
  auto range = RangesOf(table).begin();
  (CheckValue(values, *range++), ...);
}

template <class... Values>
void InsertRow(Connection& connection, std::string_view table, const Values&... values) {
  CheckRow(table, values...);
  connection.Prepared(InsertText(table)).Bind(values...).Run();
}

struct FoundRow {
  std::int64_t id = 0;
  bool is_new = false;
};

// Of a table whose equal rows are one: the row with these values, stored if the file has none yet.
template <class... Values>
FoundRow RowWith(Connection& connection, std::string_view table, const Values&... values) {
  CheckRow(table, values...);
  connection.Prepared(InsertText(table) + " ON CONFLICT DO NOTHING").Bind(values...).Run();
  const bool is_new = connection.sqlite().getChanges() != 0;
  Lease row = connection.Prepared(FindText(table));
  row.Bind(values...).Step();
  return {row.Integer(0), is_new};
}

}  // namespace culprit
