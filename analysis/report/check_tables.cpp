// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/check_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/render/format.h"
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

Measured NotExcluded(const CheckedLaunch& launch) {
  return launch.not_excluded ? Measured(100 * *launch.not_excluded) : Measured::Missing(Absence::kUndefined);
}

std::string Code(const CheckedLaunch& launch) {
  return !launch.same_code ? "unknown" : *launch.same_code ? "same" : "changed";
}

ReportTable LaunchTable(const Check& check) {
  ReportTable table = TableForPrograms(
      "launches", {"stage", "shape", "judgement", "why", "base_us", "candidate_us", "change_pct", "change_low_pct",
                   "change_high_pct", "cycles_change_pct", "verdict", "noise_floor_pct", "not_excluded_pct", "code",
                   "decomposed", "unexplained_us", "remarks"});
  for (const CheckedLaunch& launch : check.launches) {
    const Explanation* e = launch.explanation ? &*launch.explanation : nullptr;
    const bool decomposed = e && IsExplained(*e);
    std::string remarks;
    for (const std::string& remark : launch.remarks) remarks += (remarks.empty() ? "" : " ") + remark;
    table.rows.push_back({launch.stage, launch.shape, std::string(ToText(launch.judgement)), launch.why,
                          Number{launch.base_us, Unit::kTimeUs}, Number{launch.candidate_us, Unit::kTimeUs},
                          ChangeCell(launch), Number{Percent(launch.Change(), &Shift::low), Unit::kChangePercent},
                          Number{Percent(launch.Change(), &Shift::high), Unit::kChangePercent},
                          Number{Percent(e ? e->verdict.cycles : std::nullopt, &Shift::change), Unit::kChangePercent},
                          e ? std::string(ToText(e->verdict.outcome)) : "not measured",
                          Number{e ? Measured(100 * e->verdict.floor.change) : Measured(), Unit::kPercent},
                          Number{NotExcluded(launch), Unit::kChangePercent}, Code(launch), decomposed ? "yes" : "no",
                          Number{decomposed ? Measured(e->unexplained_us) : Measured(), Unit::kTimeDeltaUs}, remarks});
  }
  return table;
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

std::vector<const CheckedLaunch*> Judged(const Check& check, Judgement judgement) {
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
  for (const CheckedLaunch* launch : Judged(check, judgement)) {
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
    table.rows.push_back(
        RowOf(*launch, {Number{NotExcluded(*launch), Unit::kChangePercent}, std::string(ToText(launch->judgement))}));
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
