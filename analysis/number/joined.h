// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace culprit {

// Joins `of` of each item: "a, b, c".
template <class Items, class Of = std::identity>
std::string Joined(Items&& items, Of of = {}, std::string_view separator = ", ") {
  std::string line;
  for (const auto& item : items) {
    if (!line.empty()) line += separator;
    line += std::invoke(of, item);
  }
  return line;
}

}  // namespace culprit
