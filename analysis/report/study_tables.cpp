// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/study_tables.h"

#include "analysis/report/program_tables.h"
#include "analysis/why/leading_causes.h"

namespace culprit {
namespace {

// Why a number of an explanation is not there: the table of edges says it in words.
Measured Maybe(bool there, double value) { return there ? Measured(value) : Measured(); }

ReportTable StageTable(const Study& study) {
  ReportTable table = TableForPrograms("stages", {"stage", "base", "depth", "shape", "median_us", "gflops"});
  for (const StudyStage& s : study.stages)
    table.rows.push_back({s.id, s.edge ? s.edge->base : "", Number{s.depth, Unit::kInteger}, s.shape,
                          Number{s.time_us, Unit::kTimeUs}, Number{s.gflops, Unit::kGflops}});
  return table;
}

ReportTable EdgeTable(const Study& study) {
  ReportTable table =
      TableForPrograms("edges", {"base", "candidate", "factors_changed", "base_us", "candidate_us", "delta_us",
                                 "change_pct", "verdict", "reason", "decomposed", "unexplained_us"});
  for (const StudyStage& s : study.stages) {
    if (!s.edge) continue;
    const StudyEdge& e = *s.edge;
    const bool decomposed = e.explanation && IsExplained(*e.explanation);
    table.rows.push_back(
        {e.base, e.candidate, Number{static_cast<double>(e.changes.size()), Unit::kInteger},
         Number{e.base_us, Unit::kTimeUs}, Number{e.candidate_us, Unit::kTimeUs},
         Number{e.DeltaUs(), Unit::kTimeDeltaUs}, Number{ChangePct(e), Unit::kChangePercent},
         e.explanation ? std::string(ToText(e.explanation->verdict.outcome)) : "not measured",
         e.explanation ? e.explanation->verdict.reason : e.not_measured, std::string(decomposed ? "yes" : "no"),
         Number{Maybe(decomposed, decomposed ? e.explanation->unexplained_us : 0), Unit::kTimeDeltaUs}});
  }
  return table;
}

ReportTable ChangeTable(const Study& study) {
  ReportTable table = TableForPrograms("changes", {"base", "candidate", "factor", "from", "to"});
  for (const StudyStage& s : study.stages) {
    if (!s.edge) continue;
    for (const FactorChange& c : s.edge->changes)
      table.rows.push_back({s.edge->base, s.edge->candidate, c.factor, c.base, c.candidate});
  }
  return table;
}

}  // namespace

Measured ChangePct(const StudyEdge& edge) { return Measured(100) * edge.DeltaUs() / edge.base_us; }

std::vector<ReportTable> StepTables(const Study& study) {
  return {StageTable(study), EdgeTable(study), ChangeTable(study)};
}

ReportTable AllCauses(const Study& study) {
  ReportTable table = CauseTableForPrograms({"base", "candidate"});
  for (const StudyStage& s : study.stages)
    if (s.edge && s.edge->explanation) AddCauses({s.edge->base, s.edge->candidate}, *s.edge->explanation, table);
  return table;
}

ReportTable TotalTable(const ChainTotal& total) {
  ReportTable table{"parts",
                    "",
                    {{"part", "Sum over the steps"},
                     {"delta_us", "Difference"},
                     {"share_pct", "Share"},
                     {"most_base", "", true},
                     {"most_candidate", "", true},
                     {"most_us", "Most of it"},
                     {"most", "At"}},
                    {},
                    {}};
  const auto share = [&](double us) { return Number{Measured(100 * us) / Measured(total.DeltaUs()), Unit::kPercent}; };
  for (const ChainPart& p : total.parts)
    table.rows.push_back({p.cause, Number{p.delta_us, Unit::kTimeDeltaUs}, share(p.delta_us), p.most_base,
                          p.most_candidate, Number{p.most_us, Unit::kTimeDeltaUs},
                          p.most_base + " -> " + p.most_candidate});
  const auto add = [&](const char* name, double us, bool always) {
    if (always || us != 0)
      table.rows.push_back({name, Number{us, Unit::kTimeDeltaUs}, share(us), "", "",
                            Number{Measured::Missing(Absence::kUndefined), Unit::kTimeDeltaUs}, ""});
  };
  add("unexplained", total.unexplained_us, true);
  add("without counters", total.without_counters_us, false);
  add("steps that are same or ambiguous", total.no_difference_us, false);
  add("total", total.DeltaUs(), true);
  return table;
}

}  // namespace culprit
