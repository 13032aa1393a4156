// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/html/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "analysis/number/format.h"
#include "analysis/number/name_in.h"
#include "analysis/number/printable.h"
#include "analysis/show/html/html_text.h"
#include "analysis/show/html/table_html.h"
#include "analysis/show/html/words.h"

namespace culprit {

std::span<const EmbeddedText> PageFiles();   // page.css, page.js
std::span<const EmbeddedText> ChartFiles();  // the bundle, or nothing

namespace {

// More evidence of one item is folded.
constexpr std::size_t kShownEvidence = 6;
// A longer detail is folded.
constexpr std::size_t kLong = 25;
// Fewer sections get no list of links.
constexpr std::size_t kWorthLinks = 3;

bool IsOfPeople(const Fact& fact) { return !fact.title.empty(); }

std::string TitleOf(const Cell& cell, std::string_view shown) {
  const auto* number = std::get_if<Number>(&cell);
  if (number == nullptr || !number->value) return "";
  const std::string full = InFull(*number);
  return full == shown ? "" : fmt::format(R"( title="{}")", EscapeMarkup(full));
}

void RenderFacts(std::span<const Fact> facts, std::ostream& out, bool details) {
  const auto is_shown = [&](const Fact& fact) { return IsOfPeople(fact) && fact.detail == details; };
  if (std::ranges::none_of(facts, is_shown)) return;
  out << "<dl>\n";
  for (const Fact& fact : facts) {
    if (!is_shown(fact)) continue;
    const std::string text = Format(fact.value);
    out << "<div><dt>" << Shortened(fact.title) << "</dt><dd" << TitleOf(fact.value, text) << '>' << Shortened(text)
        << "</dd></div>\n";
  }
  out << "</dl>\n";
}

void RenderFacts(std::span<const Fact> facts, std::ostream& out) {
  RenderFacts(facts, out, false);
  RenderFacts(facts, out, true);
}

void RenderDrawing(const Drawing& drawing, std::ostream& out) {
  out << "<pre class=\"scroll\">";
  for (const auto& line : drawing.lines) {
    for (const Span& span : line) {
      if (span.hue >= 0)
        out << "<span class=\"hue" << span.hue << "\">" << EscapeMarkup(span.text) << "</span>";
      else
        out << EscapeMarkup(span.text);
    }
    out << '\n';
  }
  out << "</pre>\n";
}

void RenderNotes(std::span<const std::string> notes, std::ostream& out) {
  for (const std::string& note : notes) out << "<p class=\"note\">" << Shortened(note) << "</p>\n";
}

void RenderEvidence(std::span<const Fact> evidence, std::ostream& out) {
  if (evidence.empty()) return;
  const bool folded = evidence.size() > kShownEvidence;
  if (folded) out << "<details><summary>Rests on " << evidence.size() << " values</summary>\n";
  out << "<ul class=\"evidence\">\n";
  for (const Fact& fact : evidence) {
    const std::string text = Format(fact.value);
    out << "<li><code" << MeaningTitle(fact.key) << '>' << Shortened(fact.key) << "</code> <span"
        << TitleOf(fact.value, text) << '>' << Shortened(text) << "</span></li>\n";
  }
  out << "</ul>\n" << (folded ? "</details>\n" : "");
}

void RenderItem(const Item& item, std::ostream& out) {
  out << "<li><p><strong" << MeaningTitle(item.key) << '>' << Shortened(item.key, kWidestLine) << "</strong>";
  if (item.weight.value) {
    const std::string text = Format(item.weight);
    out << " <span class=\"weight\"" << TitleOf(Cell(item.weight.value, item.weight.unit), text) << '>' << text
        << "</span>";
  }
  out << "<br>" << Shortened(item.text) << "</p>\n";
  RenderEvidence(item.evidence, out);
  if (!item.details.empty() || !item.more.empty()) {
    out << "<ul>\n";
    for (const auto* lines : {&item.details, &item.more})
      for (const std::string& line : *lines) out << "<li>" << Shortened(line) << "</li>\n";
    out << "</ul>\n";
  }
  out << "</li>\n";
}

// Items that people see as one line each.
ReportTable AsTable(const Section& section) {
  const ItemTitles& titles = section.item_titles;
  ReportTable table{.columns = {{"key", titles.key}, {"weight", titles.weight}, {"text", titles.text}}};
  table.columns[1].for_programs =
      std::ranges::none_of(section.items, [](const Item& i) { return bool(i.weight.value); });
  for (const Item& item : section.items)
    table.rows.push_back(
        {item.key, item.weight.value ? Cell(item.weight.value, item.weight.unit) : Cell(""), item.brief});
  return table;
}

struct Placed {
  const Section* section;
  std::vector<const Chart*> charts;
  std::string id;  // empty: no title to link to

