// SPDX-License-Identifier: Apache-2.0
// stranger_score FILE.db: how often `why --lines` is right about the program in tests/strangers, as a table.
#include <cstdio>
#include <exception>

#include "tests/strangers/stranger_score.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FILE.db\n", arguments[0]);
    return 2;
  }
  try {
    const auto database = culprit::Database::OpenForReading(arguments[1]);
    const auto cases = culprit::testing::JudgeStrangers(database, CULPRIT_SOURCE_DIR "/tests/strangers");
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
