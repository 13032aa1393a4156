// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/claims_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/kernel/how_to_measure.h"
#include "analysis/render/format.h"
#include "analysis/report/run_header.h"

namespace culprit::claims {
namespace {

std::string SizesOf(const Judged& judged) {
  std::vector<int> sizes = judged.sizes;
  std::sort(sizes.begin(), sizes.end());
  std::string text = judged.shape;
  for (const int size : sizes) text += fmt::format("{}{}", text.empty() ? "" : ", ", size);
  return text;
}

std::string PublishedFigure(const Claim& claim) {
  const std::string gpu = claim.gpu == "not named" ? "GPU not named" : claim.gpu;
  return fmt::format("{} ({})", claim.published.empty() ? "no figure" : claim.published, gpu);
}

Pairs EvidencePairs(const Judged& judged) {
  Pairs pairs;
  for (const Fact& fact : judged.evidence) pairs[fact.key] = Format(fact.value);
  return pairs;
}

std::string DecidingMetrics(const Judged& judged) {
  std::string text;
  for (const JudgedCriterion& c : judged.criteria)
    if (c.criterion->role == Role::kClaim) text += (text.empty() ? "" : "; ") + c.criterion->what;
  return text;
}

std::string WorstFigure(const Judged& judged) {
  const JudgedCriterion* worst = Worst(judged);
  return worst ? FormatPart(worst->value, worst->criterion->threshold.unit) : "-";
}

std::string WorstOf(const Judged& judged) {
  const JudgedCriterion* worst = Worst(judged);
  return worst ? worst->criterion->what : "";
}

ReportTable UntestableTable(const std::string& document, bool wide) {
  ReportTable table{"not_testable", "Not testable here", {{"text", "What it says"}, {"why", "Why not"}}, {}, {}};
  for (const Untestable& u : AllUntestable())
    if (u.document == document) table.rows.push_back({std::string(u.text), std::string(u.why)});
  if (!wide && !table.rows.empty()) {
    table.shown = 0;
    table.notes.push_back(fmt::format("Not testable here: {} more of its statements; --format md says which and why.",
                                      table.rows.size()));
  }
  return table;
}

// Of the run, and of the launches that the claims read.
std::vector<Warning> WarningsOf(const std::vector<Judged>& judged, const std::vector<Warning>& warnings) {
  return OfLaunches(warnings, [&](const std::string& launch) {
    return std::any_of(judged.begin(), judged.end(), [&](const Judged& j) { return j.launches.contains(launch); });
  });
}

ReportTable ClaimTable(const std::vector<Judged>& all, const std::string& document, bool wide) {
  ReportTable table{"claims",
                    "",
                    {{"id", "Claim"},
                     {"text", "What it says", !wide},
                     {"document", "Document", true},
                     {"section", "Where", !wide},
                     {"published", "There", !wide},
                     {"measured", "Here", !wide},
                     {"shape", "At", true},
                     {"deciding_metric", "Decided by", !wide},
                     {"verdict", "Verdict"},
                     {"worst", "Here", wide},
                     {"worst_of", "Of what", wide},
                     {"reason", "Reason", !wide},
                     {"evidence", "Values", true}},
                    {},
                    {}};
  for (const Judged& j : all)
    if (j.claim->document == document)
      table.rows.push_back({j.claim->id, j.claim->text, j.claim->document, j.claim->section, PublishedFigure(*j.claim),
                            Figure(j), SizesOf(j), DecidingMetrics(j), std::string(ToText(j.verdict)), WorstFigure(j),
                            WorstOf(j), Reason(j), EvidencePairs(j)});
  return table;
}

// The raw values that the reasons of a document rest on. A table of its own: beside the reasons, none could be read.
ReportTable ValueTable(const std::vector<Judged>& all, const std::string& document) {
  ReportTable table{"values", "Named values", {{"id", "Claim"}, {"shape", "At"}, {"evidence", "Values"}}, {}, {}};
  for (const Judged& j : all)
    if (j.claim->document == document) table.rows.push_back({j.claim->id, SizesOf(j), EvidencePairs(j)});
  return table;
}

std::vector<std::string> DocumentsOf(const std::vector<Judged>& all) {
  std::vector<std::string> documents;
  for (const Judged& j : all)
    if (documents.empty() || documents.back() != j.claim->document) documents.push_back(j.claim->document);
  return documents;
}

// In the claims' order of verdicts from yes to unknown.
Section Summary(const std::vector<Judged>& all) {
  Section section{"summary", "Verdicts", {}, {}, {}, {}};
  ReportTable table{"verdicts", "", {{"document", "Document"}}, {}, {}};
  constexpr Verdict kOrder[] = {Verdict::kHolds, Verdict::kHoldsInPart, Verdict::kDoesNotHold, Verdict::kNotMeasured};
  for (const Verdict verdict : kOrder) {
    std::string key(ToText(verdict));
    std::replace(key.begin(), key.end(), ' ', '_');
    table.columns.push_back({key, std::string(ToText(verdict))});
  }
  const auto add = [&](const std::string& title, const std::string& document) {
    std::vector<Cell> row;
    row.emplace_back(title);
    for (const Verdict verdict : kOrder)
      row.emplace_back(Number{static_cast<double>(std::count_if(all.begin(), all.end(),
                                                                [&](const Judged& j) {
                                                                  return j.verdict == verdict &&
                                                                         (document.empty() ||
                                                                          j.claim->document == document);
                                                                })),
                              Unit::kInteger});
    table.rows.push_back(std::move(row));
  };
  for (const std::string& document : DocumentsOf(all)) add(document, document);
  add("all", "");
  section.tables.push_back(std::move(table));
  return section;
}

Section Words() {
  Section section{"words", "What the words mean", {}, {}, {}, {}};
  ReportTable table{"thresholds",
                    "",
                    {{"word", "Word"}, {"holds", "Holds at"}, {"in_part", "Holds in part at"}, {"of", "Of what"}},
                    {},
                    {}};
  for (const Threshold& t : Glossary()) {
    const char* of = t.unit == Unit::kChangePercent ? "change of throughput at equal clock"
                     : t.unit == Unit::kPercent     ? "wavefronts beyond the ideal ones"
                                                    : "ratio of counts";
    table.rows.push_back({t.word, Describe(t.holds, t.unit), Describe(t.in_part, t.unit), std::string(of)});
  }
  table.notes.push_back(
      "\"About as published\" is half to twice the published change, as a ratio: from its square root to its square; "
      "in part, from a quarter to four times, beyond the noise. A claim holds when all that it says and its reasons "
      "hold, does not hold here when nothing that it says does, and holds in part between the two. Throughputs are "
      "compared at one shape of one run and at equal clock: in cycles (median time x median clock of the samples) "
      "where the clocks of both launches were measured, else in time. A share of cuBLAS is in time: its clock, lower "
      "where it draws more power, is part of what it delivers.");
  section.tables.push_back(std::move(table));
  return section;
}

void AddCommand(const std::vector<Judged>& all, Section& section) {
  Needs needs;
  for (const Judged& j : all) {
    // What cannot be there would not be after one more run.
    const auto could_be = [](const Evidence::Missing& m) { return m.why != Absence::kUndefined; };
    if (std::none_of(j.missing.begin(), j.missing.end(), could_be)) continue;
    needs.stages.insert(needs.stages.end(), j.stages.begin(), j.stages.end());
    needs.sizes.insert(needs.sizes.end(), j.sizes.begin(), j.sizes.end());
    if (j.sizes.empty() || !j.shape.empty()) needs.sizes.push_back(kClaimedSize);
  }
  if (!needs.stages.empty())
    section.notes.push_back("What is not measured here would be, with: " + MeasuringCommand(std::move(needs)));
}

Section Details(const Judged& j) {
  Section section{"details", j.claim->id + ": " + std::string(ToText(j.verdict)), {}, {}, {}, {}};
  section.repeated = true;
  section.facts = {{"id", "", j.claim->id},
                   {"text", "Claim", j.claim->text},
                   {"where", "Stands in", j.claim->document + ", " + j.claim->section},
                   {"published", "There", PublishedFigure(*j.claim)},
                   {"measured", "Here", Figure(j)},
                   {"shape", "At", SizesOf(j)},
                   {"verdict", "Verdict", std::string(ToText(j.verdict))},
                   {"reason", "Reason", Reason(j)}};
  ReportTable criteria{"criteria",
                       "",
                       {{"role", "Role"},
                        {"what", "What decides"},
                        {"value", "Value"},
                        {"holds", "Holds at"},
                        {"in_part", "In part at"}},
                       {},
                       {}};
  constexpr const char* kRoles[] = {"claim", "reason", "shown"};
  for (const JudgedCriterion& c : j.criteria) {
    const Threshold& t = c.criterion->threshold;
    const bool judged = c.criterion->role != Role::kShown;
    criteria.rows.push_back({std::string(kRoles[static_cast<int>(c.criterion->role)]), c.criterion->what,
                             Number{c.value, t.unit}, judged ? Describe(t.holds, t.unit) : "not judged",
                             judged ? Describe(t.in_part, t.unit) : "not judged"});
  }
  ReportTable values{"values", "", {{"name", "Named value"}, {"value", "Value"}}, {}, {}};
  for (const Fact& fact : j.evidence) values.rows.push_back({fact.key, fact.value});
  section.tables = {std::move(criteria), std::move(values)};
  return section;
}

std::vector<Judged> JudgeSome(const Recording& recording, const std::vector<std::string>& ids) {
  std::vector<Judged> judged;
  for (const std::string& id : ids) {
    const auto claims = AllClaims();
    const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
    if (found == claims.end()) throw Error(fmt::format("there is no claim '{}': 'culprit claims' lists them.", id));
    judged.push_back(Judge(*found, recording));
  }
  return judged;
}

}  // namespace

Report MakeClaimsReport(const Recording& recording, const std::vector<std::string>& ids, bool wide,
                        const std::vector<Warning>& warnings) {
  Report report;
  report.kind = "claims";
  report.title = "Claims of the seeds, re-tested";
  const std::vector<Judged> judged = ids.empty() ? JudgeAll(recording) : JudgeSome(recording, ids);
  AddRunHeader(recording.run(), WarningsOf(judged, warnings), report);
  if (!ids.empty()) {
    for (const Judged& j : judged) report.sections.push_back(Details(j));
    AddCommand(judged, report.sections.back());
    return report;
  }
  report.sections.push_back(Summary(judged));
  for (const std::string& document : DocumentsOf(judged)) {
    Section section{"documents", "Claims of " + document, {}, {}, {}, {}};
    section.repeated = true;
    section.facts.push_back({"document", "", document});
    section.tables.push_back(ClaimTable(judged, document, wide));
    if (ReportTable table = UntestableTable(document, wide); !table.rows.empty())
      section.tables.push_back(std::move(table));
    if (wide) section.tables.push_back(ValueTable(judged, document));
    report.sections.push_back(std::move(section));
  }
  AddCommand(judged, report.sections.back());
  report.sections.push_back(Words());
  if (!wide)
    report.notes.push_back(
        "Here: of the part of the claim that fares worst. culprit claims ID shows what it says, what the document "
        "measured, the criteria and their values; --format md shows all of it for all claims.");
  return report;
}

}  // namespace culprit::claims
