// SPDX-License-Identifier: Apache-2.0
// How often `why --lines` finds what was planted in a program of tests/strangers, by builds of it that were recorded
// under the labels base, a, b, ab, again (the base once more) and same (the base, some of it written otherwise).
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// One kernel of two recordings.
struct StrangerCase {
  std::string kernel, base, candidate;  // the latter two labels: "a" -> "ab"
  double base_us = 0, candidate_us = 0;
  bool told_apart = false;  // `why` says that there is a difference
  double DeltaShare() const { return candidate_us / base_us - 1; }

  struct Planted {
    std::string cause;     // "fma_pipe|instruction_count": either is right
    bool on_line = false;  // a cause without a line cannot be missed on a line
    // 1: no line grew more, unless the mixture's other cause stands there. 0: none of its lines grew.
    int line = 0, line_alone = 0;  // with counters; by samples alone
    int named = 0;                 // among causes; 0: it is not said
  };
  std::vector<Planted> planted = {};  // none between base and again, or same

  std::string lines = {}, causes = {};  // the answer's causes, the largest first

  bool OnLine() const;  // any of what was planted
  bool LinesRight() const;
  bool CausesRight() const;  // the planted ones lead
};

// A change must make a kernel slower by this much to count.
constexpr double kLeastSlower = 0.05;

// `folder` holds answers.csv and programs/. A kernel of a template is named there without what stands in <>.
std::vector<StrangerCase> JudgeStrangers(const Database& database, const std::filesystem::path& folder);

// A text in Markdown.
std::string StrangerReport(std::span<const StrangerCase> cases);

}  // namespace culprit::testing
