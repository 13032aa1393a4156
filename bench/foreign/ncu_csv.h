// SPDX-License-Identifier: Apache-2.0
// The output of `ncu --csv --page raw`: a column per metric, a row of units, and a row per launch. Messages of ncu and
// of the program stand between the rows.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bench/foreign/csv.h"
#include "bench/foreign/report.h"

namespace culprit {

// Whether the text contains ncu's table or one of its messages.
bool LooksLikeNcu(std::string_view text);

struct NcuTable {
  std::vector<std::string> columns;
  std::vector<std::string> units;  // as many as columns
  std::vector<CsvRow> rows;        // each with as many fields as columns
  std::string program;             // the process that ncu attached to; empty: not stated
};

// Throws culprit::Error for a table that is damaged or is not of the page "raw".
NcuTable ReadNcuTable(std::string_view text, std::string_view name);

ForeignReport ReadNcuCsv(std::string_view text, const ForeignFile& file);

}  // namespace culprit
