// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/study_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/why/headline.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/cause_table.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

std::string StepName(const StudyEdge& edge) { return edge.base + " -> " + edge.candidate; }

std::string Changed(const StudyEdge& edge) {
  if (edge.changes.empty()) return "no factor that the kernels state";
  if (edge.changes.size() == 1) return ToText(edge.changes.front());
  return fmt::format("{} factors: {}", edge.changes.size(), Joined(edge.changes, &FactorChange::factor));
}

std::string InWords(const StudyEdge& edge) {
  if (!edge.explanation) return "not measured";
  const Verdict& verdict = edge.explanation->verdict;
  return fmt::format("{}{}", ToText(verdict.speed), TimeContains0(verdict) ? " by cycles alone" : "");
}

// Of the candidate's time over the base's; missing without both.
Measured ChangePct(const StudyEdge& edge) { return Measured(100) * edge.DeltaUs() / edge.base_us; }

// For people, who read that the time was not measured once in a row: "-" says it of the others.
Cell NumberOrNothing(const Measured& value, Unit unit) {
  return {value ? value : Measured::Missing(Absence::kUndefined), unit};
}

std::string Indented(const StudyStage& stage) {
  std::string text;
  for (int i = 0; i < stage.depth; ++i) text += ". ";
  return text + stage.id;
}

ReportTable TimeTable(const Study& study) {
  using Stage = StudyStage;
  // Of what a stage was changed from, where it was changed from any.
  const auto step = [](auto cell) {
    return [cell](const Stage& s) { return s.edge ? Cell(cell(*s.edge)) : Cell(""); };
  };
  std::vector<ColumnOf<Stage>> columns = {
      {"", "Kernel", Indented},
      {"", "Median", kTimeUs, &Stage::time_us},
      {"", "Speed", [](const Stage& s) { return NumberOrNothing(s.gflops, kGflops); }},
      {"", "Difference", step([](const StudyEdge& e) { return NumberOrNothing(e.DeltaUs(), kTimeDeltaUs); })},
      {"", "Change", step([](const StudyEdge& e) { return NumberOrNothing(ChangePct(e), kChangePercent); })},
      {"", "Verdict", step(InWords)},
      {"", "Changed", step(Changed)}};
  if (study.shape.empty())
    columns.insert(columns.begin() + 1, {"", "Shape", [](const Stage& s) {
                                           return s.edge ? "" : s.shape.empty() ? "-" : s.shape;
                                         }});
  return Tabulate<Stage>("", "", study.stages, columns);
}

ReportTable StageTable(const Study& study) {
  return ForPrograms<StudyStage>("stages", study.stages,
                                 {{"stage", &StudyStage::id},
                                  {"base", [](const StudyStage& s) { return s.edge ? s.edge->base : ""; }},
                                  {"depth", kInteger, &StudyStage::depth},
                                  {"shape", &StudyStage::shape},
                                  {"median_us", kTimeUs, &StudyStage::time_us},
                                  {"gflops", kGflops, &StudyStage::gflops}});
}

std::vector<const StudyEdge*> EdgesOf(const Study& study) {
  std::vector<const StudyEdge*> edges;
  for (const StudyStage& s : study.stages)
    if (s.edge) edges.push_back(&*s.edge);
  return edges;
}

bool IsDecomposed(const StudyEdge& e) { return e.explanation && IsExplained(*e.explanation); }

ReportTable EdgeTable(const std::vector<const StudyEdge*>& edges) {
  using Edge = StudyEdge;
  return ForPrograms<Edge>(
      "edges", edges,
      {{"base", &Edge::base},
       {"candidate", &Edge::candidate},
       {"factors_changed", kInteger, [](const Edge& e) { return e.changes.size(); }},
       {"base_us", kTimeUs, &Edge::base_us},
       {"candidate_us", kTimeUs, &Edge::candidate_us},
       {"delta_us", kTimeDeltaUs, &Edge::DeltaUs},
       {"change_pct", kChangePercent, ChangePct},
       {"verdict", "",
        [](const Edge& e) { return e.explanation ? ToText(e.explanation->verdict.speed) : "not measured"; }},
       {"reason", [](const Edge& e) { return e.explanation ? e.explanation->verdict.reason : e.not_measured; }},
       {"decomposed", [](const Edge& e) { return IsDecomposed(e) ? "yes" : "no"; }},
       // Why a number of an explanation is not there: `reason` says it in words.
       {"unexplained_us", kTimeDeltaUs,
        [](const Edge& e) { return IsDecomposed(e) ? Measured(e.explanation->unexplained_us) : Measured(); }},
       {"within_noise_us", kTimeDeltaUs,
        [](const Edge& e) { return IsDecomposed(e) ? Measured(WithinNoiseUs(*e.explanation)) : Measured(); }}});
}

