// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "analysis/number/printable.h"
#include "analysis/show/report/check_notes.h"
#include "analysis/show/report/check_report.h"

namespace culprit {
namespace {

// Of each kind in a step, by GitHub's documentation of annotations.
constexpr int kMostOfAKind = 10;

// A property ends at a comma or colon, a command at its line's end: "Workflow commands for GitHub Actions".
std::string Escaped(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : Printable(text)) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    special ? escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c)) : escaped += c;
  }
  return escaped;
}

void Command(std::string_view kind, const LineRange& at, std::string_view title, std::string_view text,
             std::ostream& out) {
  out << "::" << kind << ' ';
  if (!at.file.empty()) out << "file=" << Escaped(at.file, true) << ',';
  if (!at.file.empty() && at.first > 0) out << "line=" << at.first << ',';
  if (!at.file.empty() && at.last > at.first) out << "endLine=" << at.last << ',';
  out << "title=" << Escaped(title, true) << "::" << Escaped(text, false) << '\n';
}

const char* WhatIsOpen(Judgement judgement) {
  if (judgement == Judgement::kSuspect) return " may be slower";
  return judgement == Judgement::kInconclusive ? " is inconclusive" : " could not be judged";
}

}  // namespace

void RenderCheckGithub(const Check& check, std::ostream& out) {
  const CheckStatus status = check.Status();
  Command(status == CheckStatus::kFine           ? "notice"
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
      Command(slower ? "error" : "warning", note.launch ? FirstLinesInProject(*note.launch) : LineRange(),
              note.name + what, note.text, out);
  }
}

}  // namespace culprit
