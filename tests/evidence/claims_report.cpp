// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/claims_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"
#include "tests/evidence/measuring_command.h"
#include "tests/evidence/seeds/seed_stages.h"

namespace culprit::claims {
namespace {

using enum Unit;

std::string SizesOf(const RetestedClaim& retested) {
  std::vector<int> sizes = retested.sizes;
  std::ranges::sort(sizes);
  const std::string listed = Joined(sizes, [](int size) { return std::to_string(size); });
  return retested.shape + (retested.shape.empty() || listed.empty() ? "" : ", ") + listed;
}

std::string PublishedFigure(const Claim& claim) {
  const std::string gpu = claim.gpu == "not named" ? "GPU not named" : claim.gpu;
  return fmt::format("{} ({})", claim.published.empty() ? "no figure" : claim.published, gpu);
}

// With every digit, however long a time is: programs read these, too.
std::string InMicroseconds(const Cell& cell) {
  const auto* number = std::get_if<Number>(&cell);
  return number && number->value ? Format(*number->value, number->unit, 0) : Format(cell);
}

Pairs EvidencePairs(const RetestedClaim& retested) {
  Pairs pairs;
  for (const Fact& fact : retested.evidence) pairs[fact.key] = InMicroseconds(fact.value);
  return pairs;
}

std::string DecidingMetrics(const RetestedClaim& retested) {
  std::vector<std::string> deciding;
  for (const RetestedCriterion& c : retested.criteria)
    if (c.criterion->role == Role::kClaim) deciding.push_back(c.criterion->what);
  return Joined(deciding, std::identity(), "; ");
}

std::string WorstFigure(const RetestedClaim& retested) {
  const RetestedCriterion* worst = Worst(retested);
  return worst ? FormatPart(worst->value, worst->criterion->threshold.unit) : "-";
}

std::string WorstOf(const RetestedClaim& retested) {
  const RetestedCriterion* worst = Worst(retested);
  return worst ? worst->criterion->what : "";
}

ReportTable UntestableTable(const std::string& document, bool wide) {
  std::vector<Untestable> untestable;
  std::ranges::copy_if(AllUntestable(), std::back_inserter(untestable),
                       [&](const Untestable& u) { return u.document == document; });
  ReportTable table =
      Tabulate<Untestable>("not_testable", "Not testable here", untestable,
                           {{"text", "What it says", &Untestable::text}, {"why", "Why not", &Untestable::why}});
  if (!wide && !table.rows.empty()) {
    table.shown = 0;
    table.notes.push_back(fmt::format("Not testable here: {} more of its statements; --format md says which and why.",
                                      table.rows.size()));
  }
  return table;
}

// Of the run, and of the launches that the claims read.
std::vector<Warning> WarningsOf(const std::vector<RetestedClaim>& retested, const std::vector<Warning>& warnings) {
  return OfLaunches(warnings, [&](const std::string& launch) {
    return std::any_of(retested.begin(), retested.end(),
                       [&](const RetestedClaim& j) { return j.launches.contains(launch); });
  });
}

std::vector<RetestedClaim> Of(const std::string& document, const std::vector<RetestedClaim>& all) {
  std::vector<RetestedClaim> of;
  std::ranges::copy_if(all, std::back_inserter(of),
                       [&](const RetestedClaim& j) { return j.claim->document == document; });
  return of;
}

ReportTable ClaimTable(const std::vector<RetestedClaim>& claims, bool wide) {
  return Tabulate<RetestedClaim>(
      "claims", "", claims,
      {{"id", "Claim", [](const RetestedClaim& j) { return j.claim->id; }},
       {"text", "What it says", [](const RetestedClaim& j) { return j.claim->text; }, !wide},
       {"document", "Document", [](const RetestedClaim& j) { return j.claim->document; }, true},
       {"section", "Where", [](const RetestedClaim& j) { return j.claim->section; }, !wide},
       {"published", "There", [](const RetestedClaim& j) { return PublishedFigure(*j.claim); }, !wide},
       {"measured", "Here", Figure, !wide},
       {"shape", "At", SizesOf, true},
       {"deciding_metric", "Decided by", DecidingMetrics, !wide},
       {"verdict", "Verdict", [](const RetestedClaim& j) { return ToText(j.holds); }},
       {"worst", "Here", WorstFigure, wide},
       {"worst_of", "Of what", WorstOf, wide},
       {"reason", "Reason", Reason, !wide},
       {"evidence", "Values", EvidencePairs, true}});
}

// The raw values that the reasons of a document rest on. A separate table, because columns beside the reasons would be
// too narrow to read.
ReportTable ValueTable(const std::vector<RetestedClaim>& claims) {
  return Tabulate<RetestedClaim>("values", "Named values", claims,
                                 {{"id", "Claim", [](const RetestedClaim& j) { return j.claim->id; }},
                                  {"shape", "At", SizesOf},
                                  {"evidence", "Values", EvidencePairs}});
}

std::vector<std::string> DocumentsOf(const std::vector<RetestedClaim>& all) {
  std::vector<std::string> documents;
  for (const RetestedClaim& j : all)
    if (documents.empty() || documents.back() != j.claim->document) documents.push_back(j.claim->document);
  return documents;
}

// In the claims' order of verdicts from yes to unknown.
Section Summary(const std::vector<RetestedClaim>& all) {
  Section section{"summary", "Verdicts"};
  ReportTable table{"verdicts", "", {{"document", "Document"}}};
  constexpr Holds kOrder[] = {Holds::kYes, Holds::kInPart, Holds::kNo, Holds::kNotMeasured};
  for (const Holds holds : kOrder) {
    std::string key(ToText(holds));
    std::replace(key.begin(), key.end(), ' ', '_');
    table.columns.push_back({key, std::string(ToText(holds))});
  }
  const auto add = [&](const std::string& title, const std::vector<RetestedClaim>& claims) {
    auto& row = table.rows.emplace_back(1, title);
    for (const Holds holds : kOrder)
      row.emplace_back(static_cast<double>(std::ranges::count(claims, holds, &RetestedClaim::holds)), kInteger);
  };
  for (const std::string& document : DocumentsOf(all)) add(document, Of(document, all));
  add("all", all);
  section.tables.push_back(std::move(table));
  return section;
}

const char* OfWhat(const Threshold& t) {
  return t.unit == kChangePercent ? "change of throughput at equal clock"
         : t.unit == kPercent     ? "wavefronts beyond the ideal ones"
                                  : "ratio of counts";
}

Section Words() {
  Section section{"words", "What the words mean"};
  ReportTable table = Tabulate<Threshold>(
      "thresholds", "", Glossary(),
      {{"word", "Word", &Threshold::word},
       {"holds", "Holds at", [](const Threshold& t) { return Describe(t.holds, t.unit); }},
       {"in_part", "Holds in part at", [](const Threshold& t) { return Describe(t.in_part, t.unit); }},
       {"of", "Of what", OfWhat}});
  table.notes.push_back(
      "\"About as published\" is half to twice the published change, as a ratio: from its square root to its square; "
      "in part, from a quarter to four times, beyond the noise. A claim holds when all that it says and its reasons "
      "hold, does not hold here when nothing that it says does, and holds in part between the two. Throughputs are "
      "compared at one shape of one run and at equal clock: in cycles (median time x median clock of the samples) "
      "where the clocks of both launches were measured, else in time. A share of cuBLAS is in time: its clock, lower "
      "where it draws more power, is part of what it delivers. Excess wavefronts are those beyond what the bytes of "
      "an access need, as bank conflicts make them; in percent of those that the bytes need.");
  section.tables.push_back(std::move(table));
  return section;
}

void AddCommand(const std::vector<RetestedClaim>& all, Section& section) {
  Needs needs;
  for (const RetestedClaim& j : all) {
    // Values that a launch cannot have would be missing after another run, too.
    const auto could_be = [](const Evidence::Missing& m) { return m.why != Absence::kUndefined; };
    if (std::none_of(j.missing.begin(), j.missing.end(), could_be)) continue;
    needs.stages.insert(j.stages.begin(), j.stages.end());
    needs.sizes.insert(j.sizes.begin(), j.sizes.end());
    if (j.sizes.empty() || !j.shape.empty()) needs.sizes.insert(kClaimedSize);
  }
  if (!needs.stages.empty())
    section.notes.push_back("What is not measured here would be, with: " + MeasuringCommand(needs));
}

Section Details(const RetestedClaim& j) {
  Section section{"details", j.claim->id + ": " + std::string(ToText(j.holds))};
  section.repeated = true;
  section.facts = {{"id", "", j.claim->id},
                   {"text", "Claim", j.claim->text},
                   {"where", "Stands in", j.claim->document + ", " + j.claim->section},
                   {"published", "There", PublishedFigure(*j.claim)},
                   {"measured", "Here", Figure(j)},
                   {"shape", "At", SizesOf(j)},
                   {"verdict", "Verdict", ToText(j.holds)},
                   {"reason", "Reason", Reason(j)}};
  constexpr const char* kRoles[] = {"claim", "reason", "shown"};
  const auto at = [](const RetestedCriterion& c, const auto& bound) {
    return c.criterion->role == Role::kShown ? "not judged" : Describe(bound, c.criterion->threshold.unit);
  };
  ReportTable criteria = Tabulate<RetestedCriterion>(
      "criteria", "", j.criteria,
      {{"role", "Role", [&](const auto& c) { return kRoles[static_cast<int>(c.criterion->role)]; }},
       {"what", "What decides", [](const auto& c) { return c.criterion->what; }},
       {"value", "Value", [](const auto& c) { return Cell(c.value, c.criterion->threshold.unit); }},
       {"holds", "Holds at", [&](const auto& c) { return at(c, c.criterion->threshold.holds); }},
       {"in_part", "In part at", [&](const auto& c) { return at(c, c.criterion->threshold.in_part); }}});
  ReportTable values =
      Tabulate<Fact>("values", "", j.evidence, {{"name", "Named value", &Fact::key}, {"value", "Value", &Fact::value}});
  section.tables = {std::move(criteria), std::move(values)};
  return section;
}

std::vector<RetestedClaim> RetestSome(const Recording& recording, const std::vector<std::string>& ids) {
  std::vector<RetestedClaim> retested;
  for (const std::string& id : ids) {
    const auto claims = AllClaims();
    const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
    if (found == claims.end())
      throw Error(fmt::format("there is no claim '{}': 'culprit_evidence claims' lists them.", id));
    retested.push_back(Retest(*found, recording));
  }
  return retested;
}

}  // namespace

Report MakeClaimsReport(const Recording& recording, const std::vector<std::string>& ids, bool wide,
                        const std::vector<Warning>& warnings) {
  Report report{.kind = "claims", .title = "Claims of the seeds, re-tested"};
  const std::vector<RetestedClaim> retested = ids.empty() ? RetestAll(recording) : RetestSome(recording, ids);
  AddRunHeader(recording.run(), WarningsOf(retested, warnings), report);
  if (!ids.empty()) {
    for (const RetestedClaim& j : retested) report.sections.push_back(Details(j));
    AddCommand(retested, report.sections.back());
    return report;
  }
  report.sections.push_back(Summary(retested));
  for (const std::string& document : DocumentsOf(retested)) {
    const std::vector<RetestedClaim> claims = Of(document, retested);
    Section section{.key = "documents",
                    .title = "Claims of " + document,
                    .facts = {{"document", "", document}},
                    .tables = {ClaimTable(claims, wide)},
                    .repeated = true};
    if (ReportTable table = UntestableTable(document, wide); !table.rows.empty())
      section.tables.push_back(std::move(table));
    if (wide) section.tables.push_back(ValueTable(claims));
    report.sections.push_back(std::move(section));
  }
  AddCommand(retested, report.sections.back());
  report.sections.push_back(Words());
  if (std::string nothing = NothingOfTheSeeds(recording); !nothing.empty()) {
    for (Section& section : report.sections) section.detail = true;
    report.notes.push_back(std::move(nothing));
    return report;
  }
  if (!wide)
    report.notes.push_back(
        "Here: of the part of the claim that fares worst. culprit_evidence claims ID shows what it says, what the "
        "document measured, the criteria and their values; --format md shows all of it for all claims.");
  return report;
}

}  // namespace culprit::claims
