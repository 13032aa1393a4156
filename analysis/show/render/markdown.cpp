// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "analysis/number/format.h"
#include "analysis/number/printable.h"
#include "analysis/show/render/columns.h"
#include "analysis/show/render/report.h"

namespace culprit {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)); }

// A pipe or a line break would end the cell. '<' would start HTML, '&' an entity, '[' a link; '*', '_' and '~'
// emphasis. For '@' (a user), '#' (an issue), "://" and "www." (an address), forges notify and link even after a
// backslash; only an entity prevents that.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], before = i > 0 ? text[i - 1] : ' ', after = i + 1 < text.size() ? text[i + 1] : ' ';
    if (c == '@' && !IsWord(before)) {
      escaped += "&#64;";
    } else if (c == '#' && (i == 0 || std::isdigit(static_cast<unsigned char>(after)))) {
      escaped += "&#35;";
    } else if (c == ':' && text.substr(i).starts_with("://")) {
      escaped += "&#58;";
    } else if (c == '.' && text.substr(0, i).ends_with("www")) {
      escaped += "&#46;";
    } else {
      // Within a word, as in v1_6, an underscore has no effect; nor has '&' before a blank.
      const bool special = c == '_'   ? !(IsWord(before) && IsWord(after))
                           : c == '&' ? IsWord(after) || after == '#'
                                      : std::string_view("|<*`\\[]~").find(c) != std::string_view::npos;
      if (special) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

// HTML does not know backslash escapes, so every character must be an entity.
std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text)
    escaped += std::string_view("<>&@#[]").find(c) == std::string_view::npos ? std::string(1, c)
                                                                             : "&#" + std::to_string(int{c}) + ';';
  return escaped;
}

// Nothing can be escaped inside a code span or a fence.
std::string Code(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  return text;
}

void RenderFacts(const std::vector<Fact>& facts, std::ostream& out) {
  if (std::all_of(facts.begin(), facts.end(), [](const Fact& fact) { return fact.title.empty(); })) return;
  out << "\n| | |\n|---|---|\n";
  for (const Fact& fact : facts)
    if (!fact.title.empty()) out << "| " << Escape(fact.title) << " | " << Escape(Format(fact.value)) << " |\n";
}

void RenderGrid(const ReportTable& table, std::size_t rows, std::ostream& out) {
  out << '\n';
  if (!table.title.empty()) out << "**" << Escape(table.title) << "**\n\n";
  out << '|';
  for (const Column& column : table.columns)
    if (!column.for_programs) out << ' ' << Escape(column.title) << " |";
  out << "\n|";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].for_programs) out << (IsAlignedRight(table, c, rows) ? "---:|" : "---|");
  }
  out << '\n';
  std::vector<std::vector<std::string>> cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (!table.columns[c].for_programs) cells.push_back(FormatColumn(table, c, rows));
  for (std::size_t r = 0; r < rows; ++r) {
    out << '|';
    for (const auto& column : cells) out << ' ' << Escape(column[r]) << " |";
    out << '\n';
  }
}

void RenderDrawing(const Drawing& drawing, std::ostream& out) {
  out << "\n```\n";
  for (const auto& line : drawing.lines) {
    for (const Span& span : line) out << Code(span.text);
    out << '\n';
  }
  out << "```\n";
}

void RenderTable(const ReportTable& table, std::ostream& out) {
  if (table.IsShown()) RenderGrid(table, table.RowsShown(), out);
  for (const std::string& note : table.notes) out << '\n' << Escape(note) << '\n';
}

void RenderItem(const Item& item, int n, std::ostream& out) {
  out << n << ". **" << Escape(item.key) << "**";
  if (item.weight.value) out << " (" << Format(item.weight) << ")";
  out << ": " << Escape(item.text);
  const char* separator = " Evidence: ";
  for (const Fact& fact : item.evidence) {
    out << separator << '`' << Code(fact.key) << "` = " << Escape(Format(fact.value));
    separator = ", ";
  }
  out << '\n';
  // Lines inside an item must start at its text's column, after "9. " or "10. ".
  const std::string indent(std::to_string(n).size() + 2, ' ');
  for (const auto* lines : {&item.details, &item.more})
    for (const std::string& line : *lines) out << indent << "- " << Escape(line) << '\n';
}

void RenderLines(const Section& section, std::ostream& out) {
  const bool weighed =
      std::any_of(section.items.begin(), section.items.end(), [](const Item& i) { return i.weight.value; });
  const ItemTitles& titles = section.item_titles;
  out << "| " << Escape(titles.key) << " |";
  if (weighed) out << ' ' << Escape(titles.weight) << " |";
  out << ' ' << Escape(titles.text) << " |\n|---|" << (weighed ? "---:|" : "") << "---|\n";
  for (const Item& item : section.items) {
    out << "| " << Escape(item.key) << " |";
    if (weighed) out << ' ' << (item.weight.value ? Format(item.weight) : "") << " |";
    out << ' ' << Escape(item.brief) << " |\n";
  }
}

void RenderSection(const Section& section, std::ostream& out) {
  const bool folded = section.folded || (section.detail && !section.title.empty());
  if (folded)
    out << "\n<details>\n<summary>" << EscapeHtml(section.title) << "</summary>\n";
  else if (!section.title.empty())
    out << "\n## " << Escape(section.title) << '\n';
  RenderFacts(section.facts, out);
  for (const Drawing& drawing : section.drawings) RenderDrawing(drawing, out);
  for (const ReportTable& table : section.tables) RenderTable(table, out);
  if (!section.items.empty()) out << '\n';
  int n = 0;
  if (section.one_line && !section.items.empty())
    RenderLines(section, out);
  else
    for (const Item& item : section.items) RenderItem(item, ++n, out);
  for (const std::string& note : section.notes) out << '\n' << Escape(note) << '\n';
  if (folded) out << "\n</details>\n";
}

}  // namespace

void RenderMarkdown(const Report& given, std::ostream& out) {
  const Report report = Printable(given);
  if (!report.title.empty()) out << "# " << Escape(report.title) << '\n';
  RenderSection(report.answer, out);
  RenderFacts(report.context, out);
  for (const std::string& warning : report.warnings) out << "\n> Warning: " << Escape(warning) << '\n';
  for (const Section& section : report.sections) RenderSection(section, out);
  for (const std::string& note : report.notes) out << '\n' << Escape(note) << '\n';
}

}  // namespace culprit
