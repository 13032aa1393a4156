// SPDX-License-Identifier: Apache-2.0
// A table as lines of text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/render/report.h"

namespace culprit {

struct GridLine {
  std::string text;
  bool head = false;  // of the columns' titles
};

// The first `rows` rows of what people see of `table`. With a `width` no line is wider: titles and texts are broken at
// blanks, and what does not fit even so goes on in a block below, which begins with the first column again.
std::vector<GridLine> Grid(const ReportTable& table, std::size_t rows, std::optional<std::size_t> width);

}  // namespace culprit
