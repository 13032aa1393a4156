// SPDX-License-Identifier: Apache-2.0
#include "db/number_list.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "db/columns.h"

namespace culprit {
namespace {

double Rounded(double value) {
  double rounded = 0;
  const std::string text = fmt::format("{:.4e}", value);
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

void Append(std::string& list, const std::optional<double>& number) {
  if (list.size() > 1) list += ',';
  const bool is_number = number && std::isfinite(*number) && *number >= 0;
  list += is_number ? fmt::format("{}", Rounded(*number)) : "null";
}

[[noreturn]] void Refuse(std::string_view column, std::string_view why) {
  throw BadRow(fmt::format("{} {}", column, why));
}

}  // namespace

std::string NumberList(std::span<const std::optional<double>> numbers) {
  std::string list = "[";
  for (const std::optional<double>& number : numbers) Append(list, number);
  return list + ']';
}

std::string NumberList(std::span<const double> numbers) {
  std::string list = "[";
  for (const double number : numbers) Append(list, number);
  return list + ']';
}

std::vector<std::optional<double>> MaybeNumbersOf(std::string_view json, std::string_view column, std::size_t most) {
  constexpr std::string_view kNull = "null";
  std::vector<std::optional<double>> numbers;
  if (json == "[]") return numbers;
  if (!json.starts_with('[') || !json.ends_with(']')) Refuse(column, "is not a list of numbers");
  for (json.remove_prefix(1);;) {
    if (numbers.size() == most) Refuse(column, fmt::format("has more than {} numbers", most));
    if (json.starts_with(kNull)) {
      numbers.emplace_back();
      json.remove_prefix(kNull.size());
    } else {
      double number = 0;
      const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), number);
      if (error != std::errc()) Refuse(column, "is not a list of numbers");
      if (!(number >= 0 && number <= kMostCount))
        Refuse(column, fmt::format("has {}, which is not within 0 to {}", Shown(number), Shown(kMostCount)));
      numbers.emplace_back(number);
      json.remove_prefix(static_cast<std::size_t>(end - json.data()));
    }
    if (json == "]") return numbers;
    if (!json.starts_with(',')) Refuse(column, "is not a list of numbers");
    json.remove_prefix(1);
  }
}

std::vector<double> NumbersOf(std::string_view json, std::string_view column, std::size_t most) {
  std::vector<double> numbers;
  for (const std::optional<double>& number : MaybeNumbersOf(json, column, most)) {
    if (!number) Refuse(column, "has null, which no recording writes");
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace culprit
