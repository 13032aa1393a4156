// SPDX-License-Identifier: Apache-2.0
// The only place that chooses digits and suffixes.
#pragma once
#include <string>

#include "analysis/report.h"

namespace culprit {

std::string Format(double value, Unit unit);
std::string Format(const Number& number);
std::string Format(const Cell& cell);

// The unit for a metric, from the catalogue's words ("inst", "byte", "%", "ratio", "us", ...).
Unit UnitFromCatalogue(std::string_view unit);

}  // namespace culprit
