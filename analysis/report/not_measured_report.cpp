// SPDX-License-Identifier: Apache-2.0
// What a kernel's report could not say, and why: metrics without a value, rules without their metrics.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/kernel/how_to_measure.h"
#include "analysis/render/joined.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/kernel_report.h"

namespace culprit {
namespace {

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
    Group& group = others[why == Absence::kNotAsked ? "not recorded" : std::string(ToText(why))];
    group.rules.push_back(rule.id);
    for (const auto& m : rule.missing)
      if (std::find(group.missing.begin(), group.missing.end(), m.id) == group.missing.end())
        group.missing.push_back(m.id);
  }
  std::vector<std::string> notes;
  if (!need_full.empty())
    notes.push_back("Exact counts and percentages of peak need --profile=full. Not judged without them: " +
                    Joined(need_full) + ".");
  for (const auto& [reason, group] : others)
    notes.push_back(fmt::format(
        "Not judged for want of {} ({}): {}.",
        group.missing.size() <= kNamed ? Joined(group.missing) : fmt::format("{} metrics", group.missing.size()),
        reason, Joined(group.rules)));
  return notes;
}

}  // namespace

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
