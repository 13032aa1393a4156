// SPDX-License-Identifier: Apache-2.0
// What a kernel's report says of causes, with the gain of taking each away; and what it could not say, and why.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/gain.h"
#include "analysis/launch/fact_source.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/kernel_report.h"
#include "db/metric_catalogue.h"

namespace culprit {
namespace {

using enum Unit;

bool LacksTime(const NotJudged& rule) {
  return std::ranges::any_of(rule.missing, [](const auto& m) { return m.id == "time_us"; });
}

std::string Pairs(int n, const char* kind = "") { return fmt::format("{} {}pair{}", n, kind, n == 1 ? "" : "s"); }

// The error on pairs that culprit why explains by this cause, and beside it the one on those of which nothing else
// changed.
std::string ErrorText(const CalibratedError* error) {
  if (error == nullptr) return "not calibrated: no recorded pair tests it";
  const auto times = [](double factor) { return fmt::format("{:.2f}x", factor); };
  std::string text;
  if (error->error_factor)
    text = fmt::format("past estimates: within {} ({})", times(*error->error_factor), Pairs(error->experiments));
  else if (error->experiments > 0)
    text = fmt::format("past estimates: {} only, within {}", Pairs(error->experiments), times(error->worst_factor));
  else
    text = fmt::format("not calibrated: culprit why explains none of {} by it", Pairs(error->alone));
  if (error->alone_factor) text += fmt::format(", {} ({})", times(*error->alone_factor), Pairs(error->alone, "clean "));
  return text;
}

// Adds the estimate, its assumption and its error: for programs as Item::gain, for people as a line.
void AddGain(const KernelView& kernel, const Finding& finding, Item& item) {
  const Cause* cause = FindCause(finding.id);
  if (cause == nullptr || cause->gain.removal == nullptr) return;
  const GainRule& rule = cause->gain;
  const auto gain = EstimateGain(kernel, rule);
  if (!gain) return;
  const CalibratedError* error = FindCalibratedError(finding.id);
  const CalibratedError known = error ? *error : CalibratedError{};
  const auto factor = [](const std::optional<double>& f) {
    return Cell(f ? Measured(*f) : Measured::Missing(Absence::kUndefined), kRatio);
  };
  item.gain = {{"gain_us", "", {gain->gain_us, kTimeUs}},
               {"is_bound", "", rule.is_bound ? "yes" : "no"},
               {"assumption", "", rule.assumption},
               {"limit", "", gain->limit},
               {"error_factor", "", factor(known.error_factor)},
               {"experiments", "", Cell(known.experiments, kCount)},
               {"alone_factor", "", factor(known.alone_factor)},
               {"alone", "", Cell(known.alone, kCount)}};
  std::string line =
      fmt::format("Gain {}{} if {}", rule.is_bound ? "at most " : "", Format(gain->gain_us, kTimeUs), rule.assumption);
  if (!gain->limit.empty()) line += fmt::format("; then {} would set the pace", gain->limit);
  item.details.push_back(fmt::format("{}; {}.", line, ErrorText(error)));
}

// What each number of the evidence is: once, in the order in which findings name them.
ReportTable EvidenceTable(const KernelView& kernel, const Findings& findings) {
  std::vector<const Evidence*> all;
  std::set<std::string> known;
  for (const Finding& finding : findings.findings)
    for (const Evidence& e : finding.evidence)
      if (known.insert(e.id).second) all.push_back(&e);
  std::vector<ColumnOf<Evidence>> columns = {{"metric", &Evidence::id},
                                             {"unit", &Evidence::unit},
                                             {"source", [&](const Evidence& e) { return SourceOf(kernel, e.id); }}};
  if (CountersOf(kernel.record()) == "sampled")
    columns.emplace_back("error", Unit::kRatio, [&](const Evidence& e) { return Measured(ErrorOf(kernel, e.id)); });
  return ForPrograms<Evidence>("metrics", all, columns);
}

// More ids than this say less than their number does; JSON has them all.
constexpr std::size_t kNamed = 10;

std::string Missing(const NotJudged& rule) {
  return Joined(rule.missing, [](const auto& m) { return fmt::format("{} ({})", m.id, ToText(m.why)); });
}

// Rules that lack the same thing share a sentence.
std::vector<std::string> NotJudgedNotes(const KernelView& view, const Findings& findings) {
  struct Group {
    std::vector<std::string> rules, missing;
  };
  std::vector<std::string> need_full;
  std::map<std::string, Group> others;  // by reason
  for (const NotJudged& rule : findings.not_judged) {
    if (std::ranges::all_of(rule.missing, [&](const auto& m) { return view.NeedsFullProfile(m.id); })) {
      need_full.push_back(rule.id);
      continue;
    }
    const Absence why = rule.missing.front().why;
    const std::string not_asked =
        WasOnlySampled(view.record()) && FindMetric(rule.missing.front().id) != nullptr
            ? fmt::format("not recorded: {} counts it", WhatCountsExactly(view.record().run.run))
            : "not recorded";
    Group& group = others[why == Absence::kNotAsked ? not_asked : std::string(ToText(why))];
    group.rules.push_back(rule.id);
    for (const auto& m : rule.missing)
      if (std::find(group.missing.begin(), group.missing.end(), m.id) == group.missing.end())
        group.missing.push_back(m.id);
  }
  std::vector<std::string> notes;
  if (!need_full.empty())
    notes.push_back(fmt::format("Exact counts and percentages of peak need {}. Not judged without them: {}.",
                                WhatCountsExactly(view.record().run.run), Joined(need_full)));
  for (const auto& [reason, group] : others)
    notes.push_back(fmt::format(
        "Not judged for want of {} ({}): {}.",
        group.missing.size() <= kNamed ? Joined(group.missing) : fmt::format("{} metrics", group.missing.size()),
        reason, Joined(group.rules)));
  return notes;
}

}  // namespace

Section MakeFindingsSection(const KernelView& kernel, const Findings& findings) {
  Section section{"findings", "Findings"};
  section.itemised = true;
  for (const Finding& finding : findings.findings) {
    Item item{.key = finding.id, .weight = {finding.weight_us, kTimeUs}, .text = finding.text, .brief = finding.brief};
    for (const Evidence& e : finding.evidence)
      item.evidence.push_back({e.id, e.id, {e.value, UnitFromCatalogue(e.unit)}});
    AddGain(kernel, finding, item);
    section.items.push_back(std::move(item));
  }
  section.tables.push_back(EvidenceTable(kernel, findings));
  if (std::ranges::any_of(findings.not_judged, LacksTime))
    section.notes.push_back(
        "No time was recorded, and a cause weighs what it costs: only rules without a weight were judged.");
  if (findings.findings.empty())
    section.notes.push_back(findings.silent == 0 ? "No rule could be judged: see below."
                                                 : "Nothing stands out in what was measured.");
  else
    section.notes.push_back(
        "Sorted by the time that each affects; these times overlap. A gain is an estimate for one cause alone: gains "
        "overlap, too, and docs/evidence/calibration.md says how good they are.");
  return section;
}

Section MakeNotMeasuredSection(const KernelView& view, const Findings& findings) {
  const KernelRecord& kernel = view.record();
  Section section{"not_measured", "Not measured"};
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const Reading& reading : kernel.readings)
    if (reading.status != ReadingStatus::kOk)
      by_reason[std::string(ToText(reading.status))].push_back(reading.metric.id);
  for (const auto& [reason, ids] : by_reason) section.facts.push_back({reason, reason, Joined(ids)});
  if (!view.WasCounted()) section.notes.push_back("No counter was read: " + view.WhyNotCounted());
  ReportTable table = Tabulate<NotJudged>("not_judged", "", findings.not_judged,
                                          {{"rule", "Rule", &NotJudged::id}, {"missing", "Missing", Missing}});
  table.shown = 0;
  if (view.WasCounted()) table.notes = NotJudgedNotes(view, findings);
  const std::array<const KernelRecord*, 1> kernels{&kernel};
  if (std::string command = NcuCommand(kernels); !command.empty() && !table.rows.empty())
    section.facts.push_back({"ncu_command", "Profile with", std::move(command)});
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  if (section.facts.empty() && section.tables.empty() && section.notes.empty())
    section.notes.push_back("Nothing: every requested metric has a value, and every rule was judged.");
  return section;
}

}  // namespace culprit
