// SPDX-License-Identifier: Apache-2.0
// How often the line that grew most is the planted one.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// A cause planted in a pair, or in a mixture, at one size.
struct LineCase {
  std::string planted, shape, cause;
  bool mixture = false, on_line = false, held_out = false;
  bool step = false;  // a step of a mixture: to one cause alone, or from the other cause to both
  // See RankOf; by samples and counters, where both kernels were counted. The rank of a cause without a line among the
  // causes that `why` puts on no line.
  int rank = 0;
  int rank_alone = 0;  // by samples alone
  // The same for the lines that the slower kernel's code shows (ShownCode); none if it shows nothing for such causes.
  std::optional<int> rank_shown = {};
  std::string answer = {};  // "19", "34 to 35 and 36"
  std::string said = {};    // the lines that grew most, "19 +12.3 us, ..."
};

// For all pairs and mixtures that were sampled; `tests` is the folder of the tables of answers, `root` the one that
// holds kernels/.
std::vector<LineCase> JudgeLines(const Database& database, const std::filesystem::path& tests,
                                 const std::filesystem::path& root);

// A cause counts as found if it is among this many lines.
constexpr int kLinesShown = 3;

// Markdown: how often the line was right, over all and by cause, and each case in which it was not first.
std::string LineReport(std::span<const LineCase> cases);

// docs/evidence/planted_lines.md.
std::string LineDocument(std::span<const LineCase> cases);

}  // namespace culprit::testing
