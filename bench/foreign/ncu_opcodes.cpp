// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/ncu_opcodes.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace culprit {
namespace {

// A chip has some hundred, with modifiers some thousand.
constexpr std::size_t kMostOpcodes = 10'000;
// Larger numbers are not exact.
constexpr double kMost = 9007199254740992;

bool IsOpcode(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const auto belongs = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_'; };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, belongs);
}

}  // namespace

std::optional<OpcodeCounts> NcuOpcodeCounts(std::string_view text, Thousands thousands) {
  const auto open = text.find(" (");
  if (open == text.npos || !text.ends_with(')')) return std::nullopt;
  const auto total = NcuNumber(text.substr(0, open), thousands);
  if (!total) return std::nullopt;
  OpcodeCounts counts;
  double sum = 0;
  constexpr std::string_view kBetween = "; ", kBefore = ": ";
  std::string_view rest = text.substr(open + 2, text.size() - open - 3);
  for (bool has_more = true; has_more;) {
    const auto end = rest.find(kBetween);
    has_more = end != rest.npos;
    const std::string_view entry = rest.substr(0, end);
    if (has_more) rest.remove_prefix(end + kBetween.size());
    const auto colon = entry.find(kBefore);
    if (colon == entry.npos || !IsOpcode(entry.substr(0, colon)) || entry.find('(') != entry.npos) return std::nullopt;
    const auto count = NcuNumber(entry.substr(colon + kBefore.size()), thousands);
    if (!count || *count < 0 || *count > kMost || *count != std::floor(*count)) return std::nullopt;
    counts[std::string(entry.substr(0, colon))] += *count;
    sum += *count;
    if (counts.size() > kMostOpcodes) return std::nullopt;
  }
  return sum == *total ? std::optional(std::move(counts)) : std::nullopt;
}

}  // namespace culprit
