// SPDX-License-Identifier: Apache-2.0
// Numbers and units as Nsight Compute prints them.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace culprit {

// Which of the two separates thousands: the other one begins the fraction. ncu prints as the locale of its machine
// does.
enum class Thousands { kComma, kDot };

// A number as it stands in a report. `is_counted`: it is a whole number, whatever it looks like.
struct NcuField {
  std::string_view text;
  bool is_counted = false;
};

// By the numbers that only one of the two can be read as ("1,234.5", "0,25", "1.234.567"); where there are none, by
// those that would not be whole; else a comma.
Thousands ThousandsOf(std::span<const NcuField> fields);

// "1,234.50", "12 (3; 4; 5)", which is 12 and what its instances have. None for what is no finite number, and where
// the separators do not stand as those of thousands do.
std::optional<double> NcuNumber(std::string_view text, Thousands thousands);

// "n/a", "nan", empty: ncu has no number.
bool IsNoNcuNumber(std::string_view text);

// Whether a count in ncu's `unit` is whole: "inst", "byte/block", "ns", but not "Kinst", "us" or "%".
bool IsCountedIn(std::string_view unit);

// What a number in ncu's `unit` is multiplied with to be in `ours` (db/metric_catalogue.h, "byte", "ns", "us", "MHz",
// "%", ...). None for units that do not measure the same, and for a rate ("byte/second").
std::optional<double> ScaleOf(std::string_view unit, std::string_view ours);

}  // namespace culprit
