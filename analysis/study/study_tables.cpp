// SPDX-License-Identifier: Apache-2.0
#include "analysis/study/study_tables.h"

#include <utility>

#include "analysis/leading_causes.h"

namespace culprit {
namespace {

// Why a number of an explanation is not there: the table of edges says it in words.
Measured Maybe(bool there, double value) { return there ? Measured(value) : Measured(); }

ReportTable ForPrograms(std::string key, std::vector<Column> columns) {
  ReportTable table{std::move(key), "", std::move(columns), {}, {}};
  table.shown = 0;
  return table;
}

std::string Names(const std::vector<Counterfactual>& experiments) {
  std::string names;
  for (const Counterfactual& c : experiments) names += (names.empty() ? "" : ",") + c.stage;
  return names;
}

ReportTable StageTable(const Study& study) {
  ReportTable table =
      ForPrograms("stages", {{"stage", ""}, {"base", ""}, {"depth", ""}, {"median_us", ""}, {"gflops", ""}});
  for (const StudyStage& s : study.stages)
    table.rows.push_back({s.id, s.edge ? s.edge->base : "", Number{s.depth, Unit::kInteger},
                          Number{s.time_us, Unit::kTimeUs}, Number{s.gflops, Unit::kGflops}});
  return table;
}

ReportTable EdgeTable(const Study& study) {
  ReportTable table = ForPrograms("edges", {{"base", ""},
                                            {"candidate", ""},
                                            {"factors_changed", ""},
                                            {"base_us", ""},
                                            {"candidate_us", ""},
                                            {"delta_us", ""},
                                            {"change_pct", ""},
                                            {"verdict", ""},
                                            {"reason", ""},
                                            {"decomposed", ""},
                                            {"unexplained_us", ""}});
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
  ReportTable table =
      ForPrograms("changes", {{"base", ""}, {"candidate", ""}, {"factor", ""}, {"from", ""}, {"to", ""}});
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
  ReportTable table = ForPrograms("causes", {{"base", ""},
                                             {"candidate", ""},
                                             {"cause", ""},
                                             {"delta_us", ""},
                                             {"share_pct", ""},
                                             {"low_us", ""},
                                             {"high_us", ""},
                                             {"confirmed_by", ""},
                                             {"refuted_by", ""},
                                             {"text", ""}});
  for (const StudyStage& s : study.stages) {
    if (!s.edge || !s.edge->explanation) continue;
    for (const CausePart& c : s.edge->explanation->causes)
      table.rows.push_back(
          {s.edge->base, s.edge->candidate, c.cause, Number{c.delta_us, Unit::kTimeDeltaUs},
           Number{100 * c.share, Unit::kPercent},
           Number{Maybe(c.interval.has_value(), c.interval.value_or(Interval{}).low), Unit::kTimeDeltaUs},
           Number{Maybe(c.interval.has_value(), c.interval.value_or(Interval{}).high), Unit::kTimeDeltaUs},
           Names(c.confirmed_by), Names(c.refuted_by), c.text});
  }
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
