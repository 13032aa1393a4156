// SPDX-License-Identifier: Apache-2.0
// stranger_score FILE.db [SET]: how often `why --lines` is right about the program in tests/strangers, or in the folder
// SET within, as a table.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "tests/strangers/stranger_score.h"

int main(int count, char** arguments) {
  if (count != 2 && count != 3) {
    std::fprintf(stderr, "usage: %s FILE.db [second]\n", arguments[0]);
    return 2;
  }
  try {
    const auto database = culprit::Database::OpenForReading(arguments[1]);
    const std::filesystem::path folder = CULPRIT_SOURCE_DIR "/tests/strangers";
    const auto cases = culprit::testing::JudgeStrangers(database, count == 3 ? folder / arguments[2] : folder);
    if (cases.empty()) {
      std::fprintf(stderr, "%s holds no two builds of the program: record them with script/record-strangers\n",
                   arguments[1]);
      return 1;
    }
    std::fputs(culprit::testing::StrangerReport(cases).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
