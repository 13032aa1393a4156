// SPDX-License-Identifier: Apache-2.0
// What a check says of single launches, for the forms in which continuous integration takes it. Not printable yet:
// names in it may be anybody's.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/render/line_ranges.h"

namespace culprit {

// The place of the first cause of a difference, else where the kernel begins; empty: not known.
std::vector<LineRange> BlamedLinesOf(const CheckedLaunch& launch);
// The first of them, for tools that show one range of the file itself. Without a file where none is known, and where
// its name leads out of the project, for a recording may name any file.
LineRange FirstLinesInProject(const CheckedLaunch& launch);

struct CheckNote {
  const CheckedLaunch* launch;  // none: the work of the whole program
  Judgement judgement;          // kRegression or kNotJudged
  std::string name;             // "v1_7 at 2048x2048x2048", or the program's
  std::string text;             // sentences: what became of it, and of a regression its cause
};

// Regressions, those that cost most first, and the whole program behind its launches, which have lines; then what could
// not be judged, in the same order.
std::vector<CheckNote> CheckNotes(const Check& check);

std::string LaunchName(const CheckedLaunch& launch);  // "v1_7 at 2048x2048x2048"
// What stands in the place of a launch's name for the work of a whole program.
inline constexpr std::string_view kWorkName = "kernels and copies";

// The first line of every form: the outcome with its numbers.
std::string CheckHeadline(const Check& check);
// The regression that costs most, with its cause and line; empty: there is none.
std::string WorstLine(const Check& check);

}  // namespace culprit
