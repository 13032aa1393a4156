// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/history_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/kernel/recording.h"
#include "analysis/number/statistics.h"
#include "analysis/render/format.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/charts.h"
#include "analysis/report/program_tables.h"
#include "analysis/report/run_header.h"
#include "analysis/why/cause_place.h"
#include "analysis/why/leading_causes.h"

namespace culprit {
namespace {

using enum Unit;

constexpr double kBar = 24;  // columns of the longest

using Side = double Shift::*;

Measured Bound(const HistoryPoint& p, Side side) { return p.change ? Measured(100 * (*p.change).*side) : Measured(); }

std::string ChangeOf(const HistoryPoint& p) { return p.change ? Format(100 * p.change->change, kChangePercent) : "-"; }

const CausePart* CauseOf(const HistoryPoint& p) { return p.explanation ? FirstCause(*p.explanation) : nullptr; }

std::string CauseWords(const HistoryPoint& p) {
  if (!p.explanation) return "";
  if (const CausePart* cause = CauseOf(p)) return CauseText(cause, p.explanation->DeltaUs());
  return WithoutCause(*p.explanation);
}

std::string SourceOf(const HistoryPoint& p) {
  const CausePart* cause = CauseOf(p);
  return cause == nullptr ? "" : ToText(PlaceOf(*cause).lines);
}

std::string NameOf(const HistoryPoint& p) {
  const RunRecord& run = p.kernel.run.run;
  return run.label.empty() ? ShortUuid(run) : run.label;
}

std::string What(const HistoryPoint& p) {
  if (!p.is_change) return "";
  return p.change->change > 0 ? "slower" : "faster";
}

double Largest(const History& history) {
  double largest = 0;
  for (const HistoryPoint& p : history.points) largest = std::max(largest, p.median_us.value_or(0));
  return largest;
}

auto LastChange(const History& h) {
  return std::find_if(h.points.rbegin(), h.points.rend(), [](const auto& p) { return p.is_change; });
}

Banner BannerOf(const History& h) {
  if (h.points.size() == 1) return {Tone::kOpen, "No history yet"};
  const auto last = LastChange(h);
  if (last == h.points.rend()) return {Tone::kNeutral, "No change"};
  return last->change->change > 0 ? Banner{Tone::kBad, "Slower since " + NameOf(*last)}
                                  : Banner{Tone::kGood, "Faster since " + NameOf(*last)};
}

// "3 changes over 12 runs; since the last, in \"change\": ..."
std::string Headline(const History& h) {
  const std::string of = fmt::format("{} at {}", h.stage, h.shape);
  const auto last = LastChange(h);
  if (h.points.size() == 1) return fmt::format("{}: one run, so there is no history yet", of);
  if (last == h.points.rend()) return fmt::format("{}: no change over {} runs", of, h.points.size());
  const std::string cause = CauseWords(*last);
  return fmt::format("{}: {} change{} over {} runs, the last in {}: {} by {}{}", of, h.Changes(),
                     h.Changes() == 1 ? "" : "s", h.points.size(), NameOf(*last), What(*last),
                     Format(100 * last->change->change, kChangePercent), cause.empty() ? "" : ", " + cause);
}

ReportTable RunTable(const History& h) {
  return ForPrograms(Tabulate<HistoryPoint>(
      "runs", "", h.points,
      {{"run_uuid", "", [](const HistoryPoint& p) { return p.kernel.run.run.uuid; }},
       {"run_label", "", [](const HistoryPoint& p) { return p.kernel.run.run.label; }},
       {"recorded_utc", "", [](const HistoryPoint& p) { return p.kernel.run.run.started_utc; }},
       {"git_sha", "", [](const HistoryPoint& p) { return p.kernel.run.run.git_sha; }},
       {"executions", "", kCount, &HistoryPoint::executions},
       {"samples", "", kCount, [](const HistoryPoint& p) { return static_cast<double>(p.kernel.samples.size()); }},
       {"median_us", "", kTimeUs, &HistoryPoint::median_us},
       {"of", "", [](const HistoryPoint& p) { return p.by_cycles ? "cycles" : "time"; }},
       {"change_pct", "", kChangePercent, [](const HistoryPoint& p) { return Bound(p, &Shift::change); }},
       {"change_low_pct", "", kChangePercent, [](const HistoryPoint& p) { return Bound(p, &Shift::low); }},
       {"change_high_pct", "", kChangePercent, [](const HistoryPoint& p) { return Bound(p, &Shift::high); }},
       {"changed", "", What},
       {"segment", "", kCount, &HistoryPoint::segment},
       {"cause", "", [](const HistoryPoint& p) { return CauseOf(p) ? CauseOf(p)->cause : std::string(); }},
       {"cause_us", "", kTimeDeltaUs,
        [](const HistoryPoint& p) { return CauseOf(p) ? Measured(CauseOf(p)->delta_us) : Measured(); }},
       {"source", "", SourceOf}}));
}

// One run has nothing to be compared with, and without a change there is no cause: no empty columns for either.
ReportTable ForPeople(const History& h) {
  const double largest = Largest(h);
  const auto bar = [largest](const HistoryPoint& p) {
    const double share = largest > 0 ? p.median_us.value_or(0) / largest : 0;
    return std::string(static_cast<std::size_t>(std::lround(kBar * share)), '=');
  };
  std::vector<ColumnOf<HistoryPoint>> columns = {
      {"", "Run", NameOf},
      {"", "Recorded", [](const HistoryPoint& p) { return p.kernel.run.run.started_utc; }},
      {"", "Time", kTimeUs, &HistoryPoint::median_us}};
  if (h.points.size() > 1) {
    columns.push_back({"", "", bar});
    columns.push_back({"", "Change", ChangeOf});
  }
  if (h.Changes() > 0) {
    columns.push_back({"", "Beyond noise", What});
    columns.push_back({"", "First cause", CauseWords});
    columns.push_back({"", "At", SourceOf});
  }
  return Tabulate<HistoryPoint>("", "", h.points, columns);
}

// What the table says, or what it takes to have a history.
std::string Note(const History& h) {
  if (h.points.size() == 1)
    return h.left_out.empty() ? "A history needs two runs of one GPU that have a label and this kernel: record again "
                                "with --label NAME."
                              : "A history needs two runs of one GPU that have a label and this kernel. Above stands "
                                "why other runs are left out, and what takes them.";
  return fmt::format(
      "Change: in {} against all runs since the last change together.{} False alarms: 1 in 100 histories.",
      h.points.back().by_cycles ? "cycles" : "time",
      h.Changes() > 0 ? fmt::format(" Beyond noise: its {:.4g} % interval, with the noise between "
                                    "recordings, excludes 0.",
                                    100 * h.confidence)
                      : "");
}

// Medians of the runs between two changes, and the median of these.
std::vector<double> Levels(const History& h) {
  std::vector<std::vector<double>> medians(static_cast<std::size_t>(h.Changes()) + 1);
  for (const HistoryPoint& p : h.points)
    if (p.median_us) medians[static_cast<std::size_t>(p.segment)].push_back(*p.median_us);
  std::vector<double> levels;
  for (std::vector<double>& of : medians) {
    const auto all = Describe(std::move(of));
    levels.push_back(all ? all->median : 0);
  }
  return levels;
}

}  // namespace

std::optional<Chart> HistoryChart(const History& h) {
  if (h.points.size() < 2) return std::nullopt;
  ReportTable table{.columns = {{"name", "Run"},
                                {"recorded", "Recorded"},
                                {"time_us", "Median"},
                                {"low_us", "Lower quartile"},
                                {"high_us", "Upper quartile"},
                                {"level_us", "", true},
                                {"segment", "", true},
                                {"change", "Change"},
                                {"moved", "Beyond noise"},
                                {"cause", "First cause"},
                                {"at", "At"}}};
  const std::vector<double> levels = Levels(h);
  for (const HistoryPoint& p : h.points) {
    const KernelView view(p.kernel);
    const auto& time = view.time().time_us;
    table.rows.push_back({NameOf(p),
                          p.kernel.run.run.started_utc,
                          {p.median_us, kTimeUs},
                          {time ? time->q1 : Measured(), kTimeUs},
                          {time ? time->q3 : Measured(), kTimeUs},
                          {levels[static_cast<std::size_t>(p.segment)], kTimeUs},
                          {static_cast<double>(p.segment), kInteger},
                          {Bound(p, &Shift::change), kChangePercent},
                          What(p),
                          CauseWords(p),
                          SourceOf(p)});
  }
  return Chart{.kind = ChartKind::kHistory,
               .title = "How long it took, run by run",
               .text =
                   "A dot is the median of a run, the oldest at the left, its line from the lower quartile of the "
                   "times to the upper. Where the time changed for good a dashed line stands, with by how much.",
               .data = std::move(table)};
}

Report MakeHistoryReport(const History& h) {
  Report report{.kind = "history", .title = Headline(h)};
  report.banner = BannerOf(h);
  AddRunHeader(h.points.back().kernel.run, {}, report);
  report.context = {{"gpu", "Recorded on", GpuName(h.points.back().kernel.run.run)}};
  report.warnings = h.left_out;
  if (std::optional<Chart> chart = HistoryChart(h)) report.charts.push_back(*std::move(chart));
  Section section{.key = "history",
                  .facts = {{"stage", "", h.stage},
                            {"shape", "", h.shape},
                            {"changes", "", Cell(h.Changes(), kInteger)},
                            {"confidence_pct", "", {100 * h.confidence, kPercent}}},
                  .tables = {RunTable(h)}};
  report.sections.push_back(std::move(section));
  report.sections.push_back({.title = "", .tables = {ForPeople(h)}, .notes = {Note(h)}});
  return report;
}

}  // namespace culprit
