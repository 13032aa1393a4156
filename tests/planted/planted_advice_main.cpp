// SPDX-License-Identifier: Apache-2.0
// planted_advice PLANTED.db: whether the advice on planted kernels is right, as tables.
#include <cstdio>
#include <exception>

#include "tests/planted/advice_score.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s PLANTED.db\n", arguments[0]);
    return 2;
  }
  try {
    const auto planted = culprit::Database::OpenForReading(arguments[1]);
    const auto cases = culprit::testing::JudgeAdvice(planted, CULPRIT_SOURCE_DIR "/tests/planted", CULPRIT_SOURCE_DIR);
    if (cases.empty()) {
      std::fprintf(
          stderr,
          "%s holds no planted kernel that was sampled: record them with planted_bench --profile=lines or full\n",
          arguments[1]);
      return 1;
    }
    std::fputs(culprit::testing::AdviceTables(cases).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
