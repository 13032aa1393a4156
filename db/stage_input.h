// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

namespace culprit {

inline constexpr char kSinglePrecision[] = "fp32";

// A stage's input type from its factor "input" ("fp16"); single precision if it has none. The FFMA peak is the ceiling
// only for single precision. Only stages with the same input type are shown as shares of each other.
inline std::string InputOf(const std::map<std::string, std::string>& factors) {
  const auto found = factors.find("input");
  return found == factors.end() ? kSinglePrecision : found->second;
}

}  // namespace culprit
