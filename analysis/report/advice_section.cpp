// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/advice_section.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/render/format.h"
#include "analysis/render/joined.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/line_cells.h"

namespace culprit {
namespace {

using enum Unit;

constexpr const char* kNote =
    "As the machine code shows it, with \"may\" where that alone does not tell. The time is what warps waited for "
    "these instructions, and never more than their lines cost; it is no promise of a gain.";

// Of a finding, those that warps waited for most.
constexpr std::size_t kMostShown = 2;

std::string NameOf(const SourceFrame& at) {
  return at.line == 0 ? "(no line information)" : fmt::format("{}:{}", at.file, at.line);
}

Item ItemOf(const Advice& advice, Number weight, const FindSourceText& source) {
  Item item{.key = NameOf(advice.at), .weight = std::move(weight)};
  item.text = fmt::format("{}: {}.", advice.instructions, advice.finding);
  if (advice.at.line > 0)
    if (const std::string text = SourceCell(source(advice.at).text); !text.empty())
      item.details.push_back(fmt::format("Line {}: {}", advice.at.line, text));
  item.details.push_back(fmt::format("To do: {}.", advice.action));
  return item;
}

std::vector<ColumnOf<Advice>> Columns() {
  return {{"advice", "", [](const Advice& a) { return std::string(a.id); }, true},
          {"file", "", [](const Advice& a) { return a.at.file; }, true},
          {"line", "", kInteger, [](const Advice& a) { return a.at.line; }, true},
          {"also_lines", "",
           [](const Advice& a) {
             return Joined(
                 a.also_lines, [](int line) { return std::to_string(line); }, " ");
           },
           true},
          {"time_us", "", kTimeUs, &Advice::us, true},
          {"instructions", "", [](const Advice& a) { return a.instructions; }, true},
          {"finding", "", [](const Advice& a) { return a.finding; }, true},
          {"action", "", [](const Advice& a) { return a.action; }, true},
          {"certain", "", [](const Advice& a) { return std::string(a.certain ? "yes" : "no"); }, true}};
}

}  // namespace

Section AdviceSection(std::span<const Advice> advice, const FindSourceText& source) {
  Section section{"", "What to do"};
  for (const Advice& a : advice) section.items.push_back(ItemOf(a, {a.us, kTimeUs}, source));
  if (!section.items.empty()) section.notes.emplace_back(kNote);
  return section;
}

Section AdviceSection(std::span<const DifferenceAdvice> advice, const PairSource& source) {
  Section section{"", "What to do"};
  for (const DifferenceAdvice& a : advice) {
    Item item = ItemOf(a.advice, {a.of_base ? -a.more_us : a.more_us, kTimeDeltaUs}, source.Of(a.of_base));
    if (a.of_base) item.text = "Of the base, which is the slower one. " + item.text;
    section.items.push_back(std::move(item));
  }
  if (!section.items.empty()) section.notes.emplace_back(kNote);
  return section;
}

std::string AdviceLine(std::span<const Advice> advice) {
  if (advice.empty()) return "";
  return fmt::format("{}: {}; {}", NameOf(advice.front().at), advice.front().finding, advice.front().action);
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

ReportTable AdviceTable(std::span<const Advice> advice) {
  ReportTable table = Tabulate<Advice>("advice", "", advice, Columns());
  table.shown = 0;
  return table;
}

ReportTable AdviceTable(std::span<const DifferenceAdvice> advice) {
  ReportTable table{.key = "advice", .columns = Heads(Columns())};
  table.columns.push_back({"more_us", "", true});
  table.columns.push_back({"kernel", "", true});
  for (const DifferenceAdvice& a : advice) {
    auto& row = table.rows.emplace_back();
    for (const ColumnOf<Advice>& column : Columns()) row.push_back(column.cell(a.advice));
    row.push_back(Cell(Measured(a.more_us), kTimeUs));
    row.push_back(std::string(a.of_base ? "base" : "candidate"));
  }
  table.shown = 0;
  return table;
}

}  // namespace culprit
