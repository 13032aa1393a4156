// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/ncu_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace culprit {
namespace {

// Spaces that do not break, narrow and wide, which some locales put between thousands, and the apostrophe of others.
constexpr std::string_view kOtherSeparators[] = {" ", "'", "\u00a0", "\u202f", "\u2019"};

constexpr std::string_view kDigits = "0123456789";

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Of what stands before the fraction without what separates its thousands: one to three digits, then groups of three,
// all behind the same separator. None where they stand otherwise: "1234,567", "0,125", "1,234 567".
std::optional<std::string> WithoutSeparators(std::string_view whole, std::string_view separator) {
  std::string digits;
  std::string_view used;
  for (std::string_view rest = whole; !rest.empty();) {
    const auto end = std::min(rest.find_first_not_of(kDigits), rest.size());
    digits += rest.substr(0, end);
    rest.remove_prefix(end);
    if (!used.empty() && end != 3) return std::nullopt;
    if (rest.empty()) break;
    const auto other = std::ranges::find_if(kOtherSeparators, [&](std::string_view s) { return rest.starts_with(s); });
    const std::string_view found = rest.starts_with(separator)           ? separator
                                   : other != std::end(kOtherSeparators) ? *other
                                                                         : std::string_view();
    if (found.empty() || (!used.empty() && found != used)) return std::nullopt;
    if (used.empty() && (end == 0 || end > 3 || digits[0] == '0')) return std::nullopt;
    used = found;
    rest.remove_prefix(found.size());
    if (rest.empty()) return std::nullopt;
  }
  return digits;
}

std::string_view WithoutInstances(std::string_view text) { return Trimmed(text.substr(0, text.find(" ("))); }

// Of a unit without what it is counted by ("byte/block"): "Kbyte" is 1000 "byte". Short and long spellings of one unit
// have one name here.
struct NcuUnit {
  double factor = 1;
  std::string_view base;
};

constexpr std::string_view kBases[] = {"byte",   "second",   "hz",        "inst", "cycle",
                                       "sector", "request",  "wavefront", "warp", "thread",
                                       "block",  "register", "branch",    "%",    ""};
std::string_view LongName(std::string_view base) { return base == "s" ? "second" : base == "Hz" ? "hz" : base; }

constexpr std::pair<std::string_view, double> kPrefixes[] = {
    {"", 1},    {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"K", 1e3},
    {"k", 1e3}, {"M", 1e6},  {"G", 1e9},  {"T", 1e12}, {"P", 1e15},
};

std::optional<NcuUnit> UnitOf(std::string_view text) {
  for (const auto& [prefix, factor] : kPrefixes) {
    if (!text.starts_with(prefix)) continue;
    const auto base = std::ranges::find(kBases, LongName(text.substr(prefix.size())));
    // A prefix needs something to stand before.
    if (base != std::end(kBases) && (prefix.empty() || !base->empty())) return NcuUnit{factor, *base};
  }
  return std::nullopt;
}

// "sectors", "branches"
std::optional<NcuUnit> UnitOrPluralOf(std::string_view text) {
  auto unit = UnitOf(text);
  if (!unit && text.ends_with('s')) unit = UnitOf(text.substr(0, text.size() - 1));
  if (!unit && text.ends_with("es")) unit = UnitOf(text.substr(0, text.size() - 2));
  return unit;
}

// Ours, in the units above: "ns" is 1e-9 "second".
std::optional<NcuUnit> OurUnit(std::string_view ours) {
  if (ours == "MHz") return NcuUnit{1e6, "hz"};
  return UnitOf(ours);
}

// Units that say what is counted, where ncu may say less or another word.
bool IsCount(std::string_view base) { return base != "byte" && base != "second" && base != "hz" && base != "%"; }

}  // namespace

Thousands ThousandsOf(std::span<const NcuField> fields) {
  bool only_comma = false, only_dot = false, whole_with_comma = false, whole_with_dot = false;
  for (const auto& [text, is_counted] : fields) {
    const auto comma = NcuNumber(text, Thousands::kComma), dot = NcuNumber(text, Thousands::kDot);
    only_comma |= comma && !dot;
    only_dot |= dot && !comma;
    if (!is_counted || !comma || !dot) continue;
    const bool is_whole_with_comma = *comma == std::floor(*comma), is_whole_with_dot = *dot == std::floor(*dot);
    whole_with_comma |= is_whole_with_comma && !is_whole_with_dot;
    whole_with_dot |= is_whole_with_dot && !is_whole_with_comma;
  }
  if (only_comma || only_dot) return only_dot && !only_comma ? Thousands::kDot : Thousands::kComma;
  return whole_with_dot && !whole_with_comma ? Thousands::kDot : Thousands::kComma;
}

std::optional<double> NcuNumber(std::string_view text, Thousands thousands) {
  text = WithoutInstances(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::string_view separator = thousands == Thousands::kComma ? "," : ".";
  const auto end_of_whole = std::min(text.find(thousands == Thousands::kComma ? '.' : ','), text.size());
  // "1e6" has no fraction, and its letters are no separators.
  const auto exponent = std::min(text.find_first_of("eE"), text.size());
  const auto digits = WithoutSeparators(text.substr(0, std::min(end_of_whole, exponent)), separator);
  if (!digits) return std::nullopt;
  std::string plain = (is_negative ? "-" : "") + *digits;
  if (end_of_whole < exponent) plain.append(".").append(text.substr(end_of_whole + 1));
  if (exponent < end_of_whole) plain.append(text.substr(exponent));
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool IsNoNcuNumber(std::string_view text) {
  std::string lower(Trimmed(text));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower.empty() || lower == "n/a" || lower == "nan" || lower == "-nan" || lower == "(!) n/a" ||
         lower == "no data";
}

bool IsCountedIn(std::string_view unit) {
  const auto scale = ScaleOf(unit, "ns");
  if (scale) return *scale == 1;
  return ScaleOf(unit, "byte") == 1 || ScaleOf(unit, "") == 1;
}

std::optional<double> ScaleOf(std::string_view unit, std::string_view ours) {
  const auto wanted = OurUnit(ours);
  // What one thing has of another is written as "byte/block", and the amount is of the first. "byte/second" is none.
  const auto slash = unit.find('/');
  const auto given = UnitOrPluralOf(unit.substr(0, slash));
  if (const auto each = UnitOrPluralOf(slash == unit.npos ? "" : unit.substr(slash + 1));
      each && each->base == "second")
    return std::nullopt;
  if (!given) return std::nullopt;
  // What ours counts may have a longer name ("warp-cycle", "thread-inst"), and ncu often writes none.
  if (!wanted) return IsCount(given->base) ? std::optional(given->factor) : std::nullopt;
  if (given->base == wanted->base) return given->factor / wanted->factor;
  if (IsCount(given->base) && IsCount(wanted->base)) return given->factor;
  return std::nullopt;
}

}  // namespace culprit