ReportTable ChangeTable(const std::vector<const StudyEdge*>& edges) {
  using Change = std::pair<const StudyEdge*, const FactorChange*>;
  std::vector<Change> changes;
  for (const StudyEdge* e : edges)
    for (const FactorChange& c : e->changes) changes.emplace_back(e, &c);
  return ForPrograms<Change>("changes", changes,
                             {{"base", [](const Change& c) { return c.first->base; }},
                              {"candidate", [](const Change& c) { return c.first->candidate; }},
                              {"factor", [](const Change& c) { return c.second->factor; }},
                              {"from", [](const Change& c) { return c.second->base; }},
                              {"to", [](const Change& c) { return c.second->candidate; }}});
}

std::string FirstCauseText(const StudyEdge& e) {
  if (!e.explanation) return "not measured";
  if (const CausePart* first = FirstCause(*e.explanation)) return CauseText(first, e.explanation->DeltaUs());
  const std::string without = WithoutCause(*e.explanation);
  const auto* small = FirstWithinNoise(*e.explanation);
  return small == nullptr ? without
                          : fmt::format("{}: within noise {} {}", without, small->first,
                                        PartText(small->second, e.explanation->DeltaUs()));
}

ReportTable LeadingCauses(const std::vector<const StudyEdge*>& edges) {
  const auto second = [](const StudyEdge& e) {
    return e.explanation ? CauseText(SecondCause(*e.explanation), e.explanation->DeltaUs()) : "-";
  };
  const auto unexplained = [](const StudyEdge& e) {
    return IsDecomposed(e) ? PartText(e.explanation->unexplained_us, e.explanation->DeltaUs()) : "-";
  };
  const auto within_noise = [](const StudyEdge& e) {
    return IsDecomposed(e) ? PartText(WithinNoiseUs(*e.explanation), e.explanation->DeltaUs()) : "-";
  };
  const auto no_cause = [](const StudyEdge& e) {
    return IsDecomposed(e)
               ? PartText(e.explanation->unexplained_us - WithinNoiseUs(*e.explanation), e.explanation->DeltaUs())
               : "-";
  };
  ReportTable table = Tabulate<StudyEdge>("", "", edges,
                                          {{"", "Step", StepName},
                                           {"", "First cause", FirstCauseText},
                                           {"", "Second cause", second},
                                           {"", "Unexplained", unexplained},
                                           {"", "Within noise", within_noise},
                                           {"", "No cause", no_cause}});
  table.notes = {
      fmt::format("Microseconds and share of the step's difference; a second cause from {} on. Unexplained is the sum "
                  "of the two columns behind it: within noise (total of causes within noise) and no cause. 'culprit "
                  "why' has all causes of a step, with the metrics that they rest on.",
                  Format(100 * kSecondCauseFrom, kPercent))};
  return table;
}

// What was predicted before a step was made, beside what it then gained.
ReportTable PredictionTable(const std::vector<const StudyEdge*>& edges) {
  std::vector<const StudyEdge*> predicted;
  for (const StudyEdge* e : edges)
    if (e->predicted) predicted.push_back(e);
  using Edge = StudyEdge;
  const auto of_cause = [](const Edge& e) { return -PartOfCause(*e.explanation, e.predicted->cause); };
  ReportTable table = Tabulate<Edge>(
      "predictions", "", predicted,
      {{"base", "", &Edge::base, true},
       {"candidate", "", &Edge::candidate, true},
       {"step", "Step faster", StepName},
       {"cause", "Cause", [](const Edge& e) { return e.predicted->cause; }},
       {"is_bound", "", [](const Edge& e) { return e.predicted->is_bound ? "yes" : "no"; }, true},
       {"predicted_us", "", kTimeUs, [](const Edge& e) { return Measured(e.predicted->gain_us); }, true},
       {"predicted", "Gain predicted",
        [](const Edge& e) {
          return fmt::format("{}{}", e.predicted->is_bound ? "at most " : "", Format(e.predicted->gain_us, kTimeUs));
        }},
       {"of_cause_us", "Gain by the cause", kTimeUs, [=](const Edge& e) { return Measured(of_cause(e)); }},
       {"measured_us", "Gain measured", kTimeUs, [](const Edge& e) { return Measured(0) - e.DeltaUs(); }}});
  if (predicted.empty())
    table.shown = 0;
  else
    table.notes = {
        "Predicted: what 'culprit show' estimates of the kernel before, from its own counters, if all of the cause "
        "went. A step can take away a part of it, and other causes too."};
  return table;
}

