// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analysis/render/printable.h"
#include "analysis/render/report.h"

namespace culprit {
namespace {

void Clean(std::string& text) { text = Printable(text); }

void Clean(Cell& cell);
void Clean(Column& column);
void Clean(Fact& fact);
void Clean(ReportTable& table);
void Clean(Item& item);
void Clean(Span& span);
void Clean(Drawing& drawing);
void Clean(Section& section);

template <class T>
void Clean(std::vector<T>& all) {
  for (T& one : all) Clean(one);
}

void Clean(Column& column) {
  Clean(column.key);
  Clean(column.title);
}

void Clean(Fact& fact) {
  Clean(fact.key);
  Clean(fact.title);
  Clean(fact.value);
}

void Clean(ReportTable& table) {
  Clean(table.key);
  Clean(table.title);
  Clean(table.columns);
  Clean(table.rows);
  Clean(table.notes);
}

void Clean(ItemTitles& titles) {
  Clean(titles.key);
  Clean(titles.weight);
  Clean(titles.text);
}

void Clean(Item& item) {
  Clean(item.key);
  Clean(item.text);
  Clean(item.evidence);
  Clean(item.brief);
  Clean(item.details);
  Clean(item.gain);
}

void Clean(Span& span) { Clean(span.text); }
void Clean(Drawing& drawing) { Clean(drawing.lines); }

void Clean(Section& section) {
  Clean(section.key);
  Clean(section.title);
  Clean(section.facts);
  Clean(section.tables);
  Clean(section.items);
  Clean(section.notes);
  Clean(section.item_titles);
  Clean(section.drawings);
}

void Clean(Cell& cell) {
  if (auto* text = std::get_if<std::string>(&cell)) {
    Clean(*text);
  } else if (auto* pairs = std::get_if<Pairs>(&cell)) {
    Pairs clean;
    for (const auto& [name, value] : *pairs) clean[Printable(name)] = Printable(value);
    *pairs = std::move(clean);
  } else if (auto* stored = std::get_if<Stored>(&cell)) {
    if (auto* words = std::get_if<std::string>(&stored->value)) Clean(*words);
  }
}

}  // namespace

Report Printable(Report report) {
  Clean(report.title);
  Clean(report.answer);
  Clean(report.context);
  Clean(report.warnings);
  Clean(report.sections);
  Clean(report.notes);
  return report;
}

}  // namespace culprit
