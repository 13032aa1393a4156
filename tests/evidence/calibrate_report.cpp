// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/calibrate_report.h"

#include <fmt/core.h>

#include <set>
#include <string>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/gain.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

std::string RunsOf(const std::vector<Trial>& trials, std::string_view cause) {
  std::set<std::string> runs;
  for (const Trial& t : trials)
    if (((t.leads && !t.IsOutweighed()) || t.IsAlone()) && (cause == "all" || t.cause == cause)) runs.insert(t.run);
  return Joined(runs, {}, " ");
}

Section CausesSection(const Calibration& calibration) {
  Section section{"causes", "Error by cause"};
  std::vector<CauseError> errors = calibration.causes;
  errors.push_back(calibration.all);
  section.tables.push_back(Tabulate<CauseError>(
      "causes", "", errors,
      {{"cause", "Cause", &CauseError::cause},
       {"experiments", "Edges", kCount, &CauseError::experiments},
       {"trials", "Launches", kCount, &CauseError::trials},
       {"median_ratio", "Estimate / real", kTimes, &CauseError::median_ratio},
       {"error_factor", "Typical factor", kRatio, &CauseError::error_factor},
       {"worst_factor", "Worst", kRatio, &CauseError::worst_factor},
       {"alone", "Edges alone", kCount, &CauseError::alone},
       {"alone_factor", "Typical alone", kRatio, &CauseError::alone_factor},
       {"alone_worst_factor", "Worst alone", kRatio, &CauseError::alone_worst, true},
       {"outweighed", "Outweighed", kCount, &CauseError::outweighed},
       {"attributed", "Edges explained", kCount, &CauseError::attributed},
       {"attributed_ratio", "Estimate / explained", kTimes, &CauseError::attributed_ratio},
       {"runs", "Runs", [&](const CauseError& e) { return RunsOf(calibration.trials, e.cause); }, true}}));
  section.notes = {
      "Estimate / real is the median over edges; the typical factor is exp of the median |ln(estimate / real)|: 1 is "
      "exact; fewer than three edges have none. An edge is one experiment at however many shapes it was measured, and "
      "counts with the median over them; "
      "two edges from one stage are two experiments, though they test the same estimate.",
      fmt::format(
          "The first columns compare the whole gain with the estimate for one cause. They have an edge only if no "
          "other "
          "cause went away, or if culprit why gives this cause between half and twice the gain. Outweighed: launches "
          "whose stage without the cause is slower, because something else took its place; they have no ratio. "
          "Estimates "
          "and gains below {} of the time count as that.",
          Format(100 * kLeastVisibleGain, kPercent)),
      fmt::format(
          "Alone: every edge on which no other cause went away and none came, whatever culprit why says of it, "
          "outweighed ones included: their gain counts as {} of the time. The typical factor is then {} over {} edges, "
          "where it is {} over the {} that culprit why agrees to.",
          Format(100 * kLeastVisibleGain, kPercent), Format(Number{calibration.all.alone_factor, kRatio}),
          calibration.all.alone, Format(Number{calibration.all.error_factor, kRatio}), calibration.all.experiments),
      fmt::format(
          "Where nothing is known of what would take the cause's place the estimate is a bound, and is printed as \"at "
          "most\". Estimates that are none: typically within {} alone, nine in ten within {}, over {} edges. Bounds: "
          "on {} of {} edges alone the gain was not above it by more than a tenth.",
          Format(Number{calibration.estimates.alone_factor, kRatio}),
          Format(Number{calibration.estimates.alone_most, kRatio}), calibration.estimates.alone,
          calibration.bounds.alone_held, calibration.bounds.alone),
      "Explained: against the part of the difference that culprit why gives to the cause, on every edge on which it "
      "went away. Where its part is far from the real gain, the edge changed more than the cause."};
  return section;
}

Section AssumptionsSection() {
  std::vector<Cause> causes(Causes().begin(), Causes().end());
  std::erase_if(causes, [](const Cause& cause) { return cause.gain.removal == nullptr; });
  return {.key = "assumptions",
          .title = "What each estimate assumes",
          .tables = {Tabulate<Cause>(
              "assumptions", "", causes,
              {{"cause", "Cause", &Cause::id},
               {"kind", "Kind", [](const Cause& c) { return c.gain.is_bound ? "at most" : "estimate"; }},
               {"assumption", "Gain if", [](const Cause& c) { return c.gain.assumption; }},
               {"size", "Went away: half or less of", [](const Cause& c) { return c.gain.size_title; }}})}};
}

Section TrialsSection(const Calibration& calibration) {
  Section section{"trials", "Edges"};
  const auto or_nothing = [](bool there, const Measured& value) {
    return there ? value : Measured::Missing(Absence::kUndefined);
  };
  section.tables.push_back(Tabulate<Trial>(
      "trials", "", calibration.trials,
      {{"run", "Run", &Trial::run, true},
       {"with", "With the cause", &Trial::with},
       {"without", "Without", &Trial::without},
       {"shape", "Shape", &Trial::shape},
       {"cause", "Cause", &Trial::cause},
       {"with_us", "Time with", kTimeUs, &Trial::with_us},
       {"without_us", "Time without", kTimeUs, &Trial::without_us, true},
       {"went_pct", "Went", kPercent, [](const Trial& t) { return 100 * t.went; }},
       {"estimate_us", "Estimate", kTimeUs, &Trial::estimate_us},
       {"real_us", "Real gain", kTimeDeltaUs, &Trial::RealUs},
       {"ratio", "Ratio", kTimes, [&](const Trial& t) { return or_nothing(t.leads && !t.IsOutweighed(), t.Ratio()); }},
       {"attributed_us", "Explained", kTimeDeltaUs,
        [&](const Trial& t) { return or_nothing(static_cast<bool>(t.attributed_us), t.attributed_us); }},
       {"leads", "Tested", [](const Trial& t) { return t.leads ? "yes" : "no"; }, true},
       {"also", "Also went", [](const Trial& t) { return Joined(t.also); }},
       {"came", "Came", [](const Trial& t) { return Joined(t.came); }, true}}));
  section.notes.push_back(
      "One row for each estimate whose cause shrank to half or less between a stage and its parent, either way. The "
      "estimate is that of taking away the share that went. "
      "Without a ratio: the gain is mostly that of other causes, or the stage without the cause is slower.");
  return section;
}

}  // namespace

Report MakeCalibrationReport(const Calibration& calibration, std::span<const RunSummary> runs, bool wide) {
  Report report{.kind = "calibrate", .title = "Estimated gains against real ones"};
  std::vector<std::string> uuids;
  for (const RunSummary& summary : runs) {
    const RunRecord& run = summary.run;
    report.context.push_back(
        {"run", "Run",
         fmt::format("{} on {}, {}, profile {}", RunName(run), GpuName(run), run.started_utc, run.profile)});
    uuids.push_back(run.uuid);
  }
  report.identity.push_back({"runs", "", Joined(uuids, {}, " ")});
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
