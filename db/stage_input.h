// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

namespace culprit {

inline constexpr char kSinglePrecision[] = "fp32";

// What a stage computes with, as its factor "input" says ("fp16"); single precision where it states none. Only single
// precision has the FFMA peak for a ceiling, and only stages of the same input are shown as a share of one another.
inline std::string InputOf(const std::map<std::string, std::string>& factors) {
  const auto found = factors.find("input");
  return found == factors.end() ? kSinglePrecision : found->second;
}

}  // namespace culprit
