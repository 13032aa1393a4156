// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/command.h"
#include "analysis/launch/recording.h"
#include "analysis/number/printable.h"
#include "analysis/show/html/html_text.h"
#include "analysis/show/report/check_notes.h"
#include "analysis/show/report/check_report.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

// Printable text has no character that XML 1.0 forbids.
std::string Escaped(std::string_view text) { return EscapeMarkup(Printable(text)); }

struct Test {
  std::string group, name;
  std::string outcome;  // "" | "failure" | "error" | "skipped"
  std::string type;     // of a failure or error
  std::string message;
  double seconds = 0;
  LineRange at = {};
};

std::string OutcomeOf(Judgement judgement) {
  if (judgement == Judgement::kRegression) return "failure";
  if (!Passes(judgement)) return "error";
  return judgement == Judgement::kNotCompared ? "skipped" : "";
}

std::string TypeOf(Judgement judgement) {
  return judgement == Judgement::kRegression ? "slower" : std::string(ToText(judgement));
}

Test TestOf(const CheckedLaunch& launch) {
  return {launch.stage,
          launch.shape,
          OutcomeOf(launch.judgement),
          TypeOf(launch.judgement),
          launch.why,
          launch.candidate_us.value_or(0) / 1e6,
          FirstLinesInProject(launch)};
}

void Render(const Test& test, std::ostream& out) {
  out << fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", Escaped(test.group),
                     Escaped(test.name), test.seconds);
  if (!test.at.file.empty()) out << " file=\"" << Escaped(test.at.file) << '"';
  if (!test.at.file.empty() && test.at.first > 0) out << " line=\"" << test.at.first << '"';
  if (test.outcome.empty()) {
    out << "/>\n";
    return;
  }
  out << ">\n      <" << test.outcome << " message=\"" << Escaped(test.message) << '"';
  if (test.outcome != "skipped") out << " type=\"" << Escaped(test.type) << '"';
  out << "/>\n    </testcase>\n";
}

}  // namespace

void RenderCheckJunit(const Check& check, std::ostream& out) {
  std::vector<Test> tests;
  for (const CheckedLaunch& launch : check.launches) tests.push_back(TestOf(launch));
  for (const CheckNote& note : CheckNotes(check))
    if (note.launch != nullptr && (note.judgement == Judgement::kRegression || note.judgement == Judgement::kSuspect))
      tests[static_cast<std::size_t>(note.launch - check.launches.data())].message = note.text;
  if (check.work)
    tests.push_back({ProgramName(check.candidate.run), std::string(kWorkName), OutcomeOf(check.work->judgement),
                     TypeOf(check.work->judgement), check.work->why, check.work->verdict.candidate.Us() / 1e6});
  if (tests.empty())
    tests.push_back({"culprit check", "the two runs", "error", TypeOf(Judgement::kNotJudged),
                     check.not_comparable.empty() ? CheckHeadline(check) + "." : check.not_comparable});
  const auto count = [&](std::string_view outcome) {
    return std::ranges::count_if(tests, [&](const Test& test) { return test.outcome == outcome; });
  };
  double seconds = 0;
  for (const Test& test : tests) seconds += test.seconds;
  const std::string totals = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.9f}\"", tests.size(),
                                         count("failure"), count("error"), seconds);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"culprit check\" " << totals << ">\n"
      << "  <testsuite name=\"" << Escaped(CheckHeadline(check)) << "\" " << totals << " skipped=\"" << count("skipped")
      << "\" timestamp=\"" << Escaped(check.candidate.run.started_utc) << "\">\n    <properties>\n";
  for (const auto& [name, run] : {std::pair("base", &check.base), std::pair("candidate", &check.candidate)})
    out << "      <property name=\"" << name << "\" value=\"" << Escaped(RunName(run->run)) << "\"/>\n";
  out << fmt::format("      <property name=\"max_slowdown_pct\" value=\"{:g}\"/>\n    </properties>\n",
                     100 * check.max_slowdown);
  for (const Test& test : tests) Render(test, out);
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace culprit
