// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/history_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/gate/change_text.h"
#include "analysis/judge/why/headline.h"
#include "analysis/launch/recording.h"
#include "analysis/number/format.h"
#include "analysis/number/statistics.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

constexpr double kBar = 24;  // columns of the longest

std::string ChangeOf(const HistoryPoint& p) { return p.change ? ChangeText(p.change->change) : "-"; }

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
                     ChangeText(last->change->change), cause.empty() ? "" : ", " + cause);
}

ReportTable RunTable(const History& h) {
  return ForPrograms<HistoryPoint>(
      "runs", h.points,
      {{"run_uuid", [](const HistoryPoint& p) { return p.kernel.run.run.uuid; }},
       {"run_label", [](const HistoryPoint& p) { return p.kernel.run.run.label; }},
       {"recorded_utc", [](const HistoryPoint& p) { return p.kernel.run.run.started_utc; }},
       {"git_sha", [](const HistoryPoint& p) { return p.kernel.run.run.git_sha; }},
       {"executions", kCount, &HistoryPoint::executions},
       {"samples", kCount, [](const HistoryPoint& p) { return p.kernel.samples.size(); }},
       {"median_us", kTimeUs, &HistoryPoint::median_us},
       {"of", [](const HistoryPoint& p) { return p.by_cycles ? "cycles" : "time"; }},
       {"change_pct", kChangePercent, [](const HistoryPoint& p) { return PercentOf(p.change, &Shift::change); }},
       {"change_low_pct", kChangePercent, [](const HistoryPoint& p) { return PercentOf(p.change, &Shift::low); }},
       {"change_high_pct", kChangePercent, [](const HistoryPoint& p) { return PercentOf(p.change, &Shift::high); }},
       {"changed", What},
       {"segment", kCount, &HistoryPoint::segment},
       {"cause", [](const HistoryPoint& p) { return CauseOf(p) ? CauseOf(p)->cause : std::string(); }},
       {"cause_us", kTimeDeltaUs,
        [](const HistoryPoint& p) { return CauseOf(p) ? Measured(CauseOf(p)->delta_us) : Measured(); }},
       {"source", SourceOf}});
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
      h.Changes() > 0
          ? fmt::format(" Beyond noise: its {:.4g} % interval, with the noise between recordings, excludes 0.",
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
  const std::vector<double> levels = Levels(h);
  using Point = HistoryPoint;
  const auto quartile = [](Measured Distribution::*which) {
    return [which](const Point& p) {
      const KernelView view(p.kernel);
      return view.time().time_us ? (*view.time().time_us).*which : Measured();
    };
  };
  ReportTable table = Tabulate<Point>(
      "", "", h.points,
      {{"name", "Run", [](const Point& p) { return NameOf(p); }},
       {"recorded", "Recorded", [](const Point& p) { return p.kernel.run.run.started_utc; }},
       {"time_us", "Median", kTimeUs, &Point::median_us},
       {"low_us", "Lower quartile", kTimeUs, quartile(&Distribution::q1)},
       {"high_us", "Upper quartile", kTimeUs, quartile(&Distribution::q3)},
       {"level_us", kTimeUs, [&](const Point& p) { return levels[static_cast<std::size_t>(p.segment)]; }},
       {"segment", kInteger, &Point::segment},
       {"change", "Change", kChangePercent, [](const Point& p) { return PercentOf(p.change, &Shift::change); }},
       {"moved", "Beyond noise", What},
       {"cause", "First cause", CauseWords},
       {"at", "At", [](const Point& p) { return SourceOf(p); }}});
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
