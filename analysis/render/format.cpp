// SPDX-License-Identifier: Apache-2.0
#include "analysis/render/format.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "analysis/render/joined.h"

namespace culprit {
namespace {

std::string Grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == text.npos && text.front() == '-') text.erase(0, 1);  // "-0.0" reads as a sign
  const std::size_t first = text.front() == '-' ? 1 : 0;
  std::size_t end = text.find('.');
  if (end == text.npos) end = text.size();
  while (end > first + 3) text.insert(end -= 3, ",");
  return text;
}

std::string Signed(std::string text) {
  if (text.front() != '-') text.insert(0, 1, '+');
  return text;
}

// Three significant digits or more, and never more than three decimals.
int Decimals(double value) {
  const double size = std::abs(value);
  if (size >= 100) return 1;
  return size >= 10 ? 2 : 3;
}

using Scale = std::pair<double, const char*>;

template <std::size_t N>
std::string Scaled(double value, const std::array<Scale, N>& scales, const char* smallest) {
  for (const auto& [size, suffix] : scales)
    if (std::abs(value) >= size) return fmt::format("{} {}", Grouped(value / size, Decimals(value / size)), suffix);
  return fmt::format("{} {}", Grouped(value, value == std::floor(value) ? 0 : 1), smallest);
}

// Kernels from microseconds to seconds in one column: two decimals, or four below one unless the last
// two say nothing, as of published figures.
std::string Milliseconds(double value) {
  std::string text = Grouped(value, std::abs(value) < 1 ? 4 : 2);
  if (text.ends_with("00") && text.size() - text.find('.') > 3) text.resize(text.size() - 2);
  return text + " ms";
}

// Up to here microseconds are read without counting digits; a difference of two such times as well.
constexpr double kMillisecondsFromUs = 1e5, kSecondsFromUs = 1e8;
// A column that spans more than this has no unit that suits all of it: each number takes its own.
constexpr double kMostInOneUnit = 1e4;
constexpr double kTeraFrom = 1e4;  // GFLOP/s

struct TimeUnit {
  double us;
  const char* name;
};
TimeUnit UnitFor(double largest_us) {
  const double size = std::abs(largest_us);
  if (size >= kSecondsFromUs) return {1e6, "s"};
  return size >= kMillisecondsFromUs ? TimeUnit{1e3, "ms"} : TimeUnit{1, "us"};
}

std::string InUnit(double us, const TimeUnit& unit, int decimals) {
  return fmt::format("{} {}", Grouped(us / unit.us, decimals), unit.name);
}

// A difference is mostly beside its sum: one decimal, and more where it would be none at all.
std::string Time(double us, double largest_us, bool difference) {
  const TimeUnit unit = UnitFor(largest_us);
  const int decimals = !difference || unit.us > 1 ? Decimals(us / unit.us) : us != 0 && std::abs(us) < 1 ? 3 : 1;
  // What was measured is never written as 0 where a smaller unit shows it.
  if (unit.us > 1 && us != 0 && std::abs(us) < 0.5 * unit.us * std::pow(10, -decimals)) return Time(us, us, difference);
  return InUnit(us, unit, decimals);
}

bool IsTime(const Number& number) {
  return number.value && (number.unit == Unit::kTimeUs || number.unit == Unit::kTimeDeltaUs);
}

// What weighs less than this beside the largest of its column has no digits of its own there.
constexpr double kNegligible = 1e-3;
constexpr int kMostDecimals = 3;

// How far a number may be rounded, as a share of it: two digits of it are left, or a change of 0.1 % can be seen.
constexpr double kTwoDigits = 0.05, kForAChange = 0.001;

// Numbers that are read together, by size, without 0.
struct Sizes {
  std::vector<double> times, differences;

  std::vector<double> All() const {
    std::vector<double> all = times;
    all.insert(all.end(), differences.begin(), differences.end());
    return all;
  }
};

// The decimals of times: those of the largest, and what everything that weighs something needs. Points that stand below
// each other are read faster than digits are counted. `change`: how far two of them lie apart is said in percent.
int DecimalsOf(const Sizes& sizes, double largest, bool change) {
  const double unit = UnitFor(largest).us;
  int decimals = sizes.times.empty() && unit == 1 ? 1 : Decimals(largest / unit);
  const auto add = [&](const std::vector<double>& all, double rounding) {
    for (const double time : all)
      // Milliseconds have room for microseconds, which have none for less.
      if (unit > 1 || time >= kNegligible * largest)
        decimals = std::max(decimals, -static_cast<int>(std::floor(std::log10(2 * rounding * time / unit) + 1e-9)));
  };
  add(sizes.times, change ? kForAChange : kTwoDigits);
  add(sizes.differences, kTwoDigits);
  return std::min(decimals, kMostDecimals);
}

