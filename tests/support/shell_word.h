// SPDX-License-Identifier: Apache-2.0
// Quotes a path for a shell, because the project and the folder for temporary files may have any name.
#pragma once
#include <filesystem>
#include <string>

namespace culprit::testing {

inline std::string ShellWord(const std::filesystem::path& path) {
  std::string word = "'";
  for (const char c : path.string()) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace culprit::testing
