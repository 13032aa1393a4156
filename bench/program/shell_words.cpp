// SPDX-License-Identifier: Apache-2.0
#include "bench/program/shell_words.h"

#include <algorithm>
#include <string_view>

namespace culprit {

std::string ShellWord(const std::string& word) {
  constexpr std::string_view kPlain = "_-./=:,+@%";
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kPlain.find(c) != kPlain.npos;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + '\'';
}

std::string ShellLine(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + ShellWord(word);
  return line;
}

}  // namespace culprit