constexpr std::array<Scale, 3> kDecimalBytes = {{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
constexpr std::array<Scale, 3> kBandwidth = {{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}}};

std::string Capacity(double bytes) {
  constexpr std::array<Scale, 3> kBinary = {{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}};
  // Static attributes are compared to the byte: a code size of 10,368 B stays as it is.
  if (std::abs(bytes) < 100 * 1024) return fmt::format("{} B", Grouped(bytes, 0));
  for (const auto& [size, suffix] : kBinary) {
    if (std::abs(bytes) < size) continue;
    const double scaled = bytes / size;
    return fmt::format("{} {}", Grouped(scaled, scaled == std::floor(scaled) ? 0 : 1), suffix);
  }
  return {};
}

// Never fewer than the whole part has, and an exponent only where a reader would count zeros.
std::string SixDigits(double value) {
  const double size = std::abs(value);
  if (!(size >= 1e-4 && size < 1e15)) return fmt::format("{:.6g}", value);
  const int whole = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, 6 - whole));
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// As a number in its own size is written.
std::string_view WordOf(Unit unit) {
  switch (unit) {
    case Unit::kCount:
    case Unit::kInteger:
    case Unit::kRatio:
      return "";
    case Unit::kTimeUs:
    case Unit::kTimeDeltaUs:
      return "us";
    case Unit::kTimeMs:
      return "ms";
    case Unit::kGflops:
      return "GFLOP/s";
    case Unit::kBytes:
    case Unit::kCapacity:
      return "B";
    case Unit::kBytesPerSecond:
      return "B/s";
    case Unit::kPercent:
    case Unit::kChangePercent:
      return "%";
    case Unit::kTimes:
    case Unit::kSlowdown:
      return "x";
    case Unit::kMhz:
      return "MHz";
    case Unit::kFlopPerByte:
      return "FLOP/B";
  }
  return "";
}

}  // namespace

std::string Format(double value, Unit unit) { return Format(value, unit, value); }

std::string Format(double value, Unit unit, double largest) {
  switch (unit) {
    case Unit::kCount:
      return Grouped(value, value == std::floor(value) || std::abs(value) >= 1000 ? 0 : Decimals(value));
    case Unit::kInteger:
      return fmt::format("{:.0f}", value);
    case Unit::kTimeUs:
      return Time(value, largest, false);
    case Unit::kTimeDeltaUs:
      return Signed(Time(value, largest, true));
    case Unit::kTimeMs:
      return Milliseconds(value);
    case Unit::kGflops:
      if (std::abs(largest) >= kTeraFrom) return Grouped(value / 1e3, std::abs(value) < 1e5 ? 2 : 0) + " TFLOP/s";
      return Grouped(value, std::abs(value) < 100 ? 1 : 0) + " GFLOP/s";
    case Unit::kBytes:
      return Scaled(value, kDecimalBytes, "B");
    case Unit::kCapacity:
      return Capacity(value);
    case Unit::kBytesPerSecond:
      return Scaled(value, kBandwidth, "B/s");
    case Unit::kPercent:
      return Grouped(value, 1) + " %";
    case Unit::kChangePercent:
      return Signed(Grouped(value, 1)) + " %";
    case Unit::kRatio:
      return Grouped(value, 3);
    case Unit::kTimes:
      return Grouped(value, 3) + " x";
    case Unit::kSlowdown:
      if (Grouped(value, 3) == "1.000") return "as fast";
      return value > 1 ? Grouped(value, 3) + " x slower" : Grouped(1 / value, 3) + " x faster";
    case Unit::kMhz:
      return Grouped(value, 0) + " MHz";
    case Unit::kFlopPerByte:
      return Grouped(value, 1) + " FLOP/B";
  }
  return {};
}

std::string Format(const Number& number) {
  return number.value ? Format(*number.value, number.unit) : std::string(Describe(number.value.absence()));
}

std::string Format(const Stored& stored) {
  if (const auto* real = std::get_if<double>(&stored.value)) return SixDigits(*real);
  return InFull(stored);
}

std::string InFull(const Stored& stored) {
  if (const auto* text = std::get_if<std::string>(&stored.value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&stored.value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&stored.value)) return fmt::format("{}", *real);
  return "NULL";
}

std::string InFull(const Number& number) {
  if (!number.value) return Format(number);
  const std::string_view unit = WordOf(number.unit);
  return fmt::format("{}{}{}", *number.value, unit.empty() ? "" : " ", unit);
}

std::string Format(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* stored = std::get_if<Stored>(&cell)) return Format(*stored);
  if (const auto* pairs = std::get_if<Pairs>(&cell))
    return Joined(*pairs, [](const auto& pair) { return pair.first + " = " + pair.second; });
  return Format(std::get<Number>(cell));
}

namespace {

const Number* NumberAt(const ReportTable& table, std::size_t row, std::size_t column) {
  return std::get_if<Number>(&table.rows[row][column]);
}

bool Has(const ReportTable& table, std::size_t column, std::size_t rows, Unit unit) {
  for (std::size_t r = 0; r < rows; ++r)
    if (const Number* number = NumberAt(table, r, column); number && number->unit == unit) return true;
  return false;
}

// Which columns hold the same quantity as `column`. A difference is read beside what it is the difference of, so in a
// table that has one all times are; else each column is by itself.
struct ReadTogether {
  std::vector<std::size_t> columns;
  bool change = false;  // one of them says in percent how far two others lie apart

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

// What is a time and its difference are one quantity.
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
    const TimeUnit unit = UnitFor(largest);
    const int decimals = DecimalsOf(of, largest, together.change);
    // What was measured is never written as 0 where a smaller unit shows it.
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

Unit UnitFromCatalogue(std::string_view unit) {
  if (unit == "%") return Unit::kPercent;
  if (unit == "byte") return Unit::kBytes;
  if (unit == "byte/s") return Unit::kBytesPerSecond;
  if (unit == "us") return Unit::kTimeUs;
  if (unit == "ratio" || unit == "fraction") return Unit::kRatio;
  return Unit::kCount;
}

}  // namespace culprit
