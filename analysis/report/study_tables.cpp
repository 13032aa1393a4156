// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/study_tables.h"

#include "analysis/render/tabulate.h"
#include "analysis/report/program_tables.h"
#include "analysis/why/leading_causes.h"

namespace culprit {
namespace {

ReportTable StageTable(const Study& study) {
  return ForPrograms(Tabulate<StudyStage>("stages", "", study.stages,
                                          {{"stage", "", &StudyStage::id},
                                           {"base", "", [](const StudyStage& s) { return s.edge ? s.edge->base : ""; }},
                                           {"depth", "", Unit::kInteger, &StudyStage::depth},
                                           {"shape", "", &StudyStage::shape},
                                           {"median_us", "", Unit::kTimeUs, &StudyStage::time_us},
                                           {"gflops", "", Unit::kGflops, &StudyStage::gflops}}));
}

const Explanation* Decomposed(const StudyEdge& e) {
  return e.explanation && IsExplained(*e.explanation) ? &*e.explanation : nullptr;
}

ReportTable EdgeTable(const std::vector<StudyEdge>& edges) {
  return ForPrograms(Tabulate<StudyEdge>(
      "edges", "", edges,
      {{"base", "", &StudyEdge::base},
       {"candidate", "", &StudyEdge::candidate},
       {"factors_changed", "", Unit::kInteger,
        [](const StudyEdge& e) { return static_cast<double>(e.changes.size()); }},
       {"base_us", "", Unit::kTimeUs, &StudyEdge::base_us},
       {"candidate_us", "", Unit::kTimeUs, &StudyEdge::candidate_us},
       {"delta_us", "", Unit::kTimeDeltaUs, &StudyEdge::DeltaUs},
       {"change_pct", "", Unit::kChangePercent, ChangePct},
       {"verdict", "",
        [](const StudyEdge& e) { return e.explanation ? ToText(e.explanation->verdict.speed) : "not measured"; }},
       {"reason", "",
        [](const StudyEdge& e) { return e.explanation ? e.explanation->verdict.reason : e.not_measured; }},
       {"decomposed", "", [](const StudyEdge& e) { return Decomposed(e) ? "yes" : "no"; }},
       // Why a number of an explanation is not there: `reason` says it in words.
       {"unexplained_us", "", Unit::kTimeDeltaUs,
        [](const StudyEdge& e) { return Decomposed(e) ? Measured(Decomposed(e)->unexplained_us) : Measured(); }}}));
}

ReportTable ChangeTable(const std::vector<StudyEdge>& edges) {
  ReportTable table = TableForPrograms("changes", {"base", "candidate", "factor", "from", "to"});
  for (const StudyEdge& e : edges)
    for (const FactorChange& c : e.changes) table.rows.push_back({e.base, e.candidate, c.factor, c.base, c.candidate});
  return table;
}

std::vector<StudyEdge> EdgesOf(const Study& study) {
  std::vector<StudyEdge> edges;
  for (const StudyStage& s : study.stages)
    if (s.edge) edges.push_back(*s.edge);
  return edges;
}

}  // namespace

Measured ChangePct(const StudyEdge& edge) { return Measured(100) * edge.DeltaUs() / edge.base_us; }

std::vector<ReportTable> StepTables(const Study& study) {
  const std::vector<StudyEdge> edges = EdgesOf(study);
  return {StageTable(study), EdgeTable(edges), ChangeTable(edges)};
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
                     {"most", "At"}}};
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
