// SPDX-License-Identifier: Apache-2.0
// Writes rows in the column order of db/columns.h. Private to db/.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "db/columns.h"
#include "db/connection.h"
#include "db/fields.h"

namespace culprit {

// The value to store in a column. If a number is outside its column's range, throws BadNumber, because we must be able
// to read every file that we write. An optional measurement outside the range becomes NULL instead.
template <class Value>
const Value& AsStored(const Value& value, const NumberRange* range) {
  if constexpr (std::is_arithmetic_v<Value>)
    if (range && !range->Holds(static_cast<double>(value))) throw BadNumber(*range, Shown(static_cast<double>(value)));
  return value;
}
template <class Value>
const std::optional<Value>& AsStored(const std::optional<Value>& value, const NumberRange* range) {
  if (value) AsStored(*value, range);
  return value;
}
inline std::optional<double> AsStored(const std::optional<double>& value, const NumberRange* range) {
  return range ? Measurement(value, *range) : value;
}

template <class Value>
std::tuple<const Value&> AsTuple(const Value& value) {
  return {value};
}
template <class... Members>
std::tuple<const Members&...> AsTuple(const std::tuple<Members&...>& fields) {
  return fields;
}

// Binds the values of a row of `table`, in the order of its columns. Each is a value or Fields of a record.
template <class... Values>
Lease& BindRow(Lease& lease, std::string_view table, const Values&... values) {
  auto range = RangesOf(table).begin();
  int index = 0;
  std::apply([&](const auto&... cells) { (lease.BindOne(++index, AsStored(cells, *range++)), ...); },
             std::tuple_cat(AsTuple(values)...));
  return lease;
}

template <class... Values>
void InsertRow(Connection& connection, std::string_view table, const Values&... values) {
  Lease insert = connection.Prepared(InsertText(table));
  BindRow(insert, table, values...).Run();
}

struct FoundRow {
  std::int64_t id = 0;
  bool is_new = false;
};

// For a table without duplicate rows: finds the row with these values, or stores it.
template <class... Values>
FoundRow RowWith(Connection& connection, std::string_view table, const Values&... values) {
  {
    Lease insert = connection.Prepared(InsertText(table) + " ON CONFLICT DO NOTHING");
    BindRow(insert, table, values...).Run();
  }
  const bool is_new = connection.sqlite().getChanges() != 0;
  Lease row = connection.Prepared(FindText(table));
  BindRow(row, table, values...).Step();
  return {row.Integer(0), is_new};
}

}  // namespace culprit
