// SPDX-License-Identifier: Apache-2.0
// Reads the SQL that Export writes, and nothing else: INSERTs of literals. Text from elsewhere is never executed, so it
// can do no more than add rows, every error has a line, and doubles read back exactly. SQLite's own reader does not
// round: of random doubles as Export writes them, 3.40.1 reads 0.55 % one unit in the last place off, of subnormal ones
// 4.6 %, of percentages 0.008 %. Private to db/.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

// First line of an export, before the schema's number.
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

// The schema that the first line names. Throws, naming the line, when the text is not an export.
int SchemaOf(std::string_view text, std::string_view source_name);

// Throws culprit::Error with the line of whatever is not BEGIN, INSERT INTO table(columns) VALUES (literals), ..., or
// COMMIT.
void ReadInserts(std::string_view text, std::string_view source_name, const InsertReader& reader);

}  // namespace culprit
