// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/render/columns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "analysis/number/format.h"

namespace culprit {
namespace {

// A column with a wider range has no unit that suits all values, so each number gets its own.
constexpr double kMostInOneUnit = 1e4;

bool IsTime(const Number& number) {
  return number.value && (number.unit == Unit::kTimeUs || number.unit == Unit::kTimeDeltaUs);
}

// A smaller share of the column's largest value needs no digits of its own.
constexpr double kNegligible = 1e-3;
constexpr int kMostDecimals = 3;

// The largest rounding, as a share of a number: keeps two digits, or shows a change of 0.1 %.
constexpr double kTwoDigits = 0.05, kForAChange = 0.001;

// Magnitudes of numbers that are compared, without 0.
struct Sizes {
  std::vector<double> times, differences;

  std::vector<double> All() const {
    std::vector<double> all = times;
    all.insert(all.end(), differences.begin(), differences.end());
    return all;
  }
};

// The decimals of times: those of the largest, plus what the other relevant ones need. Aligned decimal points are
// easier to read. `change`: a column states the difference of two of them in percent.
int DecimalsOf(const Sizes& sizes, double largest, bool change) {
  const double unit = TimeUnitFor(largest).us;
  int decimals = sizes.times.empty() && unit == 1 ? 1 : Decimals(largest / unit);
  const auto add = [&](const std::vector<double>& all, double rounding) {
    for (const double time : all)
      // Small times may add decimals to milliseconds, but not to microseconds.
      if (unit > 1 || time >= kNegligible * largest)
        decimals = std::max(decimals, -static_cast<int>(std::floor(std::log10(2 * rounding * time / unit) + 1e-9)));
  };
  add(sizes.times, change ? kForAChange : kTwoDigits);
  add(sizes.differences, kTwoDigits);
  return std::min(decimals, kMostDecimals);
}

const Number* NumberAt(const ReportTable& table, std::size_t row, std::size_t column) {
  return std::get_if<Number>(&table.rows[row][column]);
}

bool Has(const ReportTable& table, std::size_t column, std::size_t rows, Unit unit) {
  for (std::size_t r = 0; r < rows; ++r)
    if (const Number* number = NumberAt(table, r, column); number && number->unit == unit) return true;
  return false;
}

// The columns with the same quantity as `column`. A difference stands beside the values it is computed from, so in a
// table with a difference all times belong together; otherwise each column stands alone.
struct ReadTogether {
  std::vector<std::size_t> columns;
  bool change = false;  // a column states the difference of two others in percent

  ReadTogether(const ReportTable& table, std::size_t column, std::size_t rows) : columns{column} {
    bool difference = false;
    std::vector<std::size_t> shown;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].for_programs) continue;
      shown.push_back(c);
      difference = difference || Has(table, c, rows, Unit::kTimeDeltaUs);
      change = change || Has(table, c, rows, Unit::kChangePercent);
    }
    if ((difference || change) && std::ranges::find(shown, column) != shown.end()) columns = std::move(shown);
  }
};

// A time and a time difference are the same quantity.
Unit QuantityOf(Unit unit) { return unit == Unit::kTimeDeltaUs ? Unit::kTimeUs : unit; }

std::map<Unit, Sizes> SizesOf(const ReportTable& table, const std::vector<std::size_t>& columns, std::size_t rows) {
  std::map<Unit, Sizes> sizes;
  for (const std::size_t c : columns)
    for (std::size_t r = 0; r < rows; ++r)
      if (const Number* number = NumberAt(table, r, c); number && number->value && *number->value != 0) {
        Sizes& of = sizes[QuantityOf(number->unit)];
        (number->unit == Unit::kTimeDeltaUs ? of.differences : of.times).push_back(std::abs(*number->value));
      }
  return sizes;
}

}  // namespace

std::vector<std::string> FormatColumn(const ReportTable& table, std::size_t column, std::size_t rows) {
  std::vector<std::string> text;
  if (!std::ranges::any_of(std::span(table.rows).first(rows),
                           [&](const auto& row) { return std::holds_alternative<Number>(row[column]); })) {
    for (std::size_t r = 0; r < rows; ++r) text.push_back(Format(table.rows[r][column]));
    return text;
  }
  const ReadTogether together(table, column, rows);
  std::map<Unit, Sizes> sizes = SizesOf(table, together.columns, rows);
  const auto in_column = [&](const Number& number) {
    const Sizes& of = sizes[QuantityOf(number.unit)];
    const std::vector<double> all = of.All();
    if (all.empty()) return Format(number);
    const auto [smallest, largest] = std::ranges::minmax(all);
    const bool one_unit = largest <= kMostInOneUnit * smallest;
    if (!IsTime(number)) return Format(*number.value, number.unit, one_unit ? largest : *number.value);
    const TimeUnit unit = TimeUnitFor(largest);
    const int decimals = DecimalsOf(of, largest, together.change);
    // Never write a measured value as 0 when a smaller unit shows it.
    const bool vanishes =
        unit.us > 1 && *number.value != 0 && std::abs(*number.value) < 0.5 * unit.us * std::pow(10, -decimals);
    if (number.unit == Unit::kTimeUs) return vanishes ? Format(number) : InUnit(*number.value, unit, decimals);
    return Signed(InUnit(*number.value, unit, decimals));
  };
  for (std::size_t r = 0; r < rows; ++r) {
    const Number* number = NumberAt(table, r, column);
    text.push_back(number && number->value ? in_column(*number) : Format(table.rows[r][column]));
  }
  return text;
}

bool IsAlignedRight(const ReportTable& table, std::size_t column, std::size_t rows) {
  bool number = false;
  for (std::size_t r = 0; r < rows; ++r) {
    const Cell& cell = table.rows[r][column];
    const auto* stored = std::get_if<Stored>(&cell);
    if (stored && std::holds_alternative<std::string>(stored->value)) return false;
    number |= stored || std::holds_alternative<Number>(cell);
  }
  return number;
}

}  // namespace culprit
