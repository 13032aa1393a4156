// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/check_notes.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/judge/why/headline.h"
#include "analysis/launch/command.h"
#include "analysis/number/format.h"
#include "analysis/number/name_in.h"
#include "analysis/show/report/check_tables.h"
#include "db/regular_file.h"

namespace culprit {
namespace {

using enum Unit;

std::string Launches(int n) { return fmt::format("{} {}", n, n == 1 ? "launch" : "launches"); }

// "705.0 us -> 1,286.9 us, +582.0 us (+82.6 %)"
std::string TimesText(const CheckedLaunch& launch) {
  const double base = launch.base_us.value_or(0), candidate = launch.candidate_us.value_or(0);
  const double largest = std::max(base, candidate);
  std::string text = fmt::format("{} -> {}, {}", Format(base, kTimeUs, largest), Format(candidate, kTimeUs, largest),
                                 Format(candidate - base, kTimeDeltaUs, largest));
  if (const Measured change = ChangeOfMediansPct(launch)) text += fmt::format(" ({})", Format(*change, kChangePercent));
  if (launch.calls > 1) text += fmt::format(" in the median of {} calls", Format(launch.calls, kCount));
  return text;
}

// "local_memory_array +403.7 us (69.4 %), at kernels/v1_6.cu:34."
std::string CauseOf(const CheckedLaunch& launch) {
  if (launch.same_program) return "Cause: not the code, which is the same in both runs.";
  std::string text = "Cause: ";
  if (const CausePart* first = launch.explanation ? FirstCause(*launch.explanation) : nullptr)
    text += CauseText(first, launch.explanation->DeltaUs());
  else
    text += "not known (" + (launch.explanation ? WithoutCause(*launch.explanation) : "not measured") + ")";
  const CausePlace place = BlamedPlaceOf(launch);
  if (!place.lines.empty()) text += (place.kernel.empty() ? ", at " : ", in ") + ToText(place);
  return text + ".";
}

// Of a regression or a suspect.
std::string SlowerText(const CheckedLaunch& launch) {
  std::string text = LaunchName(launch) + ": " + TimesText(launch) + ". " + CauseOf(launch);
  for (const std::string& remark : launch.remarks) text += " " + remark;
  if (launch.judgement == Judgement::kSuspect) text += " Suspect: " + launch.why;
  return text;
}

// ", 2 of them could be slower by up to 2.3 %": launches that pass although their intervals reach above the limit.
std::string OpenText(const Check& check, const char* of_them) {
  const std::vector<const CheckedLaunch*> open = NotExcluded(check);
  if (open.empty()) return {};
  return fmt::format(", {} {} could be slower by up to {}", open.size(), of_them,
                     Format(100 * *open.front()->not_excluded, kPercent));
}

// What is said of launches that do not pass. The first that applies is said in full, with the number of all launches.
struct Open {
  Judgement judgement;
  const char *one, *several;
  bool names_limit;
};
constexpr Open kOpen[] = {{Judgement::kRegression, "is slower", "are slower", true},
                          {Judgement::kNotJudged, "could not be judged", "could not be judged", false},
                          {Judgement::kSuspect, "is suspected to be slower", "are suspected to be slower", true},
                          {Judgement::kInconclusive, "is inconclusive", "are inconclusive", false}};

// "1 of 3 launches is slower by more than 2 %, 1 could not be judged"
std::string LaunchesText(const Check& check) {
  const int all = static_cast<int>(check.launches.size());
  std::string text;
  for (const auto& [judgement, one, several, names_limit] : kOpen) {
    const int n = check.Count(judgement);
    if (n == 0) continue;
    const std::string limit = names_limit && text.empty() ? fmt::format(" by more than {}", Limit(check)) : "";
    text += fmt::format("{}{}{} {}{}", text.empty() ? "" : ", ", n, text.empty() ? " of " + Launches(all) : "",
                        n == 1 ? one : several, limit);
  }
  if (!text.empty()) return text + OpenText(check, "more");
  if (check.Compared() == 0) return fmt::format("0 of {} could be compared", Launches(all));
  return fmt::format("{} compared, 0 slower by more than {}{}", Launches(check.Compared()), Limit(check),
                     OpenText(check, "of them"));
}

// "kernels take 13.34 ms (4.1 %) longer; the span on the GPU is ..."
std::string WorkLine(const CheckedWork& work) {
  const std::string span = SpanText(work.verdict), copies = CopiesText(work.verdict);
  std::string text = work.verdict.change ? fmt::format("{} {}", JudgedWords(work.verdict), WorkText(work.verdict))
                                         : "the work of the whole was not measured";
  if (work.by_copies)
    text = fmt::format("{} (too few executions to judge them); {}", copies, text);
  else if (!copies.empty())
    text += ", " + copies;
  return span.empty() ? text : text + "; " + span;
}

}  // namespace

std::string_view OutcomeOf(CheckStatus status) {
  using enum CheckStatus;
  return NameIn<CheckStatus>(
      {{kRegression, "Regression"}, {kNotJudged, "Not judged"}, {kInconclusive, "Inconclusive"}, {kFine, "Fine"}},
      status);
}

std::string Limit(const Check& check) { return fmt::format("{:g} %", 100 * check.max_slowdown); }

CausePlace BlamedPlaceOf(const CheckedLaunch& launch) {
  const CausePart* first = launch.explanation ? FirstCause(*launch.explanation) : nullptr;
  if (first != nullptr)
    if (CausePlace place = PlaceOf(*first); !place.lines.empty()) return place;
  if (launch.source_file.empty()) return {};
  return {{{launch.source_file, launch.source_line, launch.source_line}}, launch.stage};
}

LineRange FirstLinesInProject(const CheckedLaunch& launch) {
  const std::vector<LineRange> lines = BlamedPlaceOf(launch).lines;
  return !lines.empty() && LeadsDown(lines.front().file) ? lines.front() : LineRange();
}

std::string LaunchName(const CheckedLaunch& launch) { return launch.stage + " at " + launch.shape; }

std::vector<CheckNote> CheckNotes(const Check& check) {
  std::vector<CheckNote> notes;
  const auto add_work = [&](Judgement judgement) {
    if (check.work && check.work->judgement == judgement)
      notes.push_back({nullptr, judgement, ProgramName(check.candidate.run), check.work->why});
  };
  for (const Judgement judgement : {Judgement::kRegression, Judgement::kSuspect}) {
    for (const CheckedLaunch* launch : LaunchesWith(check, judgement))
      notes.push_back({launch, judgement, LaunchName(*launch), SlowerText(*launch)});
    add_work(judgement);
  }
  for (const Judgement judgement : {Judgement::kNotJudged, Judgement::kInconclusive}) {
    for (const CheckedLaunch* launch : LaunchesWith(check, judgement))
      notes.push_back({launch, judgement, LaunchName(*launch), LaunchName(*launch) + ": " + launch->why});
    add_work(judgement);
  }
  return notes;
}

std::string CheckHeadline(const Check& check) {
  if (!check.not_comparable.empty()) return "Not judged: the two runs cannot be compared";
  if (check.Compared() == 0 && !check.work) return "Not judged: the two runs have nothing that can be compared";
  const std::string launches = LaunchesText(check);
  const std::string_view outcome = OutcomeOf(check.Status());
  if (!check.work) return fmt::format("{}: {}", outcome, launches);
  // What decides stands first: the whole where the launches alone would be fine.
  const bool launches_decide =
      std::ranges::any_of(check.launches, [](const CheckedLaunch& launch) { return !Passes(launch.judgement); });
  const bool work_decides =
      !Passes(check.work->judgement) && (!launches_decide || (check.work->judgement == Judgement::kRegression &&
                                                              check.Count(Judgement::kRegression) == 0));
  const std::string work = WorkLine(*check.work);
  return fmt::format("{}: {}; {}", outcome, work_decides ? work : launches, work_decides ? launches : work);
}

std::string WorstLine(const Check& check) {
  for (const Judgement judgement : {Judgement::kRegression, Judgement::kSuspect})
    if (const auto costliest = LaunchesWith(check, judgement); !costliest.empty())
      return fmt::format("{}{}: {}. {}", costliest.size() > 1 ? "Worst: " : "", LaunchName(*costliest.front()),
                         TimesText(*costliest.front()), CauseOf(*costliest.front()));
  return {};
}

}  // namespace culprit
