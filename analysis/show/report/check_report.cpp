// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/check_report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/gate/change_text.h"
#include "analysis/gate/evidence.h"
#include "analysis/judge/why/headline.h"
#include "analysis/launch/recording.h"
#include "analysis/number/joined.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/check_notes.h"
#include "analysis/show/report/check_tables.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

constexpr std::size_t kMostNamed = 3;  // launches that one remark names

// A launch that was as it should be and is folded away says nothing of the answer.
bool IsShown(const CheckedLaunch& launch) {
  return launch.not_excluded || (launch.judgement != Judgement::kSame && launch.judgement != Judgement::kWithinLimit);
}

// Each with the run that it is of before its code.
std::vector<Warning> OfBoth(const Check& check, std::span<const Warning> base, std::span<const Warning> candidate) {
  std::map<std::string, bool> shown;  // by name; of several launches of one name: any
  for (const CheckedLaunch& launch : check.launches) shown[LaunchName(launch)] |= IsShown(launch);
  const auto of = [&](std::span<const Warning> warnings) {
    return OfLaunches({warnings.begin(), warnings.end()}, [&](const std::string& name) {
      const auto found = shown.find(name);
      return found != shown.end() && found->second;
    });
  };
  const auto key = [](const Warning& w) { return std::tuple(w.code, w.text, w.launch); };
  std::map<std::tuple<std::string, std::string, std::string>, int> alone, in_both;  // how many of each the base has
  std::vector<Warning> from_base = of(base), both;
  for (const Warning& warning : from_base) ++alone[key(warning)];
  for (Warning& warning : of(candidate)) {
    const bool is_in_both = alone[key(warning)] > 0;
    if (is_in_both) --alone[key(warning)], ++in_both[key(warning)];
    warning.code = (is_in_both ? "both runs: " : "candidate run: ") + warning.code;
    both.push_back(std::move(warning));
  }
  for (Warning& warning : from_base) {
    if (in_both[key(warning)]-- > 0) continue;
    warning.code = "base run: " + warning.code;
    both.push_back(std::move(warning));
  }
  return both;
}

std::string RunText(const RunSummary& run) {
  const std::string code = CodeText(run.run);
  return fmt::format("{}, recorded {}{}{}", RunName(run.run), run.run.started_utc, code.empty() ? "" : ", ", code);
}

// How many launches were judged so: for people in a sentence, for programs by a key; what is wrong comes first.
struct Counted {
  Judgement judgement;
  const char *what, *key;
};
constexpr Counted kCounted[] = {{Judgement::kRegression, "slower beyond the limit", "regressions"},
                                {Judgement::kSuspect, "suspected to be slower beyond the limit", "suspects"},
                                {Judgement::kNotJudged, "not judged", "not_judged"},
                                {Judgement::kInconclusive, "inconclusive", "inconclusive"},
                                {Judgement::kImprovement, "faster", "improvements"},
                                {Judgement::kWithinLimit, "slower within the limit", "within_limit"},
                                {Judgement::kSame, "the same", "same"},
                                {Judgement::kNotCompared, "not compared", "not_compared"}};

std::string Counts(const Check& check) {
  std::vector<std::string> counts;
  for (const auto& [judgement, what, key] : kCounted)
    if (const int n = check.Count(judgement); n > 0) counts.push_back(fmt::format("{} {}", n, what));
  return counts.empty() ? "Neither run has a launch." : Joined(counts) + ".";
}

std::string GpuText(const Check& check) {
  const std::string base = GpuName(check.base.run), candidate = GpuName(check.candidate.run);
  return base == candidate ? base : base + ", then " + candidate;
}

// Of the work of a whole program, for programs: people read it above.
std::vector<Fact> FactsOf(const CheckedWork& work) {
  const WorkVerdict& verdict = work.verdict;
  return {{"work_judgement", "", ToText(work.judgement)},
          {"work_verdict", "", ToText(verdict.speed)},
          {"work_of", "", JudgedWords(verdict)},
          {"work_why", "", work.why},
          {"base_work_us", "", {verdict.base.Us(), kTimeUs}},
          {"candidate_work_us", "", {verdict.candidate.Us(), kTimeUs}},
          {"work_change_pct", "", {PercentOf(verdict.change, &Shift::change), kChangePercent}},
          {"work_change_low_pct", "", {PercentOf(verdict.change, &Shift::low), kChangePercent}},
          {"work_change_high_pct", "", {PercentOf(verdict.change, &Shift::high), kChangePercent}},
          {"base_span_us", "", {verdict.base_span_us, kTimeUs}},
          {"candidate_span_us", "", {verdict.candidate_span_us, kTimeUs}},
          {"new_us", "", {work.new_us, kTimeUs}},
          {"gone_us", "", {work.gone_us, kTimeUs}}};
}

Section Summary(const Check& check) {
  Section section{.key = "check",
                  .facts = {{"outcome", "", ToText(check.Status())},
                            {"exit_status", "", Cell(static_cast<int>(check.Status()), kInteger)},
                            {"max_slowdown_pct", "", {100 * check.max_slowdown, kPercent}},
                            {"not_comparable", "", check.not_comparable}},
                  .tables = ProgramTables(check)};
  for (const auto& [judgement, what, key] : kCounted)
    section.facts.push_back({key, "", Cell(check.Count(judgement), kInteger)});
  if (check.work) std::ranges::copy(FactsOf(*check.work), std::back_inserter(section.facts));
  return section;
}

