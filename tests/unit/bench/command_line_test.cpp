// SPDX-License-Identifier: Apache-2.0
#include "bench/command_line.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace culprit {
namespace {

std::string LineOf(const std::vector<const char*>& words) {
  return CommandLine(static_cast<int>(words.size()), words.data());
}

// The words that a shell makes of the line, one a line.
std::string AsAShellTakesIt(const std::string& line) {
  std::FILE* shell = popen(("printf '%s\\n' " + line).c_str(), "r");
  std::string words;
  for (int c; (c = std::fgetc(shell)) != EOF;) words += static_cast<char>(c);
  pclose(shell);
  return words;
}

TEST(CommandLine, NamesNoFolderOfTheProgramOrTheDatabase) {
  EXPECT_EQ(LineOf({"/home/me/gemm_bench", "--db", "/secret/m.db", "--db=/secret/n.db"}),
            "gemm_bench --db m.db --db=n.db");
}

TEST(CommandLine, QuotesOnlyWhatAShellWouldChange) {
  EXPECT_EQ(LineOf({"gemm_bench", "--shapes=4096,1024x512x256", "--stages", "v1_*", ""}),
            "gemm_bench --shapes=4096,1024x512x256 --stages 'v1_*' ''");
}

TEST(CommandLine, GivesAShellEveryWordBack) {
  const std::vector<const char*> words = {"it's", "'",   "''quoted''", "a b", "$(date)", "{a,b}", "~",
                                          "#no",  "a\\", "\"x\"",      "a;b", "!x",      "-n",    "`ls`"};
  std::string expected;
  for (const char* word : words) expected += std::string(word) + '\n';
  EXPECT_EQ(AsAShellTakesIt(LineOf(words)), expected);
}

}  // namespace
}  // namespace culprit
