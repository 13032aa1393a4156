// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/calibrate_report.h"

#include <fmt/core.h>

#include <set>
#include <string>

#include "analysis/causes/cause.h"
#include "analysis/causes/gain.h"
#include "analysis/kernel/recording.h"
#include "analysis/render/format.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

std::string Joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
  return text;
}

std::string RunsOf(const std::vector<Trial>& trials, std::string_view cause) {
  std::set<std::string> runs;
  for (const Trial& t : trials)
    if (((t.leads && !t.IsOutweighed()) || t.also.empty()) && (cause == "all" || t.cause == cause)) runs.insert(t.run);
  return Joined({runs.begin(), runs.end()}, " ");
}

std::vector<Cell> Row(const CauseError& e, const std::vector<Trial>& trials) {
  const auto count = [](int n) { return Number{n, Unit::kCount}; };
  return {e.cause,
          count(e.experiments),
          count(e.trials),
          Number{e.median_ratio, Unit::kTimes},
          Number{e.error_factor, Unit::kRatio},
          Number{e.worst_factor, Unit::kRatio},
          count(e.alone),
          Number{e.alone_factor, Unit::kRatio},
          Number{e.alone_worst, Unit::kRatio},
          count(e.outweighed),
          count(e.attributed),
          Number{e.attributed_ratio, Unit::kTimes},
          RunsOf(trials, e.cause)};
}

Section CausesSection(const Calibration& calibration) {
  Section section{"causes", "Error by cause", {}, {}, {}, {}};
  ReportTable table{"causes",
                    "",
                    {{"cause", "Cause"},
                     {"experiments", "Edges"},
                     {"trials", "Launches"},
                     {"median_ratio", "Estimate / real"},
                     {"error_factor", "Typical factor"},
                     {"worst_factor", "Worst"},
                     {"alone", "Edges alone"},
                     {"alone_factor", "Typical alone"},
                     {"alone_worst_factor", "Worst alone", true},
                     {"outweighed", "Outweighed"},
                     {"attributed", "Edges explained"},
                     {"attributed_ratio", "Estimate / explained"},
                     {"runs", "Runs", true}},
                    {},
                    {}};
  for (const CauseError& error : calibration.causes) table.rows.push_back(Row(error, calibration.trials));
  table.rows.push_back(Row(calibration.all, calibration.trials));
  section.tables.push_back(std::move(table));
  section.notes = {
      "Estimate / real is the median over edges; the typical factor is exp of the median |ln(estimate / real)|: 1 is "
      "exact; fewer than three edges have none. An edge is one experiment at however many shapes it was measured, and "
      "counts with the median over them; "
      "two edges from one stage are two experiments, though they test the same estimate.",
      fmt::format(
          "In the first columns the whole gain is held against an estimate only where no other cause went away, or "
          "culprit why gives this one between half and twice the gain. Outweighed: launches whose stage without the "
          "cause is slower, "
          "because something else took its place; they have no ratio. Estimates and gains below {} of the time "
          "count as that.",
          Format(100 * kLeastShare, Unit::kPercent)),
      fmt::format(
          "Alone: every edge on which no other cause went away, whatever culprit why says of it, outweighed ones "
          "included: their gain counts as {} of the time. The typical factor is then {} over {} edges, where it is {} "
          "over the {} that culprit why agrees to.",
          Format(100 * kLeastShare, Unit::kPercent), Format(Number{calibration.all.alone_factor, Unit::kRatio}),
          calibration.all.alone, Format(Number{calibration.all.error_factor, Unit::kRatio}),
          calibration.all.experiments),
      "Explained: against the part of the difference that culprit why gives to the cause, on every edge on which it "
      "went away. Where its part is far from the real gain, the edge changed more than the cause."};
  return section;
}

Section AssumptionsSection() {
  Section section{"assumptions", "What each estimate assumes", {}, {}, {}, {}};
  ReportTable table{"assumptions",
                    "",
                    {{"cause", "Cause"}, {"assumption", "Gain if"}, {"size", "Went away: half or less of"}},
                    {},
                    {}};
  for (const Cause& cause : Causes())
    if (cause.gain.removal != nullptr)
      table.rows.push_back(
          {std::string(cause.id), std::string(cause.gain.assumption), std::string(cause.gain.size_title)});
  section.tables.push_back(std::move(table));
  return section;
}

Section TrialsSection(const Calibration& calibration) {
  Section section{"trials", "Edges", {}, {}, {}, {}};
  ReportTable table{"trials",
                    "",
                    {{"run", "Run", true},
                     {"with", "With the cause"},
                     {"without", "Without"},
                     {"shape", "Shape"},
                     {"cause", "Cause"},
                     {"with_us", "Time with"},
                     {"without_us", "Time without", true},
                     {"went_pct", "Went"},
                     {"estimate_us", "Estimate"},
                     {"real_us", "Real gain"},
                     {"ratio", "Ratio"},
                     {"attributed_us", "Explained"},
                     {"leads", "Tested", true},
                     {"also", "Also went"}},
                    {},
                    {}};
  for (const Trial& t : calibration.trials) {
    const bool judged = t.leads && !t.IsOutweighed();
    table.rows.push_back(
        {t.run, t.with, t.without, t.shape, t.cause, Number{t.with_us, Unit::kTimeUs},
         Number{t.without_us, Unit::kTimeUs}, Number{100 * t.went, Unit::kPercent},
         Number{t.estimate_us, Unit::kTimeUs}, Number{t.RealUs(), Unit::kTimeDeltaUs},
         Number{judged ? Measured(t.Ratio()) : Measured::Missing(Absence::kUndefined), Unit::kTimes},
         Number{t.attributed_us ? t.attributed_us : Measured::Missing(Absence::kUndefined), Unit::kTimeDeltaUs},
         std::string(t.leads ? "yes" : "no"), Joined(t.also, ", ")});
  }
  section.tables.push_back(std::move(table));
  section.notes.push_back(
      "One row for each estimate whose cause shrank to half or less between a stage and its parent, either way. The "
      "estimate is that of taking away the share that went. "
      "Without a ratio: the gain is mostly that of other causes, or the stage without the cause is slower.");
  return section;
}

}  // namespace

Report MakeCalibrationReport(const Calibration& calibration, std::span<const RunSummary> runs, bool wide) {
  Report report;
  report.kind = "calibrate";
  report.title = "Estimated gains against real ones";
  std::vector<std::string> uuids;
  for (const RunSummary& summary : runs) {
    const RunRecord& run = summary.run;
    const std::string gpu = run.device ? run.device->name : "a machine without a GPU";
    report.context.push_back(
        {"run", "Run",
         fmt::format("{}{} on {}, {}, profile {}", ShortUuid(run), run.label.empty() ? "" : " \"" + run.label + "\"",
                     gpu, run.started_utc, run.profile)});
    uuids.push_back(run.uuid);
  }
  report.identity.push_back({"runs", "", Joined(uuids, " ")});
  if (calibration.trials.empty()) {
    report.notes.push_back(
        "No edge tests an estimate: needed are a stage and its parent, timed and counted at one shape, one of which "
        "has a cause that the other has not.");
    return report;
  }
  report.sections.push_back(CausesSection(calibration));
  if (wide) report.sections.push_back(AssumptionsSection());
  report.sections.push_back(TrialsSection(calibration));
  return report;
}

}  // namespace culprit
