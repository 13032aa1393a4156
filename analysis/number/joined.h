// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// The first `most` items: "a, b, c and 4 more".
inline std::string JoinedFirst(const std::vector<std::string>& items, std::size_t most) {
  const std::size_t named = std::min(items.size(), most), more = items.size() - named;
  return Joined(std::span(items).first(named)) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

}  // namespace culprit