std::vector<std::string> TimeNotes(const std::vector<const StudyEdge*>& edges) {
  std::vector<std::string> notes;
  for (const StudyEdge* edge : edges) {
    const std::string step = StepName(*edge);
    if (!edge->explanation) {
      notes.push_back(fmt::format("{} is not measured: {}", step, edge->not_measured));
      continue;
    }
    const Verdict& verdict = edge->explanation->verdict;
    if (verdict.speed == Speed::kAmbiguous)
      notes.push_back(fmt::format("{} is ambiguous: {}", step, verdict.reason));
    else if (TimeContains0(verdict))
      notes.push_back(
          fmt::format("{} is {} by its cycles, and the interval of its time contains 0.", step, ToText(verdict.speed)));
  }
  return notes;
}

// "local_memory_array is partly confirmed by v1_6_4, which accounts for 50.2 %": of the causes that the table shows.
void AddExperiments(const StudyEdge& edge, std::vector<std::string>& notes) {
  for (const CausePart* cause : {FirstCause(*edge.explanation), SecondCause(*edge.explanation)}) {
    if (cause == nullptr) continue;
    for (const auto* experiments : {&cause->confirmed_by, &cause->refuted_by})
      for (const Counterfactual& c : *experiments) {
        const std::string share = Format(100 * c.recovers, kPercent), of = StepName(edge) + ": " + cause->cause;
        notes.push_back(c.proof == Proof::kInconclusive
                            ? fmt::format("{}: {}, which accounts for {}, is inconclusive.", of, c.stage, share)
                            : fmt::format("{} is {}{} by {}, which accounts for {}.", of, ToText(c.proof),
                                          c.proof == Proof::kPartly ? " confirmed" : "", c.stage, share));
      }
  }
}

// What a reader of the causes must know about single steps.
std::vector<std::string> CauseNotes(const std::vector<const StudyEdge*>& edges) {
  std::vector<std::string> notes, several;
  for (const StudyEdge* edge : edges) {
    if (!edge->IsDifferent()) continue;
    if (edge->changes.size() > 1)
      several.push_back(fmt::format("{} ({} factors)", StepName(*edge), edge->changes.size()));
    if (!edge->explanation->decomposition)
      notes.push_back(fmt::format("{} has no cause: {}", StepName(*edge), edge->explanation->no_decomposition));
    if (const std::string noise = WithinNoiseText(*edge->explanation); !noise.empty())
      notes.push_back(fmt::format("{}: {}.", StepName(*edge), noise));
    AddExperiments(*edge, notes);
  }
  if (!several.empty())
    notes.push_back("Not one-factor experiments, so the factors behind their causes cannot be told apart: " +
                    Joined(several) + ".");
  return notes;
}

ReportTable TotalTable(const ChainTotal& total) {
  std::vector<ChainPart> lines = total.parts;
  const auto add = [&](const char* name, double us) { lines.push_back({name, us, "", "", 0}); };
  add("unexplained", total.unexplained_us);
  if (total.without_counters_us != 0) add("without counters", total.without_counters_us);
  if (total.no_difference_us != 0) add("steps that are same or ambiguous", total.no_difference_us);
  add("total", total.DeltaUs());
  using Part = ChainPart;
  return Tabulate<Part>(
      "parts", "", lines,
      {{"part", "Sum over the steps", &Part::cause},
       {"delta_us", "Difference", kTimeDeltaUs, &Part::delta_us},
       {"share_pct", "Share", kPercent,
        [&](const Part& p) { return Measured(100 * p.delta_us) / Measured(total.DeltaUs()); }},
       {"most_base", "", &Part::most_base, true},
       {"most_candidate", "", &Part::most_candidate, true},
       {"most_us", "Most of it", kTimeDeltaUs,
        [](const Part& p) { return p.most_base.empty() ? Measured::Missing(Absence::kUndefined) : p.most_us; }},
       {"most", "At",
        [](const Part& p) { return p.most_base.empty() ? "" : p.most_base + " -> " + p.most_candidate; }}});
}

