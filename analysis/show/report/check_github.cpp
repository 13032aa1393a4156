// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "analysis/show/report/check_notes.h"
#include "analysis/show/report/check_report.h"
#include "analysis/show/report/github_command.h"

namespace culprit {
namespace {

// Of each kind in a step, by GitHub's documentation of annotations.
constexpr int kMostOfAKind = 10;

const char* WhatIsOpen(Judgement judgement) {
  if (judgement == Judgement::kSuspect) return " may be slower";
  return judgement == Judgement::kInconclusive ? " is inconclusive" : " could not be judged";
}

}  // namespace

void RenderCheckGithub(const Check& check, std::ostream& out) {
  const CheckStatus status = check.Status();
  WriteGithubCommand(status == CheckStatus::kFine           ? "notice"
                     : status == CheckStatus::kInconclusive ? "warning"
                                                            : "error",
                     {}, "culprit check",
                     CheckHeadline(check) + (check.not_comparable.empty() ? "." : ": " + check.not_comparable), out);
  int errors = 1, warnings = status == CheckStatus::kInconclusive ? 1 : 0;
  for (const CheckNote& note : CheckNotes(check)) {
    const bool slower = note.judgement == Judgement::kRegression;
    int& shown = slower ? errors : warnings;
    const char* what = slower ? note.launch == nullptr ? " takes longer" : " is slower" : WhatIsOpen(note.judgement);
    if (shown++ < kMostOfAKind)
      WriteGithubCommand(slower ? "error" : "warning", note.launch ? FirstLinesInProject(*note.launch) : LineRange(),
                         note.name + what, note.text, out);
  }
}

}  // namespace culprit
