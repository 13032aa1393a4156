// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/render/format.h"
#include "analysis/render/printable.h"
#include "analysis/render/report.h"

namespace culprit {
namespace {

constexpr std::size_t kWrapAt = 110;

// Of xterm's 256 colours, light ones that black text is readable on.
constexpr std::array kHues = {217, 229, 157, 159, 147, 225, 223, 194};

class TextRenderer {
 public:
  TextRenderer(std::ostream& out, bool colour) : out_(out), colour_(colour) {}

  void Render(const Report& report) {
    out_ << Bold(report.title) << '\n';
    Facts(report.context);
    for (const std::string& warning : report.warnings) Paragraph("! ", warning);
    for (const Section& section : report.sections) Render(section);
    if (!report.notes.empty()) out_ << '\n';
    for (const std::string& note : report.notes) Paragraph("", note);
  }

  void Render(const ReportTable& table) {
    const std::size_t rows = std::min(table.shown.value_or(table.rows.size()), table.rows.size());
    if (rows > 0 || !table.shown) Grid(table, rows);
    for (const std::string& note : table.notes) Paragraph("  ", note);
  }

 private:
  std::string Bold(const std::string& text) const { return colour_ ? "\x1b[1m" + text + "\x1b[0m" : text; }
  std::string Dim(const std::string& text) const { return colour_ ? "\x1b[2m" + text + "\x1b[0m" : text; }

  void Render(const Section& section) {
    out_ << '\n';
    if (!section.title.empty()) out_ << Bold(section.title) << '\n';
    Facts(section.facts);
    for (const Drawing& drawing : section.drawings) Render(drawing);
    for (const ReportTable& table : section.tables) Render(table);
    if (section.one_line) {
      Lines(section);
    } else {
      int n = 0;
      for (const Item& item : section.items) Render(item, ++n);
    }
    for (const std::string& note : section.notes) Paragraph("  ", note);
  }

  void Facts(const std::vector<Fact>& facts) {
    std::size_t width = 0;
    for (const Fact& fact : facts) width = std::max(width, Width(fact.title));
    for (const Fact& fact : facts) {
      if (fact.title.empty()) continue;
      Paragraph("  " + fact.title + std::string(width - Width(fact.title) + 2, ' '), Format(fact.value));
    }
  }

  void Render(const Drawing& drawing) {
    for (const auto& line : drawing.lines) {
      out_ << "  ";
      for (const Span& span : line) {
        if (colour_ && span.hue >= 0)
          out_ << "\x1b[38;5;16;48;5;" << kHues[span.hue] << 'm' << span.text << "\x1b[0m";
        else
          out_ << span.text;
      }
      out_ << '\n';
    }
  }

  void Grid(const ReportTable& table, std::size_t rows) {
    if (!table.title.empty()) out_ << "  " << Bold(table.title) << '\n';
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (!table.columns[c].for_programs) columns.push_back(c);
    const std::size_t n = columns.size();
    std::vector<std::size_t> width(n);
    std::vector<bool> right(n);
    for (std::size_t c = 0; c < n; ++c) right[c] = IsAlignedRight(table, columns[c], rows);
    for (std::size_t c = 0; c < n; ++c) width[c] = Width(table.columns[columns[c]].title);
    std::vector<std::vector<std::string>> text;
    for (std::size_t r = 0; r < rows; ++r) {
      auto& line = text.emplace_back();
      for (std::size_t c = 0; c < n; ++c) {
        line.push_back(Printable(Format(table.rows[r][columns[c]]), kWidestCell));
        width[c] = std::max(width[c], Width(line.back()));
      }
    }
    std::vector<std::string> titles;
    for (const std::size_t c : columns) titles.push_back(table.columns[c].title);
    out_ << Dim(Line(titles, width, right)) << '\n';
    for (const auto& line : text) out_ << Line(line, width, right) << '\n';
  }

  // Without a header the weight reads like the run time of the stage beside it.
  void Lines(const Section& section) {
    const std::vector<Item>& items = section.items;
    if (items.empty()) return;
    const auto& [key_title, weight_title, text_title] = section.item_titles;
    std::size_t key = Width(key_title), weight = 0;
    for (const Item& item : items) {
      key = std::max(key, Width(item.key));
      if (item.weight.value) weight = std::max({weight, Format(item.weight).size(), Width(weight_title)});
    }
    if (!text_title.empty())
      out_ << Dim("  " + key_title + std::string(key - Width(key_title) + 2, ' ') +
                  (weight ? std::string(weight - Width(weight_title), ' ') + weight_title + "  " : "") + text_title)
           << '\n';
    for (const Item& item : items) {
      const std::string time = item.weight.value ? Format(item.weight) : "";
      Paragraph("  " + item.key + std::string(key - Width(item.key) + 2, ' ') + std::string(weight - time.size(), ' ') +
                    time + (weight ? "  " : ""),
                item.brief);
    }
  }

  static std::string Line(const std::vector<std::string>& cells, const std::vector<std::size_t>& width,
                          const std::vector<bool>& right) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string gap(width[c] - std::min(width[c], Width(cells[c])), ' ');
      line += "  " + (right[c] ? gap + cells[c] : cells[c] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  void Render(const Item& item, int n) {
    const std::string number = "  " + std::to_string(n) + ". ";
    std::string head = item.key;
    if (item.weight.value) head += " [" + Format(item.weight) + "]";
    out_ << number << Bold(head) << '\n';
    const std::string indent(number.size(), ' ');
    Paragraph(indent, item.text);
    std::string evidence;
    for (const Fact& fact : item.evidence)
      evidence += (evidence.empty() ? "" : ", ") + fact.title + " = " + Format(fact.value);
    if (!evidence.empty()) Paragraph(indent, evidence);
    for (const std::string& detail : item.details) Paragraph(indent, detail);
  }

  // Later lines start under the first one's text.
  void Paragraph(const std::string& prefix, std::string_view text) {
    const std::string indent(Width(prefix), ' ');
    std::string lead = prefix;
    while (true) {
      const std::size_t taken = Width(lead);
      const std::size_t fits = BytesWithin(text, kWrapAt > taken ? kWrapAt - taken : 1);
      if (fits == text.size()) {
        out_ << lead << text << '\n';
        return;
      }
      std::size_t cut = text.rfind(' ', fits);
      if (cut == text.npos || cut == 0) cut = text.find(' ', fits);
      if (cut == text.npos) cut = text.size();
      out_ << lead << text.substr(0, cut) << '\n';
      if (cut == text.size()) return;
      text.remove_prefix(cut + 1);
      lead = indent;
    }
  }

  std::ostream& out_;
  bool colour_;
};

}  // namespace

void RenderText(const Report& report, std::ostream& out, bool colour) {
  TextRenderer(out, colour).Render(Printable(report));
}

void RenderText(const ReportTable& table, std::ostream& out, bool colour) {
  TextRenderer(out, colour).Render(Printable(table));
}

}  // namespace culprit
