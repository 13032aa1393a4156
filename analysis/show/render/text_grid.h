// SPDX-License-Identifier: Apache-2.0
// Formats a table as lines of text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/show/render/report.h"

namespace culprit {

struct GridLine {
  std::string text;
  bool head = false;  // column titles
};

// The first `rows` rows of `table`, with the columns that people see. If there is a `width`, no line is wider. Titles
// and texts are broken at blanks. Columns that still do not fit follow in a block below, which repeats the first
// column.
std::vector<GridLine> Grid(const ReportTable& table, std::size_t rows, std::optional<std::size_t> width);

}  // namespace culprit
