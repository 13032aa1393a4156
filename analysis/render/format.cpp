// SPDX-License-Identifier: Apache-2.0
#include "analysis/render/format.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

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

// `decimals` of microseconds; of larger units as many as three significant digits take.
std::string Time(double us, double largest_us, int decimals) {
  const double size = std::abs(largest_us);
  if (size >= kSecondsFromUs) return Grouped(us / 1e6, Decimals(us / 1e6)) + " s";
  if (size >= kMillisecondsFromUs) return Grouped(us / 1e3, Decimals(us / 1e3)) + " ms";
  return Grouped(us, decimals) + " us";
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

}  // namespace

std::string Format(double value, Unit unit) { return Format(value, unit, value); }

std::string Format(double value, Unit unit, double largest) {
  switch (unit) {
    case Unit::kCount:
      return Grouped(value, value == std::floor(value) || std::abs(value) >= 1000 ? 0 : Decimals(value));
    case Unit::kInteger:
      return fmt::format("{:.0f}", value);
    case Unit::kTimeUs:
      return Time(value, largest, Decimals(value));
    case Unit::kTimeDeltaUs:
      return Signed(Time(value, largest, value != 0 && std::abs(value) < 1 ? 3 : 1));
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
  if (const auto* text = std::get_if<std::string>(&stored.value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&stored.value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&stored.value)) return fmt::format("{}", *real);
  return "NULL";
}

std::string Format(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* stored = std::get_if<Stored>(&cell)) return Format(*stored);
  if (const auto* pairs = std::get_if<Pairs>(&cell)) {
    std::string text;
    for (const auto& [name, value] : *pairs) text += (text.empty() ? "" : ", ") + name + " = " + value;
    return text;
  }
  return Format(std::get<Number>(cell));
}

std::vector<std::string> FormatColumn(const ReportTable& table, std::size_t column, std::size_t rows) {
  std::map<Unit, double> largest, smallest;
  const auto number_at = [&](std::size_t r) { return std::get_if<Number>(&table.rows[r][column]); };
  for (std::size_t r = 0; r < rows; ++r)
    if (const Number* number = number_at(r); number && number->value && *number->value != 0) {
      const double size = std::abs(*number->value);
      largest[number->unit] = std::max(largest[number->unit], size);
      const auto [least, is_first] = smallest.try_emplace(number->unit, size);
      if (!is_first) least->second = std::min(least->second, size);
    }
  const auto suiting = [&](const Number& number) {
    return largest[number.unit] <= kMostInOneUnit * smallest[number.unit] ? largest[number.unit] : *number.value;
  };
  std::vector<std::string> text;
  for (std::size_t r = 0; r < rows; ++r) {
    const Number* number = number_at(r);
    text.push_back(number && number->value ? Format(*number->value, number->unit, suiting(*number))
                                           : Format(table.rows[r][column]));
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
