// SPDX-License-Identifier: Apache-2.0
#include "analysis/foreign/ncu_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

namespace culprit {
namespace {

// Spaces that do not break, narrow and wide, which some locales put between thousands, and the apostrophe of others.
constexpr std::string_view kOtherSeparators[] = {" ", "'", "\u00a0", "\u202f", "\u2019"};

std::string WithoutOtherSeparators(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto found = std::ranges::find_if(kOtherSeparators, [&](std::string_view s) { return text.starts_with(s); });
    if (found == std::end(kOtherSeparators)) plain += text[0];
    text.remove_prefix(found == std::end(kOtherSeparators) ? 1 : found->size());
  }
  return plain;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool IsMadeOf(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

// Whether every group of digits behind the first has three, as thousands are written.
bool HasGroupsOfThree(std::string_view whole, char separator) {
  for (auto at = whole.find(separator); at != whole.npos; at = whole.find(separator, at + 1)) {
    const auto end = std::min(whole.find(separator, at + 1), whole.size());
    if (end - at != 4) return false;
  }
  return true;
}

// Of a unit without what it is counted by ("byte/block"): "Kbyte" is 1000 "byte". Short and long spellings of one unit
// have one name here.
struct NcuUnit {
  double factor = 1;
  std::string_view base;
};

constexpr std::pair<std::string_view, std::string_view> kBases[] = {
    {"byte", "byte"},
    {"second", "second"},
    {"s", "second"},
    {"hz", "hz"},
    {"Hz", "hz"},
    {"inst", "inst"},
    {"cycle", "cycle"},
    {"sector", "sector"},
    {"request", "request"},
    {"wavefront", "wavefront"},
    {"warp", "warp"},
    {"thread", "thread"},
    {"block", "block"},
    {"register", "register"},
    {"branch", "branch"},
    {"%", "%"},
    {"", ""},
};
constexpr std::pair<std::string_view, double> kPrefixes[] = {
    {"", 1},    {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"K", 1e3},
    {"k", 1e3}, {"M", 1e6},  {"G", 1e9},  {"T", 1e12}, {"P", 1e15},
};

std::optional<NcuUnit> UnitOf(std::string_view text) {
  for (const auto& [prefix, factor] : kPrefixes) {
    if (!text.starts_with(prefix)) continue;
    const auto base =
        std::ranges::find(kBases, text.substr(prefix.size()), &std::pair<std::string_view, std::string_view>::first);
    // A prefix needs something to stand before.
    if (base != std::end(kBases) && (prefix.empty() || !base->second.empty())) return NcuUnit{factor, base->second};
  }
  return std::nullopt;
}

// Ours, in the units above: "ns" is 1e-9 "second".
std::optional<NcuUnit> OurUnit(std::string_view ours) {
  if (ours == "MHz") return NcuUnit{1e6, "hz"};
  return UnitOf(ours);
}

// Units that say what is counted, where ncu may say less or another word.
bool IsCount(std::string_view base) { return base != "byte" && base != "second" && base != "hz" && base != "%"; }

}  // namespace

Thousands ThousandsOf(std::span<const CsvRow> rows) {
  for (const CsvRow& row : rows)
    for (const std::string& field : row.fields) {
      const std::string_view text = std::string_view(field).substr(0, field.find(" ("));
      if (!IsMadeOf(text, "0123456789.,")) continue;
      for (const auto& [separator, point, thousands] :
           {std::tuple(',', '.', Thousands::kComma), std::tuple('.', ',', Thousands::kDot)}) {
        const auto separators = std::ranges::count(text, separator), points = std::ranges::count(text, point);
        const std::string_view whole = text.substr(0, text.find(point));
        const bool is_before = points == 0 || text.rfind(separator) < text.find(point);
        if (separators + points > 1 && separators > 0 && points <= 1 && is_before && HasGroupsOfThree(whole, separator))
          return thousands;
      }
    }
  return Thousands::kComma;
}

std::optional<double> NcuNumber(std::string_view text, Thousands thousands) {
  std::string plain = WithoutOtherSeparators(Trimmed(text.substr(0, text.find(" ("))));
  const char separator = thousands == Thousands::kComma ? ',' : '.', point = thousands == Thousands::kComma ? '.' : ',';
  const std::string_view whole = std::string_view(plain).substr(0, plain.find(point));
  if (!HasGroupsOfThree(whole, separator)) return std::nullopt;
  std::erase(plain, separator);
  std::ranges::replace(plain, point, '.');
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

std::optional<double> ScaleOf(std::string_view unit, std::string_view ours) {
  const auto wanted = OurUnit(ours);
  // What one thing has of another is written as "byte/block", and the amount is of the first.
  const std::string_view amount = unit.substr(0, unit.find('/'));
  auto given = UnitOf(amount);
  if (!given && amount.ends_with('s')) given = UnitOf(amount.substr(0, amount.size() - 1));  // "sectors"
  if (!given && amount.ends_with("es")) given = UnitOf(amount.substr(0, amount.size() - 2));
  if (!given) return std::nullopt;
  // What ours counts may have a longer name ("warp-cycle", "thread-inst"), and ncu often writes none.
  if (!wanted) return IsCount(given->base) ? std::optional(given->factor) : std::nullopt;
  if (given->base == wanted->base) return given->factor / wanted->factor;
  if (IsCount(given->base) && IsCount(wanted->base)) return given->factor;
  return std::nullopt;
}

}  // namespace culprit