Section TotalSection(const Study& study) {
  if (!study.total)
    return {.key = "total",
            .title = "The whole chain",
            .notes = {"Not summed: a kernel of the chain has no time at this shape."}};
  const ChainTotal& total = *study.total;
  const Measured change = Measured(100) * total.DeltaUs() / Measured(total.base_us);
  return {.key = "total",
          .title = "The whole chain",
          .facts = {{"base", "From", study.stages.front().id},
                    {"candidate", "To", study.stages.back().id},
                    {"base_us", "Base", {total.base_us, kTimeUs}},
                    {"candidate_us", "Candidate", {total.candidate_us, kTimeUs}},
                    {"delta_us", "Difference", {total.DeltaUs(), kTimeDeltaUs}},
                    {"change_pct", "Change", {change, kChangePercent}}},
          .tables = {TotalTable(total)}};
}

// The step that changed most, in either direction; null where none is slower or faster.
const StudyEdge* LargestStep(const std::vector<const StudyEdge*>& edges) {
  const StudyEdge* largest = nullptr;
  for (const StudyEdge* e : edges)
    if (e->IsDifferent() && (!largest || std::abs(*e->DeltaUs()) > std::abs(*largest->DeltaUs()))) largest = e;
  return largest;
}

std::string TimesText(const Measured& base, const Measured& candidate) {
  return fmt::format("{} -> {}, {} ({})", Format(*base, kTimeUs), Format(*candidate, kTimeUs),
                     Format(*candidate - *base, kTimeDeltaUs), Format(100 * (*candidate / *base - 1), kChangePercent));
}

// The whole chain, and the step to look at first.
Section Answer(const Study& study, const std::vector<const StudyEdge*>& edges) {
  Section answer;
  const auto speed = [&](Speed of) {
    return std::ranges::count_if(
        edges, [&](const StudyEdge* e) { return e->explanation && e->explanation->verdict.speed == of; });
  };
  if (study.total) answer.facts.push_back({"", "Result", TimesText(study.total->base_us, study.total->candidate_us)});
  const bool several = edges.size() > 1;
  if (several)
    answer.facts.push_back(
        {"", "Steps",
         fmt::format("{}: {} slower, {} faster", edges.size(), speed(Speed::kSlower), speed(Speed::kFaster))});
  if (const StudyEdge* largest = LargestStep(edges)) {
    if (several)
      answer.facts.push_back(
          {"", "Largest step", StepName(*largest) + ": " + TimesText(largest->base_us, largest->candidate_us)});
    answer.facts.push_back({"", "Because of", FirstCauseText(*largest)});
  }
  return answer;
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
  Report report{.kind = "study", .title = Title(study)};
  AddRunHeader(run, {warnings.begin(), warnings.end()}, report);
  report.warnings.insert(report.warnings.end(), left_out.begin(), left_out.end());
  report.context.push_back({"shape", "Shape", study.shape.empty() ? "one for each tree" : study.shape});
  report.identity.push_back({"shape", "", study.shape});
  const std::vector<const StudyEdge*> edges = EdgesOf(study);
  report.answer = Answer(study, edges);
  report.sections = {
      {.key = "steps",
       .title = "Steps",
       .tables = {TimeTable(study), StageTable(study), EdgeTable(edges), ChangeTable(edges)},
       .notes = TimeNotes(edges)},
      {.key = "why",
       .title = "Why",
       .tables = {LeadingCauses(edges),
                  CauseTable<StudyEdge>(edges, {"base", &StudyEdge::base}, {"candidate", &StudyEdge::candidate}),
                  PredictionTable(edges)},
       .notes = CauseNotes(edges)}};
  if (!study.is_tree) report.sections.push_back(TotalSection(study));
  report.charts = StudyCharts(study);
  return report;
}

}  // namespace culprit
