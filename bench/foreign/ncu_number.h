// SPDX-License-Identifier: Apache-2.0
// Numbers and units as Nsight Compute prints them.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace culprit {

// The separator of thousands; the other one begins the fraction. ncu prints numbers in the locale of its machine.
enum class Thousands { kComma, kDot };

// A number as written in a report. `is_counted`: it must be a whole number.
struct NcuField {
  std::string_view text;
  bool is_counted = false;
};

// Decides by the first of these that applies: numbers with only one possible meaning ("1,234.5", "0,25", "1.234.567");
// counts, because they must be whole. Else it is the comma.
Thousands ThousandsOf(std::span<const NcuField> fields);

// Reads "1,234.50". "12 (3; 4; 5)" is 12; the values of its instances are ignored. None if it is not a finite number,
// or if separators are not at thousands.
std::optional<double> NcuNumber(std::string_view text, Thousands thousands);

// "n/a", "nan", empty: ncu has no number.
bool IsNoNcuNumber(std::string_view text);

// Whether numbers in ncu's `unit` are whole: true for "inst", "byte/block", "ns", false for "Kinst", "us", "%".
bool IsCountedIn(std::string_view unit);

// The factor that converts a number from ncu's `unit` to our unit `ours` (db/metric_catalogue.h, "byte", "ns", "us",
// "MHz", "%", ...). None for units of different quantities, and for a rate ("byte/second").
std::optional<double> ScaleOf(std::string_view unit, std::string_view ours);

}  // namespace culprit
