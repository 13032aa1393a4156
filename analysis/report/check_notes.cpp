// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/check_notes.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/program/command.h"
#include "analysis/render/format.h"
#include "analysis/report/check_tables.h"
#include "analysis/why/cause_place.h"
#include "analysis/why/leading_causes.h"
#include "db/regular_file.h"

namespace culprit {
namespace {

using enum Unit;

std::string Limit(const Check& check) { return fmt::format("{:g} %", 100 * check.max_slowdown); }

std::string Launches(int n) { return fmt::format("{} {}", n, n == 1 ? "launch" : "launches"); }

double Cost(const CheckedLaunch* launch) { return launch->CostUs().value_or(-std::numeric_limits<double>::infinity()); }

std::vector<const CheckedLaunch*> CostliestFirst(const Check& check) {
  std::vector<const CheckedLaunch*> launches = LaunchesWith(check, Judgement::kRegression);
  std::ranges::stable_sort(launches, std::greater(), Cost);
  return launches;
}

// "705.0 us -> 1,286.9 us, +582.0 us (+82.6 %)"
std::string TimesText(const CheckedLaunch& launch) {
  const double base = launch.base_us.value_or(0), candidate = launch.candidate_us.value_or(0);
  std::string text = fmt::format("{} -> {}, {}", Format(base, kTimeUs), Format(candidate, kTimeUs),
                                 Format(candidate - base, kTimeDeltaUs));
  if (const Measured change = ChangeOfMediansPct(launch)) text += fmt::format(" ({})", Format(*change, kChangePercent));
  if (launch.calls > 1) text += fmt::format(" in each of {} calls", Format(launch.calls, kCount));
  return text;
}

// "local_memory_array +403.7 us (69.4 %), at kernels/v1_6.cu:34."
std::string CauseOf(const CheckedLaunch& launch) {
  std::string text = "Cause: ";
  if (launch.same_program)
    text += "not the code, which is the same in both runs";
  else if (const CausePart* first = launch.explanation ? FirstCause(*launch.explanation) : nullptr)
    text += CauseText(first, launch.explanation->DeltaUs());
  else
    text += "not known (" + (launch.explanation ? WithoutCause(*launch.explanation) : "not measured") + ")";
  if (const std::string lines = ToText(BlamedLinesOf(launch)); !lines.empty()) text += ", at " + lines;
  return text + ".";
}

std::string RegressionText(const CheckedLaunch& launch) {
  std::string text = LaunchName(launch) + ": " + TimesText(launch) + ". " + CauseOf(launch);
  for (const std::string& remark : launch.remarks) text += " " + remark;
  return text;
}

}  // namespace

std::vector<LineRange> BlamedLinesOf(const CheckedLaunch& launch) {
  const CausePart* first = launch.explanation ? FirstCause(*launch.explanation) : nullptr;
  if (first != nullptr)
    if (CausePlace place = PlaceOf(*first); !place.lines.empty()) return std::move(place.lines);
  if (launch.source_file.empty()) return {};
  return {{launch.source_file, launch.source_line, launch.source_line}};
}

LineRange FirstLinesInProject(const CheckedLaunch& launch) {
  const std::vector<LineRange> lines = BlamedLinesOf(launch);
  return !lines.empty() && LeadsDown(lines.front().file) ? lines.front() : LineRange();
}

std::string LaunchName(const CheckedLaunch& launch) { return launch.stage + " at " + launch.shape; }

std::vector<CheckNote> CheckNotes(const Check& check) {
  std::vector<CheckNote> notes;
  const auto add_work = [&](Judgement judgement) {
    if (check.work && check.work->judgement == judgement)
      notes.push_back({nullptr, judgement, ProgramName(check.candidate.run), check.work->why});
  };
  for (const CheckedLaunch* launch : CostliestFirst(check))
    notes.push_back({launch, launch->judgement, LaunchName(*launch), RegressionText(*launch)});
  add_work(Judgement::kRegression);
  for (const CheckedLaunch* launch : LaunchesWith(check, Judgement::kNotJudged))
    notes.push_back({launch, launch->judgement, LaunchName(*launch), LaunchName(*launch) + ": " + launch->why});
  add_work(Judgement::kNotJudged);
  return notes;
}

std::string CheckHeadline(const Check& check) {
  if (!check.not_comparable.empty()) return "Not judged: the two runs cannot be compared";
  const int all = static_cast<int>(check.launches.size()), slower = check.Count(Judgement::kRegression);
  const int unjudged = check.Count(Judgement::kNotJudged), compared = all - check.Count(Judgement::kNotCompared);
  const std::string of_launches =
      fmt::format("{} compared, 0 slower by more than {}", Launches(compared), Limit(check));
  // What counts of the whole stands first where the launches alone would be fine.
  const bool work_decides = slower == 0 && check.work && !Passes(check.work->judgement);
  const auto with_work = [&](std::string launches) {
    if (!check.work) return launches;
    const std::string span = SpanText(check.work->verdict);
    const std::string work =
        fmt::format("{} {}{}", kWorkName, WorkText(check.work->verdict), span.empty() ? "" : "; " + span);
    return work_decides ? work + "; " + launches : launches + "; " + work;
  };
  switch (check.Status()) {
    case CheckStatus::kRegression:
      return "Regression: " +
             with_work(slower == 0
                           ? of_launches
                           : fmt::format("{} of {} {} slower by more than {}{}", slower, Launches(all),
                                         slower == 1 ? "is" : "are", Limit(check),
                                         unjudged > 0 ? fmt::format(", {} could not be judged", unjudged) : ""));
    case CheckStatus::kNotJudged:
      if (unjudged == 0 && !check.work) return "Not judged: the two runs have nothing that can be compared";
      return "Not judged: " + with_work(unjudged > 0
                                            ? fmt::format("{} of {} could not be judged", unjudged, Launches(all))
                                            : of_launches);
    case CheckStatus::kFine: {
      const std::size_t open = NotExcluded(check).size();
      return "Fine: " + with_work(of_launches + (open > 0 ? fmt::format(", {} inconclusive", open) : ""));
    }
  }
  return {};
}

std::string WorstLine(const Check& check) {
  if (const auto costliest = CostliestFirst(check); !costliest.empty())
    return fmt::format("{}{}: {}. {}", costliest.size() > 1 ? "Worst: " : "", LaunchName(*costliest.front()),
                       TimesText(*costliest.front()), CauseOf(*costliest.front()));
  return {};
}

}  // namespace culprit
