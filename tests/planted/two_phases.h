// SPDX-License-Identifier: Apache-2.0
// How right `why` is where two causes are in two phases of a kernel: planted pairs, one after the other.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/planted/score.h"

namespace culprit::testing {

struct TwoPhases {
  std::string first, second;              // pairs
  std::string first_cause, second_cause;  // ids of Causes(); different ones
  double share = 0;                       // of the first cause, the truth
  bool alike = false;                     // the pairs' occupancies are within 10 points of each other
  Parts said;

  double ErrorOfShare() const;
  bool AreBothFirst() const;  // the two causes are the two largest parts
};

// `draws` pairs of pairs of answers.csv that were recorded in one run, drawn by a fixed seed: both bases one after the
// other, and both candidates. Each pair is weighed so that its slow-down takes as long as the other's, times 1/4 to 4.
std::vector<TwoPhases> JudgeTwoPhases(const Database& planted, const std::filesystem::path& answers, int draws);

// In Markdown.
std::string TwoPhasesReport(const std::vector<TwoPhases>& judged);

}  // namespace culprit::testing
