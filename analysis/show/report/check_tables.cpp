// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/check_tables.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/gate/change_text.h"
#include "analysis/judge/why/headline.h"
#include "analysis/number/format.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/cause_table.h"
#include "analysis/show/report/check_notes.h"

namespace culprit {
namespace {

using enum Unit;

// Wide samples in a whole recording must not push what else there is to read off the page.
constexpr std::size_t kMostNotExcludedShown = 10;

std::string Range(const CheckedLaunch& launch) {
  const std::optional<Shift> change = launch.Change();
  return change ? IntervalText(*change) : "-";
}

Measured NotExcludedPct(const CheckedLaunch& launch) {
  return launch.not_excluded ? Measured(100 * *launch.not_excluded) : Measured::Missing(Absence::kUndefined);
}

std::string_view JudgementText(const CheckedLaunch& launch) { return ToText(launch.judgement); }

std::string Code(const CheckedLaunch& launch) {
  return !launch.same_code ? "unknown" : *launch.same_code ? "same" : "changed";
}

bool IsDecomposed(const CheckedLaunch& l) { return l.explanation && IsExplained(*l.explanation); }

ReportTable LaunchTable(const Check& check) {
  using Launch = CheckedLaunch;
  const auto bound = [](double Shift::*side) {
    return [side](const Launch& l) { return PercentOf(l.Change(), side); };
  };
  return ForPrograms<Launch>(
      "launches", check.launches,
      {{"stage", &Launch::stage},
       {"shape", &Launch::shape},
       {"judgement", JudgementText},
       {"why", &Launch::why},
       {"base_us", kTimeUs, &Launch::base_us},
       {"candidate_us", kTimeUs, &Launch::candidate_us},
       {"change_pct", kChangePercent, bound(&Shift::change)},
       {"change_low_pct", kChangePercent, bound(&Shift::low)},
       {"change_high_pct", kChangePercent, bound(&Shift::high)},
       {"cycles_change_pct", kChangePercent,
        [](const Launch& l) {
          return PercentOf(l.explanation ? l.explanation->verdict.cycles : std::nullopt, &Shift::change);
        }},
       {"verdict", "",
        [](const Launch& l) { return l.explanation ? ToText(l.explanation->verdict.speed) : "not measured"; }},
       {"noise_floor_pct", kPercent,
        [](const Launch& l) {
          return l.explanation ? Measured(100 * l.explanation->verdict.floor.change) : Measured();
        }},
       {"not_excluded_pct", kChangePercent, NotExcludedPct},
       {"code", Code},
       {"source", [](const Launch& l) { return ToText(BlamedPlaceOf(l).lines); }},
       {"decomposed", [](const Launch& l) { return IsDecomposed(l) ? "yes" : "no"; }},
       {"unexplained_us", kTimeDeltaUs,
        [](const Launch& l) { return IsDecomposed(l) ? Measured(l.explanation->unexplained_us) : Measured(); }},
       {"remarks", [](const Launch& l) { return fmt::format("{}", fmt::join(l.remarks, " ")); }}});
}

// For people: each line begins with a launch and its times, and goes on with these.
ReportTable TableOfLaunches(const std::vector<const CheckedLaunch*>& launches,
                            const std::vector<ColumnOf<CheckedLaunch>>& rest) {
  std::vector<ColumnOf<CheckedLaunch>> columns = {{"", "Kernel", &CheckedLaunch::stage},
                                                  {"", "Shape", &CheckedLaunch::shape},
                                                  {"", "Base", kTimeUs, &CheckedLaunch::base_us},
                                                  {"", "Candidate", kTimeUs, &CheckedLaunch::candidate_us},
                                                  {"", "Change", kChangePercent, ChangeOfMediansPct}};
  columns.insert(columns.end(), rest.begin(), rest.end());
  return Tabulate<CheckedLaunch>("", "", launches, columns);
}

std::string FirstCauseText(const CheckedLaunch& launch) {
  const Explanation& e = *launch.explanation;
  if (const CausePart* first = FirstCause(e)) return CauseText(first, e.DeltaUs());
  return launch.same_program ? "not the code" : WithoutCause(e);
}

std::string SecondCauseText(const CheckedLaunch& launch) {
  return CauseText(SecondCause(*launch.explanation), launch.explanation->DeltaUs());
}

std::string UnexplainedText(const CheckedLaunch& launch) {
  const Explanation& e = *launch.explanation;
  return e.decomposition ? PartText(e.unexplained_us, e.DeltaUs()) : "-";
}

std::vector<const CheckedLaunch*> InOrder(const Check& check) {
  std::vector<const CheckedLaunch*> all;
  for (const CheckedLaunch& launch : check.launches) all.push_back(&launch);
  return all;
}

}  // namespace

Measured ChangeOfMediansPct(const CheckedLaunch& launch) {
  return Measured(100) * (launch.candidate_us - launch.base_us) / launch.base_us;
}

std::vector<const CheckedLaunch*> LaunchesWith(const Check& check, Judgement judgement) {
  std::vector<const CheckedLaunch*> launches = InOrder(check);
  std::erase_if(launches, [&](const CheckedLaunch* launch) { return launch->judgement != judgement; });
  return launches;
}

std::vector<const CheckedLaunch*> NotExcluded(const Check& check) {
  std::vector<const CheckedLaunch*> launches = InOrder(check);
  std::erase_if(launches, [](const CheckedLaunch* launch) { return !launch->not_excluded; });
  std::ranges::stable_sort(launches, std::greater<>(),
                           [](const CheckedLaunch* launch) { return *launch->not_excluded; });
  return launches;
}

ReportTable ChangedTable(const Check& check, Judgement judgement) {
  return TableOfLaunches(LaunchesWith(check, judgement), {{"", "First cause", FirstCauseText},
                                                          {"", "Second cause", SecondCauseText},
                                                          {"", "Unexplained", UnexplainedText}});
}

ReportTable NotExcludedTable(const Check& check) {
  ReportTable table = TableOfLaunches(
      NotExcluded(check), {{"", "Not excluded", kChangePercent, NotExcludedPct}, {"", "Judgement", JudgementText}});
  if (table.rows.size() > kMostNotExcludedShown) {
    table.shown = kMostNotExcludedShown;
    table.notes.push_back(
        fmt::format("{} more: see their intervals under 'All launches'.", table.rows.size() - kMostNotExcludedShown));
  }
  return table;
}

ReportTable AllTable(const Check& check) {
  return TableOfLaunches(InOrder(check), {{"", fmt::format("{:g} % interval", 100 * kVerdictConfidence), Range},
                                          {"", "Judgement", JudgementText},
                                          {"", "Code", Code}});
}

std::vector<ReportTable> ProgramTables(const Check& check) {
  return {LaunchTable(check), CauseTable<CheckedLaunch>(InOrder(check), {"stage", &CheckedLaunch::stage},
                                                        {"shape", &CheckedLaunch::shape})};
}

}  // namespace culprit
