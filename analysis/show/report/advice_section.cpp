// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/advice_section.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/number/format.h"
#include "analysis/number/line_ranges.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/line_cells.h"

namespace culprit {
namespace {

using enum Unit;

constexpr const char* kNote =
    "As the machine code shows it, with \"may\" where that alone does not tell. The time is what warps waited for "
    "these instructions, and never more than the lines named cost; it is no promise of a gain.";

// Of a finding, those that warps waited for most.
constexpr std::size_t kMostShown = 2;

// All its lines: together they cost what it says.
std::string NameOf(const Advice& advice) {
  return advice.at.line == 0 ? "(no line information)" : ToText(RangesOf(advice.Lines()), kAllRanges);
}

// `line`: "Line 25 costs 171.8 us in all", the whole that the advice has a part of.
Item ItemOf(const Advice& advice, Number weight, const std::string& line, const FindSourceText& source) {
  Item item{.key = NameOf(advice), .weight = std::move(weight)};
  item.text = fmt::format("{}: {}.", advice.instructions, advice.finding);
  if (advice.at.line > 0) {
    const std::string text = SourceCell(source(advice.at).text);
    item.details.push_back(fmt::format("Line {} {}{}{}", advice.at.line, line, text.empty() ? "." : ": ", text));
  }
  item.details.push_back(fmt::format("To do: {}.", advice.action));
  return item;
}

// Of an item that has instructions in common with one before it: their times must not be added.
void SayIfCounted(const Advice& advice, std::span<const Advice* const> before, Item& item) {
  const auto same = std::ranges::find_if(before, [&](const Advice* b) { return b->IsAboutSame(advice); });
  if (same != before.end())
    item.details.push_back(
        fmt::format("Its time is also in {}: both are about {}.", same - before.begin() + 1,
                    (*same)->about == advice.about ? "the same instructions" : "some of the same instructions"));
}

std::vector<ColumnOf<Advice>> Columns() {
  return {{"advice", &Advice::id},
          {"file", [](const Advice& a) { return a.at.file; }},
          {"line", kInteger, [](const Advice& a) { return a.at.line; }},
          {"also_lines", [](const Advice& a) { return fmt::format("{}", fmt::join(a.also_lines, " ")); }},
          {"time_us", kTimeUs, &Advice::us},
          {"instructions", &Advice::instructions},
          {"finding", &Advice::finding},
          {"action", &Advice::action},
          {"certain", [](const Advice& a) { return a.certain ? "yes" : "no"; }}};
}

}  // namespace

Section AdviceSection(std::span<const Advice> advice, const FindSourceText& source) {
  Section section{"", "What to do"};
  std::vector<const Advice*> before;
  for (const Advice& a : advice) {
    section.items.push_back(
        ItemOf(a, {a.us, kTimeUs}, fmt::format("costs {} in all", Format(a.line_us, kTimeUs)), source));
    SayIfCounted(a, before, section.items.back());
    before.push_back(&a);
  }
  if (!section.items.empty()) section.notes.emplace_back(kNote);
  return section;
}

Section AdviceSection(std::span<const DifferenceAdvice> advice, const PairSource& source) {
  Section section{"", "What to do"};
  std::vector<const Advice*> before;
  for (const DifferenceAdvice& a : advice) {
    const double sign = a.of_base ? -1 : 1;
    Item item =
        ItemOf(a.advice, {sign * a.more_us, kTimeDeltaUs},
               fmt::format("differs by {} in all", Format(sign * a.line_us, kTimeDeltaUs)), source.Of(a.of_base));
    if (a.of_base) item.text = "Of the base, which is the slower one. " + item.text;
    SayIfCounted(a.advice, before, item);
    before.push_back(&a.advice);
    section.items.push_back(std::move(item));
  }
  if (!section.items.empty()) section.notes.emplace_back(kNote);
  return section;
}

std::string AdviceLine(const Advice& advice) {
  return fmt::format("{}: {}; {}", NameOf(advice), advice.finding, advice.action);
}

std::string AdviceLine(std::span<const Advice> advice, double time_us) {
  const auto first = std::ranges::find_if(advice, [=](const Advice& a) { return a.us >= kWorthLeading * time_us; });
  return first == advice.end() ? "" : AdviceLine(*first);
}

void AddExamined(const Examined& examined, Report& report) {
  for (Section& section : report.sections) {
    if (section.key != "findings") continue;
    for (Item& item : section.items) {
      std::size_t shown = 0;
      for (const ShownCode& code : examined.shown)
        if (code.cause == item.key && code.at.line > 0 && shown++ < kMostShown)
          item.details.push_back(fmt::format("the code at {}:{} [{}]: {}", code.at.file, code.at.line,
                                             Format(code.us, kTimeUs), code.text));
      for (const Advice& a : examined.advice)
        if (IsAdviceOn(item.key, a.id) && a.at.line > 0)
          item.details.push_back(
              fmt::format("the code at {}:{}: {}; to do: {}", a.at.file, a.at.line, a.finding, a.action));
    }
  }
}

ReportTable AdviceTable(std::span<const Advice> advice) { return ForPrograms<Advice>("advice", advice, Columns()); }

ReportTable AdviceTable(std::span<const DifferenceAdvice> advice) {
  std::vector<ColumnOf<DifferenceAdvice>> columns;
  for (const ColumnOf<Advice>& c : Columns())
    columns.push_back({c.column.key, [cell = c.cell](const DifferenceAdvice& a) { return cell(a.advice); }});
  columns.push_back({"more_us", kTimeUs, &DifferenceAdvice::more_us});
  columns.push_back({"kernel", [](const DifferenceAdvice& a) { return a.of_base ? "base" : "candidate"; }});
  return ForPrograms<DifferenceAdvice>("advice", advice, columns);
}

}  // namespace culprit
