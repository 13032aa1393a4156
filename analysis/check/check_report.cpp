// SPDX-License-Identifier: Apache-2.0
#include "analysis/check/check_report.h"

#include <fmt/core.h>

#include "analysis/check/check_tables.h"
#include "analysis/format.h"
#include "analysis/leading_causes.h"
#include "analysis/run_header.h"

namespace culprit {
namespace {

std::string Limit(const Check& check) { return fmt::format("{:g} %", 100 * check.max_slowdown); }

std::string Launches(int n) { return fmt::format("{} {}", n, n == 1 ? "launch" : "launches"); }

// The first line decides whether anyone reads the second.
std::string Headline(const Check& check) {
  const int all = static_cast<int>(check.launches.size()), unjudged = check.Count(Judgement::kNotJudged);
  switch (check.Outcome()) {
    case CheckOutcome::kRegression:
      return fmt::format("Regression: {} of {} {} slower by more than {}{}", check.Count(Judgement::kRegression),
                         Launches(all), check.Count(Judgement::kRegression) == 1 ? "is" : "are", Limit(check),
                         unjudged > 0 ? fmt::format(", {} could not be judged", unjudged) : "");
    case CheckOutcome::kNotJudged:
      return unjudged > 0 ? fmt::format("Not judged: {} of {} could not be judged", unjudged, Launches(all))
                          : "Not judged: the two runs have nothing that can be compared";
    case CheckOutcome::kFine:
      return fmt::format("Fine: of {} none is slower by more than {}",
                         Launches(all - check.Count(Judgement::kNotCompared)), Limit(check));
  }
  return {};
}

std::string RunText(const RunSummary& run) {
  return fmt::format("{}{}, recorded {}{}", ShortUuid(run.run),
                     run.run.label.empty() ? "" : fmt::format(" \"{}\"", run.run.label), run.run.started_utc,
                     run.run.git_sha.empty() ? ""
                                             : fmt::format(", code {}{}", run.run.git_sha.substr(0, 12),
                                                           run.run.git_dirty ? " with local changes" : ""));
}

void AddCount(const Check& check, Judgement judgement, const char* what, std::string& line) {
  if (const int n = check.Count(judgement); n > 0) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", n, what);
}

std::string Counts(const Check& check) {
  std::string line;
  AddCount(check, Judgement::kRegression, "slower beyond the limit", line);
  AddCount(check, Judgement::kNotJudged, "not judged", line);
  AddCount(check, Judgement::kImprovement, "faster", line);
  AddCount(check, Judgement::kWithinLimit, "slower within the limit", line);
  AddCount(check, Judgement::kSame, "the same", line);
  AddCount(check, Judgement::kNotCompared, "not compared", line);
  return line.empty() ? "Neither run has a launch." : line + ".";
}

std::string GpuText(const Check& check) {
  std::string text;
  for (const RunSummary* run : {&check.base, &check.candidate}) {
    const std::string name = run->run.device ? run->run.device->name : "a machine without a GPU";
    if (text.empty())
      text = name;
    else if (text != name)
      text += ", then " + name;
  }
  return text;
}

Section Summary(const Check& check) {
  const auto count = [&](Judgement judgement) {
    return Number{static_cast<double>(check.Count(judgement)), Unit::kInteger};
  };
  Section section{"check", "", {}, {}, {}, {}};
  section.facts = {
      {"outcome", "", std::string(ToText(check.Outcome()))},
      {"exit_status", "", Number{static_cast<double>(check.Outcome()), Unit::kInteger}},
      {"max_slowdown_pct", "", Number{100 * check.max_slowdown, Unit::kPercent}},
      {"not_comparable", "", check.not_comparable},
      {"regressions", "", count(Judgement::kRegression)},
      {"not_judged", "", count(Judgement::kNotJudged)},
      {"improvements", "", count(Judgement::kImprovement)},
      {"within_limit", "", count(Judgement::kWithinLimit)},
      {"same", "", count(Judgement::kSame)},
      {"not_compared", "", count(Judgement::kNotCompared)},
  };
  section.notes.push_back(check.not_comparable.empty() ? Counts(check) : check.not_comparable);
  section.tables = ProgramTables(check);
  return section;
}

std::string At(const CheckedLaunch& launch) { return launch.stage + " at " + launch.shape; }

void AddRemarks(const Check& check, Judgement judgement, std::vector<std::string>& notes) {
  for (const CheckedLaunch* launch : Judged(check, judgement))
    for (const std::string& remark : launch->remarks) notes.push_back(At(*launch) + ": " + remark);
}

void AddChanged(const Check& check, Judgement judgement, const char* title, Report& report) {
  if (check.Count(judgement) == 0) return;
  Section section{"", title, {}, {ChangedTable(check, judgement)}, {}, {}};
  AddRemarks(check, judgement, section.notes);
  report.sections.push_back(std::move(section));
}

void AddReasons(const Check& check, Judgement judgement, const char* title, Report& report) {
  if (check.Count(judgement) == 0) return;
  Section section{"", title, {}, {}, {}, {}};
  section.one_line = true;
  section.item_titles = {"Launch", "", "Why"};
  for (const CheckedLaunch* launch : Judged(check, judgement))
    section.items.push_back({At(*launch), Number{}, launch->why, {}, launch->why});
  AddRemarks(check, judgement, section.notes);
  report.sections.push_back(std::move(section));
}

Item CausesOf(const CheckedLaunch& launch) {
  const Explanation& e = *launch.explanation;
  Item item{At(launch), {e.DeltaUs(), Unit::kTimeDeltaUs}, e.verdict.reason, {}};
  for (const CausePart& cause : e.causes) item.details.push_back(CauseText(&cause, e.DeltaUs()) + ": " + cause.text);
  item.details.push_back(e.decomposition ? "unexplained " + PartText(e.unexplained_us, e.DeltaUs())
                                         : "not measured: " + e.no_decomposition);
  return item;
}

Section Causes(const Check& check) {
  Section section{"", "Causes of the regressions", {}, {}, {}, {}};
  for (const CheckedLaunch* launch : Judged(check, Judgement::kRegression)) section.items.push_back(CausesOf(*launch));
  section.folded = true;
  return section;
}

Section Details(const Check& check) {
  Section section{"", "All launches", {}, {AllTable(check)}, {}, {}};
  AddRemarks(check, Judgement::kWithinLimit, section.notes);
  AddRemarks(check, Judgement::kSame, section.notes);
  section.folded = true;
  return section;
}

}  // namespace

Report MakeCheckReport(const Check& check, std::span<const Warning> warnings) {
  Report report;
  report.kind = "check";
  report.title = check.not_comparable.empty() ? Headline(check) : "Not judged: the two runs cannot be compared";
  AddRunHeader(check.candidate, {warnings.begin(), warnings.end()}, report);
  // Its lines about one run would stand above what is wrong with the other.
  report.context = {{"base", "Base", RunText(check.base)},
                    {"candidate", "Candidate", RunText(check.candidate)},
                    {"gpu", "Recorded on", GpuText(check)},
                    {"max_slowdown", "Limit", "slower by " + Limit(check)}};
  report.identity.push_back({"base_run_uuid", "", check.base.run.uuid});
  report.identity.push_back({"base_run_label", "", check.base.run.label});
  report.warnings.insert(report.warnings.end(), check.caveats.begin(), check.caveats.end());
  report.sections.push_back(Summary(check));
  AddChanged(check, Judgement::kRegression, "Regressions", report);
  AddReasons(check, Judgement::kNotJudged, "Could not be judged", report);
  AddChanged(check, Judgement::kImprovement, "Improvements", report);
  AddReasons(check, Judgement::kNotCompared, "Not compared", report);
  if (check.Count(Judgement::kRegression) > 0) report.sections.push_back(Causes(check));
  if (!check.launches.empty()) report.sections.push_back(Details(check));
  return report;
}

}  // namespace culprit
