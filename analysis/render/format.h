// SPDX-License-Identifier: Apache-2.0
// The only place that chooses digits and suffixes.
#pragma once
#include <string>

#include "analysis/render/report.h"

namespace culprit {

std::string Format(double value, Unit unit);
std::string Format(const Number& number);
std::string Format(const Stored& stored);
std::string Format(const Cell& cell);

// Whether people read a column of `table` from the right: it holds numbers. One text among what SQL gave makes it text.
bool IsAlignedRight(const ReportTable& table, std::size_t column, std::size_t rows);

// The unit for a metric, from the catalogue's words ("inst", "byte", "%", "ratio", "us", ...).
Unit UnitFromCatalogue(std::string_view unit);

}  // namespace culprit
