// SPDX-License-Identifier: Apache-2.0
// planted_lines PLANTED.db: whether the lines that are blamed are the planted ones, as a table.
#include <cstdio>
#include <exception>

#include "tests/planted/line_score.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s PLANTED.db\n", arguments[0]);
    return 2;
  }
  try {
    const auto planted = culprit::Database::OpenForReading(arguments[1]);
    const auto cases = culprit::testing::JudgeLines(planted, CULPRIT_SOURCE_DIR "/tests/planted", CULPRIT_SOURCE_DIR);
    if (cases.empty()) {
      std::fprintf(stderr,
                   "%s holds no pair of planted kernels that was sampled: record them with planted_bench "
                   "--profile=lines or full\n",
                   arguments[1]);
      return 1;
    }
    std::fputs(culprit::testing::LineReport(cases).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