  bool IsFolded() const {
    const auto is_long = [](const ReportTable& t) { return t.shown.value_or(t.rows.size()) > kLong; };
    return section->folded || (section->detail && (section->repeated || std::ranges::any_of(section->tables, is_long)));
  }
  bool IsOfPeople() const {
    const Section& s = *section;
    const auto has_table = [](const ReportTable& t) {
      return !t.notes.empty() || (t.shown.value_or(1) > 0 &&
                                  std::ranges::any_of(t.columns, [](const Column& c) { return !c.for_programs; }));
    };
    return !charts.empty() || !s.items.empty() || !s.notes.empty() || !s.drawings.empty() ||
           std::ranges::any_of(s.facts, culprit::IsOfPeople) || std::ranges::any_of(s.tables, has_table);
  }
};

void RenderSection(const Placed& placed, std::ostream& out) {
  const Section& section = *placed.section;
  const std::string id = placed.id.empty() ? "" : fmt::format(R"( id="{}")", placed.id);
  const std::string heading =
      section.title.empty() ? "" : fmt::format("<h2>{}</h2>", Shortened(section.title, kWidestLine));
  if (placed.IsFolded())
    out << "<details class=\"section\"" << id << "><summary>" << heading << "</summary>\n";
  else
    out << "<section" << id << ">\n" << heading << '\n';
  if (!section.intro.empty()) out << "<p class=\"intro\">" << Shortened(section.intro) << "</p>\n";
  RestsOn rests_on;
  for (const Chart* chart : placed.charts) AddRestsOn(*chart, rests_on);
  for (const Chart* chart : placed.charts) RenderHtmlChart(*chart, out);
  RenderFacts(section.facts, out);
  // Skip it when a chart shows it.
  const bool drawn = !placed.charts.empty() && !section.drawings.empty();
  if (drawn) out << "<details><summary>The same as text</summary>\n";
  for (const Drawing& drawing : section.drawings) RenderDrawing(drawing, out);
  if (drawn) out << "</details>\n";
  for (const ReportTable& table : section.tables) RenderHtmlTable(table, rests_on, out);
  if (section.one_line && !section.items.empty()) {
    RenderHtmlTable(AsTable(section), {}, out);
  } else if (!section.items.empty()) {
    out << "<ol class=\"items\">\n";
    for (const Item& item : section.items) RenderItem(item, out);
    out << "</ol>\n";
  }
  RenderNotes(section.notes, out);
  out << (placed.IsFolded() ? "</details>\n" : "</section>\n");
}

// Mark, word and colour agree, so that one of them is enough for a reader.
void RenderBanner(const Banner& banner, std::ostream& out) {
  using enum Tone;
  const std::string_view name =
      NameIn<Tone>({{kBad, "bad"}, {kGood, "good"}, {kNeutral, "neutral"}, {kOpen, "open"}}, banner.tone);
  constexpr std::string_view kCross = "&#10007;", kTick = "&#10003;";
  const std::string_view mark =
      NameIn<Tone>({{kBad, kCross}, {kGood, kTick}, {kNeutral, "="}, {kOpen, "?"}}, banner.tone);
  out << "<p class=\"verdict " << name << "\"><span aria-hidden=\"true\">" << mark << "</span> "
      << Shortened(banner.text, kWidestLine) << "</p>\n";
}

// The sections that people see, each with its charts, which are removed from `charts`.
std::vector<Placed> Place(const Report& report, std::vector<const Chart*>& charts) {
  std::vector<Placed> all;
  for (const Section& section : report.sections) {
    Placed placed{&section, {}, {}};
    std::erase_if(charts, [&](const Chart* chart) {
      if (chart->section.empty() || chart->section != section.title) return false;
      placed.charts.push_back(chart);
      return true;
    });
    if (!placed.IsOfPeople()) continue;
    if (!section.title.empty()) placed.id = fmt::format("s{}", all.size() + 1);
    all.push_back(std::move(placed));
  }
  return all;
}

void RenderLinks(std::span<const Placed> sections, std::ostream& out) {
  std::string links;
  std::size_t count = 0;
  for (const Placed& placed : sections) {
    // Repeated sections get no links, because there would be too many.
    if (placed.id.empty() || placed.IsFolded()) continue;
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", placed.id, Shortened(placed.section->title, kWidestWord));
    ++count;
  }
  if (count >= kWorthLinks)
    out << "<nav aria-label=\"Sections\"><ul>\n"
        << links << "<li><a href=\"#words\">What the words mean</a></li>\n</ul></nav>\n";
}

// 256 bits from hexadecimal to base64 (RFC 4648): three digits are two there.
std::string InBase64(std::string_view sha256) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = std::string(sha256) + "00";
  std::string base64;
  for (std::size_t at = 0; at < hex.size(); at += 3) {
    const unsigned long bits = std::stoul(hex.substr(at, 3), nullptr, 16);
    base64 += {kDigits[bits >> 6], kDigits[bits & 63]};
  }
  base64.back() = '=';
  return base64;
}

void RenderHead(const Report& report, const PageParts& parts, std::ostream& out) {
  std::string scripts = fmt::format("'sha256-{}'", InBase64(parts.script.sha256));
  if (!parts.charts.text.empty()) scripts += fmt::format(" 'sha256-{}'", InBase64(parts.charts.sha256));
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      // The page loads and sends nothing, whatever a name in it contains; only these scripts may run.
      << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "script-src "
      << scripts << "; base-uri 'none'; form-action 'none'\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      << "<meta name=\"color-scheme\" content=\"light dark\">\n"
      << "<meta name=\"referrer\" content=\"no-referrer\">\n<title>"
      << EscapeMarkup(Printable(report.title.empty() ? "culprit" : report.title, kWidestLine)) << "</title>\n<style>\n"
      << parts.style.text << "</style>\n</head>\n";
}

void RenderScripts(const Report& report, const PageParts& parts, std::ostream& out) {
  out << "<!-- scripts -->\n";
  if (parts.charts.text.empty() && !report.charts.empty())
    out << "<p class=\"note\">Charts are left out: this culprit was built without them (script/web makes them). Each "
           "one's numbers stand in the table where it would be.</p>\n";
  if (!parts.charts.text.empty() && !report.charts.empty()) out << "<script>" << parts.charts.text << "</script>\n";
  out << "<script>" << parts.script.text << "</script>\n<!-- /scripts -->\n";
}

}  // namespace

