// SPDX-License-Identifier: Apache-2.0
// The only place that chooses digits and suffixes.
#pragma once
#include <string>
#include <vector>

#include "analysis/render/report.h"

namespace culprit {

std::string Format(double value, Unit unit);
// As one of several that are read together: in the size of unit, us or ms, that suits the `largest` of them. 0: in the
// smallest, with every digit.
std::string Format(double value, Unit unit, double largest);
std::string Format(const Number& number);
std::string Format(const Stored& stored);  // a real number with six significant digits
std::string InFull(const Stored& stored);  // with all of them
// Likewise, in the unit's own size: "4496.771630604308 us".
std::string InFull(const Number& number);
std::string Format(const Cell& cell);

// The cells of the first `rows` rows, times in one unit and with one number of decimals, so that they can be compared
// by eye. Where the table has a difference, in microseconds or in percent, the columns of times share both: the
// difference follows from the numbers beside it.
std::vector<std::string> FormatColumn(const ReportTable& table, std::size_t column, std::size_t rows);

// Whether people read a column of `table` from the right: it holds numbers. One text among what SQL gave makes it text.
bool IsAlignedRight(const ReportTable& table, std::size_t column, std::size_t rows);

// The unit for a metric, from the catalogue's words ("inst", "byte", "%", "ratio", "us", ...).
Unit UnitFromCatalogue(std::string_view unit);

}  // namespace culprit
