// SPDX-License-Identifier: Apache-2.0
// Rows by the list of columns: values in the order of db/columns.h. Private to db/.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "db/columns.h"
#include "db/connection.h"

namespace culprit {

template <class... Values>
void InsertRow(Connection& connection, std::string_view table, const Values&... values) {
  connection.Prepared(InsertText(table)).Bind(values...).Run();
}

// A file that we wrote must be one that we read: what is out of range is refused. BadNumber.
inline double Stored(double value, const NumberRange& range) {
  if (!range.Holds(value)) throw BadNumber(range, Shown(value));
  return value;
}

template <std::integral Number>
Number Whole(Number value, const NumberRange& range) {
  Stored(static_cast<double>(value), range);
  return value;
}

struct FoundRow {
  std::int64_t id = 0;
  bool is_new = false;
};

// Of a table whose equal rows are one: the row with these values, stored if the file has none yet.
template <class... Values>
FoundRow RowWith(Connection& connection, std::string_view table, const Values&... values) {
  connection.Prepared(InsertText(table) + " ON CONFLICT DO NOTHING").Bind(values...).Run();
  const bool is_new = connection.sqlite().getChanges() != 0;
  Lease row = connection.Prepared(FindText(table));
  row.Bind(values...).Step();
  return {row.Integer(0), is_new};
}

}  // namespace culprit
