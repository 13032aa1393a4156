// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/tool.h"

#include <array>

namespace culprit {

const Tool& EvidenceTool() {
  constexpr std::string_view kCommands = "Commands";
  static constexpr std::array commands = {
      Command{"calibrate", kCommands, "estimated gains against what the next kernel really gained",
              "culprit_evidence calibrate --shape 4096", AddCalibrate},
      Command{"claims", kCommands, "what five articles on matrix products claim, tested again: a verdict per claim",
              "culprit_evidence claims v1_7 --json", AddClaims},
      Command{"reproduce", kCommands, "the tables of those five articles beside ours",
              "culprit_evidence reproduce v-study --format md", AddReproduce},
  };
  static const Tool tool{"culprit_evidence", "Writes the documents on how well Culprit judges.", commands};
  return tool;
}

}  // namespace culprit
