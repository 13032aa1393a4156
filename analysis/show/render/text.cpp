// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/number/printable.h"
#include "analysis/show/render/columns.h"
#include "analysis/show/render/report.h"
#include "analysis/show/render/text_grid.h"

namespace culprit {
namespace {

// For files and pipes, so that their content does not depend on a screen.
constexpr std::size_t kWrapAt = 110;

// If a lead leaves less room for the text, it gets its own line.
constexpr std::size_t kLeastText = 24;

// Light colours of xterm's 256, on which black text is readable.
constexpr std::array kHues = {217, 229, 157, 159, 147, 225, 223, 194};

class TextRenderer {
 public:
  TextRenderer(std::ostream& out, const TextStyle& style)
      : out_(out), style_(style), wrap_at_(style.width.value_or(kWrapAt)) {}

  void Render(const Report& report) {
    if (!report.title.empty()) Bold("", report.title);
    Body(report.answer);
    Facts(report.context);
    for (const std::string& warning : report.warnings) Paragraph("! ", warning);
    bool blank = !report.title.empty();
    std::string hidden, alike;   // key of the last hidden repeated section
    std::size_t more_alike = 0;  // number of such sections after it
    for (const Fact& fact : report.context)
      if (!fact.title.empty() && !IsShown(fact)) hidden += (hidden.empty() ? "" : ", ") + fact.title;
    for (const Section& section : report.sections) {
      if (section.detail && !style_.details) {
        if (section.repeated && section.key == alike) {
          ++more_alike;
          continue;
        }
        Close(hidden, more_alike);
        alike = section.repeated ? section.key : "";
        if (!section.title.empty()) hidden += (hidden.empty() ? "" : ", ") + section.title;
        continue;
      }
      if (section.title.empty() && !Speaks(section)) continue;
      if (blank) out_ << '\n';
      blank = true;
      if (!section.title.empty()) Bold("", section.title);
      Body(section);
    }
    if (!report.notes.empty()) out_ << '\n';
    for (const std::string& note : report.notes) Paragraph("", note);
    Close(hidden, more_alike);
    if (!hidden.empty()) {
      out_ << '\n';
      Paragraph("", "More with -v: " + hidden + ".");
    }
  }

 private:
  std::string Dim(const std::string& text) const { return style_.colour ? "\x1b[2m" + text + "\x1b[0m" : text; }

  // Names only the first of many shapes.
  static void Close(std::string& hidden, std::size_t& more_alike) {
    if (more_alike > 0) hidden += " and " + std::to_string(more_alike) + " more like it";
    more_alike = 0;
  }

  void Bold(const std::string& indent, const std::string& text) {
    if (style_.colour) out_ << "\x1b[1m";
    Paragraph(indent, text, style_.colour ? "\x1b[0m" : "");
  }

  // Whether people see more than its title.
  bool Speaks(const Section& section) const {
    return std::ranges::any_of(section.facts, [&](const Fact& fact) { return IsShown(fact); }) ||
           std::ranges::any_of(section.tables, [](const ReportTable& t) { return t.shown != 0 || !t.notes.empty(); }) ||
           !section.items.empty() || !section.notes.empty() || !section.drawings.empty();
  }

