// SPDX-License-Identifier: Apache-2.0
#include "bench/command_line.h"

#include <filesystem>
#include <string_view>

#include "bench/program/shell_words.h"

namespace culprit {
namespace {

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
    line += (i > 0 ? " " : "") + ShellWord(word);
  }
  return line;
}

}  // namespace culprit
