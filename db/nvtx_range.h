// SPDX-License-Identifier: Apache-2.0
// NVTX ranges by path, outermost first: "step 12/forward".
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace culprit {

// Replaces numbers: "step 12/forward" becomes "step #/forward".
inline std::string NormalRange(std::string_view range) {
  std::string normal;
  for (const char c : range) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit)
      normal += c;
    else if (!normal.ends_with('#'))
      normal += '#';
  }
  return normal;
}

// True if `path` is `wanted`, or if one of its parts is. A part may continue after `wanted` with a blank, a digit or
// one of ":_-#".
inline bool IsInRange(std::string_view path, std::string_view wanted) {
  if (wanted.empty()) return true;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view word = path.substr(begin, end - begin);
    if (word == wanted) return true;
    if (word.starts_with(wanted) && std::string_view(" :_-#0123456789").find(word[wanted.size()]) != word.npos)
      return true;
    begin = end + 1;
  }
  return path == wanted;
}

}  // namespace culprit