PageParts BuiltPageParts() {
  const auto file = [](std::span<const EmbeddedText> files, std::string_view name) {
    const auto found = std::ranges::find(files, name, &EmbeddedText::name);
    return found == files.end() ? EmbeddedText() : *found;
  };
  return {file(PageFiles(), "style"), file(PageFiles(), "page"), file(ChartFiles(), "charts")};
}

void RenderPage(const Report& given, std::ostream& out, const PageParts& parts) {
  const Report report = Printable(given);
  std::vector<const Chart*> charts;
  for (const Chart& chart : report.charts) charts.push_back(&chart);
  const std::vector<Placed> sections = Place(report, charts);
  RenderHead(report, parts, out);
  out << "<body>\n<header>\n";
  if (report.banner) RenderBanner(*report.banner, out);
  if (!report.title.empty()) out << "<h1>" << Shortened(report.title, 2 * kWidestLine) << "</h1>\n";
  if (!report.intro.empty()) out << "<p class=\"intro\">" << Shortened(report.intro) << "</p>\n";
  if (Placed answer{&report.answer, {}, {}}; answer.IsOfPeople()) RenderSection(answer, out);
  RenderFacts(report.context, out, false);
  for (const std::string& warning : report.warnings)
    out << "<p class=\"warning\"><strong>Warning</strong> " << Shortened(warning) << "</p>\n";
  RenderLinks(sections, out);
  out << "</header>\n<main>\n";
  for (const Chart* chart : charts) RenderHtmlChart(*chart, out);
  for (const Placed& placed : sections) RenderSection(placed, out);
  RenderNotes(report.notes, out);
  if (std::ranges::any_of(report.context, [](const Fact& fact) { return IsOfPeople(fact) && fact.detail; })) {
    out << "<details class=\"section\"><summary><h2>More about this recording</h2></summary>\n";
    RenderFacts(report.context, out, true);
    out << "</details>\n";
  }
  out << "</main>\n<footer>\n";
  RenderWords(report, out);
  RenderScripts(report, parts, out);
  out << "</footer>\n</body>\n</html>\n";
}

}  // namespace culprit
