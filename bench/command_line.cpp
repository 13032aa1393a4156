// SPDX-License-Identifier: Apache-2.0
#include "bench/command_line.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace culprit {
namespace {

// What no shell gives a meaning, wherever it stands in a word.
bool IsPlain(char c) {
  constexpr std::string_view kPlain = "_-./,:=+@%";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kPlain.find(c) != kPlain.npos;
}

std::string Quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), IsPlain)) return word;
  std::string quoted = "'";
  for (const char c : word)
    if (c == '\'')
      quoted += R"('\'')";  // nothing else ends what is quoted
    else
      quoted += c;
  return quoted + "'";
}

std::string FileName(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

std::string CommandLine(int argc, const char* const* argv) {
  constexpr std::string_view kDatabase = "--db=";
  std::string line;
  bool database_follows = false;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    if (i == 0 || database_follows) word = FileName(word);
    database_follows = word == "--db";
    if (word.starts_with(kDatabase)) word = std::string(kDatabase) + FileName(word.substr(kDatabase.size()));
    line += (i > 0 ? " " : "") + Quoted(word);
  }
  return line;
}

}  // namespace culprit
