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
  bool step = false;  // of a mixture to one of its causes alone, or to both where the other is already
  // See RankOf; by samples and counters, where both kernels were counted. Of a cause on no line among those that are
  // said to be on none.
  int rank = 0;
  int rank_alone = 0;  // by samples alone
  // Likewise of what the slower kernel's code shows of the cause (ShownCode); none: it shows nothing of such causes.
  std::optional<int> rank_shown = {};
  std::string answer = {};  // "19", "34 to 35 and 36"
  std::string said = {};    // the lines that grew most, "19 +12.3 us, ..."
};

// Of whatever of the pairs and mixtures was sampled; `tests` is the folder of the tables of answers, `root` the one
// that holds kernels/.
std::vector<LineCase> JudgeLines(const Database& database, const std::filesystem::path& tests,
                                 const std::filesystem::path& root);

// Among how many lines a cause must be to be found.
constexpr int kLinesShown = 3;

// A text in Markdown: how often the line was right, over all and by cause, and each case in which it was not first.
std::string LineReport(std::span<const LineCase> cases);

// docs/planted_lines.md.
std::string LineDocument(std::span<const LineCase> cases);

}  // namespace culprit::testing
