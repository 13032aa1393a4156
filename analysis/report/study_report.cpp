// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/study_report.h"

#include <fmt/core.h>

#include "analysis/render/format.h"
#include "analysis/report/run_header.h"
#include "analysis/report/study_tables.h"
#include "analysis/why/leading_causes.h"

namespace culprit {
namespace {

std::string StepName(const StudyEdge& edge) { return edge.base + " -> " + edge.candidate; }

std::string Changed(const StudyEdge& edge) {
  if (edge.changes.empty()) return "no factor that the stages state";
  if (edge.changes.size() == 1) return ToText(edge.changes.front());
  std::string names;
  for (const FactorChange& change : edge.changes) names += (names.empty() ? "" : ", ") + change.factor;
  return fmt::format("{} factors: {}", edge.changes.size(), names);
}

std::string InWords(const StudyEdge& edge) {
  if (!edge.explanation) return "not measured";
  const Verdict& verdict = edge.explanation->verdict;
  return fmt::format("{}{}", ToText(verdict.speed), TimeContains0(verdict) ? " by cycles alone" : "");
}

// "-": the row says once that the time was not measured.
Measured OrNothing(const Measured& value) { return value ? value : Measured::Missing(Absence::kUndefined); }

ReportTable TimeTable(const Study& study) {
  ReportTable table{"",
                    "",
                    {{"", "Stage"},
                     {"", "Median"},
                     {"", "Speed"},
                     {"", "Difference"},
                     {"", "Change"},
                     {"", "Verdict"},
                     {"", "Changed"}}};
  if (study.shape.empty()) table.columns.insert(table.columns.begin() + 1, {"", "Shape"});
  for (const StudyStage& stage : study.stages) {
    std::string indent;
    for (int i = 0; i < stage.depth; ++i) indent += ". ";
    std::vector<Cell> row = {indent + stage.id, Number{stage.time_us, Unit::kTimeUs},
                             Number{OrNothing(stage.gflops), Unit::kGflops}};
    if (stage.edge)
      row.insert(row.end(), {Number{OrNothing(stage.edge->DeltaUs()), Unit::kTimeDeltaUs},
                             Number{OrNothing(ChangePct(*stage.edge)), Unit::kChangePercent}, InWords(*stage.edge),
                             Changed(*stage.edge)});
    else
      row.insert(row.end(), {"", "", "", ""});
    if (study.shape.empty()) row.insert(row.begin() + 1, stage.edge ? "" : stage.shape.empty() ? "-" : stage.shape);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Cell> CauseRow(const StudyEdge& edge) {
  if (!edge.explanation) return {StepName(edge), "not measured", "-", "-"};
  const Explanation& e = *edge.explanation;
  const CausePart* first = FirstCause(e);
  return {StepName(edge), first ? CauseText(first, e.DeltaUs()) : WithoutCause(e),
          CauseText(SecondCause(e), e.DeltaUs()), IsExplained(e) ? PartText(e.unexplained_us, e.DeltaUs()) : "-"};
}

ReportTable CauseTable(const Study& study) {
  ReportTable table{"", "", {{"", "Step"}, {"", "First cause"}, {"", "Second cause"}, {"", "Unexplained"}}};
  for (const StudyStage& stage : study.stages)
    if (stage.edge) table.rows.push_back(CauseRow(*stage.edge));
  table.notes.push_back(fmt::format(
      "Microseconds and share of the step's difference; a second cause from {} on. 'culprit why' has all causes of a "
      "step, with the metrics that they rest on.",
      Format(100 * kSecondCauseFrom, Unit::kPercent)));
  return table;
}

std::vector<std::string> TimeNotes(const Study& study) {
  std::vector<std::string> notes;
  for (const StudyStage& stage : study.stages) {
    if (!stage.edge) continue;
    const StudyEdge& edge = *stage.edge;
    if (!edge.explanation)
      notes.push_back(fmt::format("{} is not measured: {}", StepName(edge), edge.not_measured));
    else if (edge.explanation->verdict.speed == Speed::kAmbiguous)
      notes.push_back(fmt::format("{} is ambiguous: {}", StepName(edge), edge.explanation->verdict.reason));
    else if (TimeContains0(edge.explanation->verdict))
      notes.push_back(fmt::format("{} is {} by its cycles, and the interval of its time contains 0.", StepName(edge),
                                  ToText(edge.explanation->verdict.speed)));
  }
  return notes;
}

// "local_memory_array is confirmed by v1_6_4 (recovers 59.8 %)": of the causes that the table shows.
void AddExperiments(const StudyEdge& edge, std::vector<std::string>& notes) {
  for (const CausePart* cause : {FirstCause(*edge.explanation), SecondCause(*edge.explanation)}) {
    if (cause == nullptr) continue;
    const auto add = [&](const std::vector<Counterfactual>& experiments, const char* says) {
      for (const Counterfactual& c : experiments)
        notes.push_back(fmt::format("{}: {} is {} by {}, which recovers {}.", StepName(edge), cause->cause, says,
                                    c.stage, Format(100 * c.recovers, Unit::kPercent)));
    };
    add(cause->confirmed_by, "confirmed");
    add(cause->refuted_by, "refuted");
  }
}

// What a reader of the causes must know about single steps.
std::vector<std::string> CauseNotes(const Study& study) {
  std::vector<std::string> notes;
  std::string several;
  for (const StudyStage& stage : study.stages) {
    if (!stage.edge || !stage.edge->IsDifferent()) continue;
    const StudyEdge& edge = *stage.edge;
    if (edge.changes.size() > 1)
      several += fmt::format("{}{} ({} factors)", several.empty() ? "" : ", ", StepName(edge), edge.changes.size());
    if (!edge.explanation->decomposition)
      notes.push_back(fmt::format("{} has no cause: {}", StepName(edge), edge.explanation->no_decomposition));
    AddExperiments(edge, notes);
  }
  if (!several.empty())
    notes.push_back("Not one-factor experiments, so the factors behind their causes cannot be told apart: " + several +
                    ".");
  return notes;
}

Section TotalSection(const Study& study) {
  Section section{"total", "The whole chain"};
  if (!study.total) {
    section.notes.push_back("Not summed: a stage of the chain has no time at this shape.");
    return section;
  }
  const ChainTotal& total = *study.total;
  const Measured change = Measured(100) * total.DeltaUs() / Measured(total.base_us);
  section.facts = {{"base", "From", study.stages.front().id},
                   {"candidate", "To", study.stages.back().id},
                   {"base_us", "Base", Number{total.base_us, Unit::kTimeUs}},
                   {"candidate_us", "Candidate", Number{total.candidate_us, Unit::kTimeUs}},
                   {"delta_us", "Difference", Number{total.DeltaUs(), Unit::kTimeDeltaUs}},
                   {"change_pct", "Change", Number{change, Unit::kChangePercent}}};
  section.tables.push_back(TotalTable(total));
  return section;
}

std::string Title(const Study& study) {
  if (study.is_tree)
    return study.shape.empty() ? "What each step changed, each tree at a shape of its own"
                               : fmt::format("What each step changed, at {}", study.shape);
  return fmt::format("From {} to {} at {}", study.stages.front().id, study.stages.back().id, study.shape);
}

}  // namespace

Report MakeStudyReport(const Study& study, const RunSummary& run, std::span<const Warning> warnings,
                       std::span<const std::string> left_out) {
  Report report;
  report.kind = "study";
  report.title = Title(study);
  AddRunHeader(run, {warnings.begin(), warnings.end()}, report);
  report.warnings.insert(report.warnings.end(), left_out.begin(), left_out.end());
  report.context.push_back({"shape", "Shape", study.shape.empty() ? "one for each tree" : study.shape});
  report.identity.push_back({"shape", "", study.shape});
  Section steps{"steps", "Steps", {}, {TimeTable(study)}, {}, TimeNotes(study)};
  for (ReportTable& table : StepTables(study)) steps.tables.push_back(std::move(table));
  report.sections.push_back(std::move(steps));
  report.sections.push_back({"why", "Why", {}, {CauseTable(study), AllCauses(study)}, {}, CauseNotes(study)});
  if (!study.is_tree) report.sections.push_back(TotalSection(study));
  return report;
}

}  // namespace culprit
