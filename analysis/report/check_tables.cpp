// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/check_tables.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/render/format.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/program_tables.h"
#include "analysis/why/leading_causes.h"

namespace culprit {
namespace {

// Wide samples in a whole recording must not push what else there is to read off the page.
constexpr std::size_t kMostNotExcludedShown = 10;

using Side = double Shift::*;

Measured Percent(const std::optional<Shift>& shift, Side side) {
  return shift ? Measured(100 * (*shift).*side) : Measured();
}

Number ChangeCell(const CheckedLaunch& launch) {
  return {Percent(launch.Change(), &Shift::change), Unit::kChangePercent};
}

std::string Range(const CheckedLaunch& launch) {
  const std::optional<Shift> change = launch.Change();
  if (!change) return "-";
  return fmt::format("{} .. {}", Format(100 * change->low, Unit::kChangePercent),
                     Format(100 * change->high, Unit::kChangePercent));
}

Measured NotExcludedPct(const CheckedLaunch& launch) {
  return launch.not_excluded ? Measured(100 * *launch.not_excluded) : Measured::Missing(Absence::kUndefined);
}

std::string Code(const CheckedLaunch& launch) {
  return !launch.same_code ? "unknown" : *launch.same_code ? "same" : "changed";
}

bool IsDecomposed(const CheckedLaunch& l) { return l.explanation && IsExplained(*l.explanation); }

ReportTable LaunchTable(const Check& check) {
  using Launch = CheckedLaunch;
  const auto bound = [](Side side) { return [side](const Launch& l) { return Percent(l.Change(), side); }; };
  return ForPrograms(Tabulate<Launch>(
      "launches", "", check.launches,
      {{"stage", "", &Launch::stage},
       {"shape", "", &Launch::shape},
       {"judgement", "", [](const Launch& l) { return ToText(l.judgement); }},
       {"why", "", &Launch::why},
       {"base_us", "", Unit::kTimeUs, &Launch::base_us},
       {"candidate_us", "", Unit::kTimeUs, &Launch::candidate_us},
       {"change_pct", "", Unit::kChangePercent, bound(&Shift::change)},
       {"change_low_pct", "", Unit::kChangePercent, bound(&Shift::low)},
       {"change_high_pct", "", Unit::kChangePercent, bound(&Shift::high)},
       {"cycles_change_pct", "", Unit::kChangePercent,
        [](const Launch& l) {
          return Percent(l.explanation ? l.explanation->verdict.cycles : std::nullopt, &Shift::change);
        }},
       {"verdict", "",
        [](const Launch& l) { return l.explanation ? ToText(l.explanation->verdict.speed) : "not measured"; }},
       {"noise_floor_pct", "", Unit::kPercent,
        [](const Launch& l) {
          return l.explanation ? Measured(100 * l.explanation->verdict.floor.change) : Measured();
        }},
       {"not_excluded_pct", "", Unit::kChangePercent, NotExcludedPct},
       {"code", "", Code},
       {"decomposed", "", [](const Launch& l) { return IsDecomposed(l) ? "yes" : "no"; }},
       {"unexplained_us", "", Unit::kTimeDeltaUs,
        [](const Launch& l) { return IsDecomposed(l) ? Measured(l.explanation->unexplained_us) : Measured(); }},
       {"remarks", "", [](const Launch& l) { return fmt::format("{}", fmt::join(l.remarks, " ")); }}}));
}

// For people: each line begins with a launch and its times, and goes on with these.
ReportTable TableOfLaunches(const std::vector<std::string>& titles) {
  ReportTable table;
  for (const char* title : {"Stage", "Shape", "Base", "Candidate", "Change"}) table.columns.push_back({"", title});
  for (const std::string& title : titles) table.columns.push_back({"", title});
  return table;
}

std::vector<Cell> RowOf(const CheckedLaunch& launch, const std::vector<Cell>& rest) {
  std::vector<Cell> row{launch.stage, launch.shape, Number{launch.base_us, Unit::kTimeUs},
                        Number{launch.candidate_us, Unit::kTimeUs}, ChangeCell(launch)};
  row.insert(row.end(), rest.begin(), rest.end());
  return row;
}

ReportTable CauseTable(const Check& check) {
  ReportTable table = CauseTableForPrograms({"stage", "shape"});
  for (const CheckedLaunch& launch : check.launches)
    if (launch.explanation) AddCauses({launch.stage, launch.shape}, *launch.explanation, table);
  return table;
}

}  // namespace

std::vector<const CheckedLaunch*> LaunchesWith(const Check& check, Judgement judgement) {
  std::vector<const CheckedLaunch*> launches;
  for (const CheckedLaunch& launch : check.launches)
    if (launch.judgement == judgement) launches.push_back(&launch);
  std::ranges::stable_sort(launches, std::greater<>(), [](const CheckedLaunch* launch) {
    return launch->Change() ? std::abs(std::log1p(launch->Change()->change)) : 0;
  });
  return launches;
}

std::vector<const CheckedLaunch*> NotExcluded(const Check& check) {
  std::vector<const CheckedLaunch*> launches;
  for (const CheckedLaunch& launch : check.launches)
    if (launch.not_excluded) launches.push_back(&launch);
  std::ranges::stable_sort(launches, std::greater<>(), [](const CheckedLaunch* l) { return *l->not_excluded; });
  return launches;
}

ReportTable ChangedTable(const Check& check, Judgement judgement) {
  ReportTable table = TableOfLaunches({"First cause", "Second cause", "Unexplained"});
  for (const CheckedLaunch* launch : LaunchesWith(check, judgement)) {
    const Explanation& e = *launch->explanation;
    const CausePart* first = FirstCause(e);
    table.rows.push_back(RowOf(*launch, {first                  ? CauseText(first, e.DeltaUs())
                                         : launch->same_program ? "not the code"
                                                                : WithoutCause(e),
                                         CauseText(SecondCause(e), e.DeltaUs()),
                                         e.decomposition ? PartText(e.unexplained_us, e.DeltaUs()) : "-"}));
  }
  return table;
}

ReportTable NotExcludedTable(const Check& check) {
  ReportTable table = TableOfLaunches({"Not excluded", "Judgement"});
  for (const CheckedLaunch* launch : NotExcluded(check))
    table.rows.push_back(RowOf(
        *launch, {Number{NotExcludedPct(*launch), Unit::kChangePercent}, std::string(ToText(launch->judgement))}));
  if (table.rows.size() > kMostNotExcludedShown) {
    table.shown = kMostNotExcludedShown;
    table.notes.push_back(
        fmt::format("{} more: see their intervals under 'All launches'.", table.rows.size() - kMostNotExcludedShown));
  }
  return table;
}

ReportTable AllTable(const Check& check) {
  ReportTable table = TableOfLaunches({fmt::format("{:g} % interval", 100 * kVerdictConfidence), "Judgement", "Code"});
  for (const CheckedLaunch& launch : check.launches)
    table.rows.push_back(RowOf(launch, {Range(launch), std::string(ToText(launch.judgement)), Code(launch)}));
  return table;
}

std::vector<ReportTable> ProgramTables(const Check& check) { return {LaunchTable(check), CauseTable(check)}; }

}  // namespace culprit
