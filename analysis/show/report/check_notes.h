// SPDX-License-Identifier: Apache-2.0
// Notes on single launches of a check, for continuous integration. Names in them are untrusted and not yet printable.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/judge/why/headline.h"
#include "analysis/number/line_ranges.h"

namespace culprit {

// The place of the first cause of a difference or, if unknown, the start of the kernel. Empty: neither is known.
CausePlace BlamedPlaceOf(const CheckedLaunch& launch);
// The first of these ranges, for tools that show one range of a file. Has no file if none is known. A recording may
// name any file, so a path that leads out of the project is left out, too.
LineRange FirstLinesInProject(const CheckedLaunch& launch);

struct CheckNote {
  const CheckedLaunch* launch;  // null: the work of the whole program
  Judgement judgement;          // one that does not pass
  std::string name;             // "v1_7 at 2048x2048x2048", or the program's
  std::string text;             // sentences: the outcome and, for a regression, its cause
};

// Regressions of launches come first, sorted by cost. That of the whole program follows. Then come suspects in the same
// order, then what could not be judged, then what is inconclusive.
std::vector<CheckNote> CheckNotes(const Check& check);

std::string LaunchName(const CheckedLaunch& launch);  // "v1_7 at 2048x2048x2048"
// Used in place of a launch's name for the work of a whole program.
inline constexpr std::string_view kWorkName = "kernels and copies";

std::string_view OutcomeOf(CheckStatus status);  // "Regression"
std::string Limit(const Check& check);           // "2 %"

// The first line of every format: the outcome with its numbers.
std::string CheckHeadline(const Check& check);
// The costliest regression or, if there is none, suspect, with its cause and place; empty: neither.
std::string WorstLine(const Check& check);

}  // namespace culprit
