// SPDX-License-Identifier: Apache-2.0
// Numbers and units as Nsight Compute prints them.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/foreign/csv.h"

namespace culprit {

// Which of the two separates thousands: the other one begins the fraction. ncu prints as the locale of its machine
// does.
enum class Thousands { kComma, kDot };

// By the numbers that can only be one of them ("1,234.5", "1.234.567"), the first of which decides; a comma where there
// are none.
Thousands ThousandsOf(std::span<const CsvRow> rows);

// "1,234.50", "12 (3; 4; 5)", which is 12 and what its instances have. None for what is no finite number.
std::optional<double> NcuNumber(std::string_view text, Thousands thousands);

// "n/a", "nan", empty: ncu has no number.
bool IsNoNcuNumber(std::string_view text);

// What a number in ncu's `unit` is multiplied with to be in `ours` (db/metric_catalogue.h, "byte", "ns", "us", "MHz",
// "%", ...). None for units that do not measure the same.
std::optional<double> ScaleOf(std::string_view unit, std::string_view ours);

}  // namespace culprit
