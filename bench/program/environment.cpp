// SPDX-License-Identifier: Apache-2.0
#include "bench/program/environment.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "db/error.h"

namespace culprit {

std::optional<std::string> Variable(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

std::optional<double> PositiveNumber(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || next != end || !std::isfinite(number) || !(number > 0)) return std::nullopt;
  return number;
}

std::optional<double> SecondsIn(const char* name, std::string_view meaning) {
  constexpr double kMost = 1e9;
  const std::optional<std::string> text = Variable(name);
  if (!text) return std::nullopt;
  const std::optional<double> seconds = PositiveNumber(*text);
  if (seconds && *seconds <= kMost) return seconds;
  throw Error(fmt::format("{} is the number of seconds {}, such as 600: above 0 and up to {:.0f}, not '{}'.", name,
                          meaning, kMost, *text));
}

}  // namespace culprit
