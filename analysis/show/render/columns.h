// SPDX-License-Identifier: Apache-2.0
// Formats a column of a table with one unit and one number of decimals.
#pragma once
#include <string>
#include <vector>

#include "analysis/show/render/report.h"

namespace culprit {

// The cells of the first `rows` rows. Times of a column have one unit and one number of decimals, so that they compare
// easily. If the table has differences, in microseconds or percent, this holds for all its columns of times together.
std::vector<std::string> FormatColumn(const ReportTable& table, std::size_t column, std::size_t rows);

// Whether the column is right-aligned, because it has only numbers. If an SQL value in the
// column is text, the whole column is text.
bool IsAlignedRight(const ReportTable& table, std::size_t column, std::size_t rows);

}  // namespace culprit
