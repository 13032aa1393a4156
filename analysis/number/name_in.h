// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <string_view>
#include <utility>

namespace culprit {

// The name of a value in a list of all values and their names.
template <class Enum>
constexpr std::string_view NameIn(std::initializer_list<std::pair<Enum, std::string_view>> names, Enum value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return {};
}

}  // namespace culprit
