// SPDX-License-Identifier: Apache-2.0
// What `ncu --csv --page raw` prints: a column for each metric, a row of units, a row for each launch; before and
// between them what ncu and the program say.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/foreign/csv.h"
#include "analysis/foreign/report.h"

namespace culprit {

// Whether some line is ncu's: its table, or a message of it.
bool LooksLikeNcu(std::string_view text);

struct NcuTable {
  std::vector<std::string> columns;
  std::vector<std::string> units;  // as many as columns
  std::vector<CsvRow> rows;        // each with as many fields as columns
  std::string program;             // as ncu says it connected to; empty: it does not say
};

// Throws culprit::Error for a table that is damaged, or of another page than raw.
NcuTable ReadNcuTable(std::string_view text, std::string_view name);

ForeignReport ReadNcuCsv(std::string_view text, const ForeignFile& file);

}  // namespace culprit
