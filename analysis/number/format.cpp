// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/format.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <utility>

#include "analysis/number/joined.h"
#include "analysis/number/name_in.h"

namespace culprit {
namespace {

std::string Grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == text.npos && text.front() == '-') text.erase(0, 1);  // "-0.0" looks negative
  const std::size_t first = text.front() == '-' ? 1 : 0;
  std::size_t end = text.find('.');
  if (end == text.npos) end = text.size();
  while (end > first + 3) text.insert(end -= 3, ",");
  return text;
}

// Below this, microseconds are readable without counting digits; so is a difference of two such times.
constexpr double kMillisecondsFromUs = 1e5, kSecondsFromUs = 1e8;

}  // namespace

std::string Signed(std::string text) {
  if (text.front() != '-') text.insert(0, 1, '+');
  return text;
}

int Decimals(double value) {
  const double size = std::abs(value);
  if (size >= 100) return 1;
  return size >= 10 ? 2 : 3;
}

TimeUnit TimeUnitFor(double largest_us) {
  const double size = std::abs(largest_us);
  if (size >= kSecondsFromUs) return {1e6, "s"};
  return size >= kMillisecondsFromUs ? TimeUnit{1e3, "ms"} : TimeUnit{1, "us"};
}

std::string InUnit(double us, const TimeUnit& unit, int decimals) {
  return fmt::format("{} {}", Grouped(us / unit.us, decimals), unit.name);
}

namespace {

using Scale = std::pair<double, const char*>;

template <std::size_t N>
std::string Scaled(double value, const std::array<Scale, N>& scales, const char* smallest) {
  for (const auto& [size, suffix] : scales)
    if (std::abs(value) >= size) return fmt::format("{} {}", Grouped(value / size, Decimals(value / size)), suffix);
  return fmt::format("{} {}", Grouped(value, value == std::floor(value) ? 0 : 1), smallest);
}

// Kernels from microseconds to seconds in one column: two decimals. Below one: four, unless the last two are zeros, as
// in published figures.
std::string Milliseconds(double value) {
  std::string text = Grouped(value, std::abs(value) < 1 ? 4 : 2);
  if (text.ends_with("00") && text.size() - text.find('.') > 3) text.resize(text.size() - 2);
  return text + " ms";
}

constexpr double kTeraFrom = 1e4;  // GFLOP/s

// A difference mostly stands beside its sum: one decimal, and more when it would show 0.
std::string Time(double us, double largest_us, bool difference) {
  const TimeUnit unit = TimeUnitFor(largest_us);
  const int decimals = !difference || unit.us > 1 ? Decimals(us / unit.us) : us != 0 && std::abs(us) < 1 ? 3 : 1;
  // Never write a measured value as 0 when a smaller unit shows it.
  if (unit.us > 1 && us != 0 && std::abs(us) < 0.5 * unit.us * std::pow(10, -decimals)) return Time(us, us, difference);
  return InUnit(us, unit, decimals);
}

constexpr std::array<Scale, 3> kDecimalBytes = {{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
constexpr std::array<Scale, 3> kBandwidth = {{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}}};

std::string Capacity(double bytes) {
  constexpr std::array<Scale, 3> kBinary = {{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}};
  // Static attributes are compared to the byte: a code size of 10,368 B is not rounded.
  if (std::abs(bytes) < 100 * 1024) return fmt::format("{} B", Grouped(bytes, 0));
  for (const auto& [size, suffix] : kBinary) {
    if (std::abs(bytes) < size) continue;
    const double scaled = bytes / size;
    return fmt::format("{} {}", Grouped(scaled, scaled == std::floor(scaled) ? 0 : 1), suffix);
  }
  return {};
}

// Never fewer digits than the whole part has; an exponent only when a reader would have to count zeros.
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

// Of a number in its own size; empty: it has none.
std::string_view WordOf(Unit unit) {
  using enum Unit;
  return NameIn<Unit>({{kTimeUs, "us"},
                       {kTimeDeltaUs, "us"},
                       {kTimeMs, "ms"},
                       {kGflops, "GFLOP/s"},
                       {kBytes, "B"},
                       {kCapacity, "B"},
                       {kBytesPerSecond, "B/s"},
                       {kPercent, "%"},
                       {kChangePercent, "%"},
                       {kTimes, "x"},
                       {kSlowdown, "x"},
                       {kMhz, "MHz"},
                       {kFlopPerByte, "FLOP/B"}},
                      unit);
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

Unit UnitFromCatalogue(std::string_view unit) {
  if (unit == "%") return Unit::kPercent;
  if (unit == "byte") return Unit::kBytes;
  if (unit == "byte/s") return Unit::kBytesPerSecond;
  if (unit == "us") return Unit::kTimeUs;
  if (unit == "ratio" || unit == "fraction") return Unit::kRatio;
  return Unit::kCount;
}

}  // namespace culprit