Tone ToneOf(CheckStatus status) {
  if (status == CheckStatus::kRegression) return Tone::kBad;
  return status == CheckStatus::kFine ? Tone::kGood : Tone::kOpen;
}

// "3 launches (v1_7 at 4096x4096x4096, ...)"
std::string Names(const std::vector<std::string>& launches) {
  if (launches.size() == 1) return launches.front();
  return fmt::format("{} launches ({})", launches.size(), JoinedFirst(launches, kMostNamed));
}

// What several launches have in common is said once; the list of all launches has the others.
void AddRemarks(const Check& check, Judgement judgement, std::vector<std::string>& notes) {
  std::map<std::string, std::vector<std::string>> launches;
  for (const CheckedLaunch* launch : LaunchesWith(check, judgement))
    for (const std::string& remark : launch->remarks) launches[remark].push_back(LaunchName(*launch));
  for (const auto& [remark, names] : launches) notes.push_back(Names(names) + ": " + remark);
}

void AddChanged(const Check& check, Judgement judgement, const char* title, Report& report) {
  if (check.Count(judgement) == 0) return;
  report.sections.push_back({.title = title, .tables = {ChangedTable(check, judgement)}});
  AddRemarks(check, judgement, report.sections.back().notes);
}

void AddReasons(const Check& check, Judgement judgement, const char* title, Report& report) {
  if (check.Count(judgement) == 0) return;
  Section& section = report.sections.emplace_back();
  section = {.title = title, .one_line = true, .item_titles = {"Launch", "", "Why"}};
  for (const CheckedLaunch* launch : LaunchesWith(check, judgement))
    section.items.push_back({.key = LaunchName(*launch), .text = launch->why, .brief = launch->why});
  AddRemarks(check, judgement, section.notes);
}

Item CausesOf(const CheckedLaunch& launch) {
  const Explanation& e = *launch.explanation;
  Item item{LaunchName(launch), {e.DeltaUs(), kTimeDeltaUs}, e.verdict.reason};
  for (const CausePart& cause : e.causes) item.details.push_back(CauseText(&cause, e.DeltaUs()) + ": " + cause.text);
  item.details.push_back(e.decomposition ? "unexplained " + PartText(e.unexplained_us, e.DeltaUs())
                                         : "not measured: " + e.no_decomposition);
  return item;
}

Section Causes(const Check& check) {
  Section section{.title = "Causes of the slow-downs", .folded = true};
  for (const Judgement judgement : {Judgement::kRegression, Judgement::kSuspect})
    for (const CheckedLaunch* launch : LaunchesWith(check, judgement))
      if (!launch->same_program) section.items.push_back(CausesOf(*launch));
  return section;
}

Section Details(const Check& check) {
  Section section{.title = "All launches", .tables = {AllTable(check)}, .folded = true};
  AddRemarks(check, Judgement::kWithinLimit, section.notes);
  return section;
}

}  // namespace

Report MakeCheckReport(const Check& check, std::span<const Warning> base_warnings,
                       std::span<const Warning> candidate_warnings) {
  Report report{.kind = "check", .title = CheckHeadline(check)};
  report.banner = {ToneOf(check.Status()), std::string(OutcomeOf(check.Status()))};
  AddRunHeader(check.candidate, OfBoth(check, base_warnings, candidate_warnings), report);
  // Its lines about one run would stand above what is wrong with the other.
  report.context = {{"base", "Base", RunText(check.base)},
                    {"candidate", "Candidate", RunText(check.candidate)},
                    {"gpu", "Recorded on", GpuText(check)},
                    {"max_slowdown", "Limit", "slower by " + Limit(check)}};
  report.identity.push_back({"base_run_uuid", "", check.base.run.uuid});
  report.identity.push_back({"base_run_label", "", check.base.run.label});
  report.warnings.insert(report.warnings.end(), check.caveats.begin(), check.caveats.end());
  // Who has ten seconds reads this and the title.
  if (std::string worst = WorstLine(check); !worst.empty()) report.answer.notes.push_back(std::move(worst));
  if (check.work) report.answer.notes.push_back(check.work->why);
  report.answer.notes.push_back(check.not_comparable.empty() ? Counts(check) : check.not_comparable);
  report.sections.push_back(Summary(check));
  AddChanged(check, Judgement::kRegression, "Regressions", report);
  AddChanged(check, Judgement::kSuspect, "Suspects", report);
  if (check.Count(Judgement::kSuspect) > 0)
    report.sections.back().notes.push_back("What they show may be the process or chance: " +
                                           HowToConfirm(check.candidate.run.program.has_value()));
  AddReasons(check, Judgement::kNotJudged, "Could not be judged", report);
  AddReasons(check, Judgement::kInconclusive, "Inconclusive", report);
  if (!NotExcluded(check).empty())
    report.sections.push_back(
        {.title = "Not excluded: slower by more than " + Limit(check) + " is neither shown nor excluded",
         .tables = {NotExcludedTable(check)}});
  AddChanged(check, Judgement::kImprovement, "Improvements", report);
  AddReasons(check, Judgement::kNotCompared, "Not compared", report);
  if (Section causes = Causes(check); !causes.items.empty()) report.sections.push_back(std::move(causes));
  if (!check.launches.empty()) report.sections.push_back(Details(check));
  for (Section& section : report.sections) section.detail |= section.folded;
  if (std::optional<Chart> chart = CheckChart(check)) report.charts.push_back(*std::move(chart));
  return report;
}

}  // namespace culprit