  void Body(const Section& section) {
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

  bool IsShown(const Fact& fact) const { return !fact.title.empty() && (style_.details || !fact.detail); }

  void Facts(const std::vector<Fact>& facts) {
    std::size_t width = 0;
    for (const Fact& fact : facts)
      if (IsShown(fact)) width = std::max(width, Width(fact.title));
    for (const Fact& fact : facts)
      if (IsShown(fact))
        Paragraph("  " + fact.title + std::string(width - Width(fact.title) + 2, ' '), Format(fact.value));
  }

  // Its columns from `from` up to `end`.
  static std::vector<Span> Cut(const std::vector<Span>& line, std::size_t from, std::size_t end) {
    std::vector<Span> cut;
    std::size_t at = 0;
    for (const Span& span : line) {
      const std::size_t first = std::max(from, at), last = std::min(end, at + span.text.size());
      if (first < last) cut.push_back({span.text.substr(first - at, last - first), span.hue});
      at += span.text.size();
    }
    return cut;
  }

  void Render(const Drawing& drawing) {
    std::size_t width = 0;
    for (const auto& line : drawing.lines) {
      std::size_t columns = 0;
      for (const Span& span : line) columns += span.text.size();
      width = std::max(width, columns);
    }
    if (drawing.part == 0 || !style_.width || width + 2 <= *style_.width) return Render(drawing.lines);
    for (std::size_t from = drawing.label; from < width; from += drawing.part) {
      Drawing part;
      for (const auto& line : drawing.lines) {
        part.lines.push_back(Cut(line, 0, drawing.label));
        for (Span& span : Cut(line, from, from + drawing.part)) part.lines.back().push_back(std::move(span));
      }
      Render(part.lines);
    }
  }

  void Render(const std::vector<std::vector<Span>>& lines) {
    for (const auto& line : lines) {
      out_ << "  ";
      for (const Span& span : line) {
        if (style_.colour && span.hue >= 0)
          out_ << "\x1b[38;5;16;48;5;" << kHues[span.hue] << 'm' << span.text << "\x1b[0m";
        else
          out_ << span.text;
      }
      out_ << '\n';
    }
  }

  void Render(const ReportTable& table) {
    if (table.IsShown()) {
      if (!table.title.empty()) Bold("  ", table.title);
      for (const GridLine& line : Grid(table, table.RowsShown(), style_.width))
        out_ << (line.head ? Dim(line.text) : line.text) << '\n';
    }
    for (const std::string& note : table.notes) Paragraph("  ", note);
  }

  // Without a header, the weight would look like the run time of the stage beside it.
  void Lines(const Section& section) {
    const std::vector<Item>& items = section.items;
    if (items.empty()) return;
    const auto& [key_title, weight_title, text_title] = section.item_titles;
    ReportTable weights{"", "", {{}}};
    for (const Item& item : items) weights.rows.push_back({item.weight});
    const std::vector<std::string> times = FormatColumn(weights, 0, items.size());
    std::size_t key = Width(key_title), weight = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      key = std::max(key, Width(items[i].key));
      if (items[i].weight.value) weight = std::max({weight, times[i].size(), Width(weight_title)});
    }
    if (!text_title.empty())
      out_ << Dim("  " + key_title + std::string(key - Width(key_title) + 2, ' ') +
                  (weight ? std::string(weight - Width(weight_title), ' ') + weight_title + "  " : "") + text_title)
           << '\n';
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      const std::string time = item.weight.value ? times[i] : "";
      Paragraph("  " + item.key + std::string(key - Width(item.key) + 2, ' ') + std::string(weight - time.size(), ' ') +
                    time + (weight ? "  " : ""),
                item.brief);
    }
  }

  void Render(const Item& item, int n) {
    const std::string number = "  " + std::to_string(n) + ". ";
    std::string head = item.key;
    if (item.weight.value) head += " [" + Format(item.weight) + "]";
    out_ << number;
    Bold("", head);
    const std::string indent(number.size(), ' ');
    Paragraph(indent, item.text);
    if (!item.evidence.empty())
      Paragraph(indent, Joined(item.evidence, [](const Fact& f) { return f.title + " = " + Format(f.value); }));
    for (const std::string& detail : item.details) Paragraph(indent, detail);
    if (style_.details)
      for (const std::string& detail : item.more) Paragraph(indent, detail);
  }

  // Later lines are aligned with the first line's text.
  void Paragraph(const std::string& prefix, std::string_view text, std::string_view end = "") {
    std::string lead = prefix;
    if (Width(lead) + kLeastText > wrap_at_ && Width(text) + Width(lead) > wrap_at_) {
      lead.erase(lead.find_last_not_of(' ') + 1);
      out_ << lead << '\n';
      lead = "      ";
    }
    const std::size_t indent = Width(lead);
    const std::vector<std::string> lines = Wrapped(text, wrap_at_ > indent ? wrap_at_ - indent : 1);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ << lead << lines[i] << (i + 1 == lines.size() ? end : "") << '\n';
      lead.assign(indent, ' ');
    }
  }

  std::ostream& out_;
  TextStyle style_;
  std::size_t wrap_at_;
};

}  // namespace

void RenderText(const Report& report, std::ostream& out, const TextStyle& style) {
  TextRenderer(out, style).Render(Printable(report));
}

}  // namespace culprit
