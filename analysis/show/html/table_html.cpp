// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/html/table_html.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/number/format.h"
#include "analysis/number/name_in.h"
#include "analysis/number/printable.h"
#include "analysis/show/html/html_text.h"
#include "analysis/show/html/words.h"
#include "analysis/show/render/columns.h"
#include "analysis/show/render/json_cell.h"

namespace culprit {
namespace {

constexpr std::string_view kEvidence = "evidence";

std::string Cut(std::string_view printable) { return Printable(printable, kWidestLine); }

// Details of a number that its column has no room for.
std::string Title(const Cell& cell, std::string_view shown, std::string_view rests_on) {
  std::string title;
  if (const auto* number = std::get_if<Number>(&cell); number != nullptr && number->value)
    if (std::string full = InFull(*number); full != shown) title = std::move(full);
  if (!rests_on.empty()) title += fmt::format("{}Rests on: {}", title.empty() ? "" : "\n", rests_on);
  return title.empty() ? "" : fmt::format(R"( title="{}")", EscapeMarkup(title));
}

// Text up to this width is not broken: on a phone, scrolling a table is better than breaking each cell.
constexpr std::size_t kOneLine = 40;

// A page without drawings shows this many numbers of a chart; the rest is folded.
constexpr std::size_t kShort = 25;

bool IsShare(const Cell& cell) {
  const auto* number = std::get_if<Number>(&cell);
  return number != nullptr && number->unit == Unit::kPercent && number->value && *number->value > 0;
}

// A column on a page.
struct ShownColumn {
  std::vector<std::string> text;
  bool right = false, bars = false;
  std::string css;

  ShownColumn(const ReportTable& table, std::size_t column, std::size_t rows)
      : text(FormatColumn(table, column, rows)), right(IsAlignedRight(table, column, rows)) {
    std::size_t widest = 0;
    for (const std::string& cell : text) widest = std::max(widest, Width(cell));
    css = right ? R"( class="n")" : widest > kOneLine ? R"( class="w")" : R"( class="s")";
    // Draws bars for shares of a whole, when all parts are between 0 and the whole.
    std::size_t shares = 0;
    bars = true;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto* number = std::get_if<Number>(&table.rows[r][column]);
      if (number == nullptr || number->unit != Unit::kPercent || !number->value) continue;
      bars &= *number->value >= -1 && *number->value <= 100;
      shares += IsShare(table.rows[r][column]);
    }
    bars &= shares > 1;
  }
  std::string Bar(const Cell& cell) const {
    return bars && IsShare(cell) ? fmt::format(R"( style="--share:{:.1f}%")", *std::get<Number>(cell).value) : "";
  }
};

std::string_view FirstText(const std::vector<Cell>& row) {
  const auto* text = row.empty() ? nullptr : std::get_if<std::string>(&row.front());
  return text == nullptr ? std::string_view() : *text;
}

std::string_view RestsOnOf(const std::vector<Cell>& row, const RestsOn& rests_on) {
  const auto found = rests_on.find(FirstText(row));
  return found == rests_on.end() ? std::string_view() : found->second;
}

void RenderRows(const ReportTable& table, std::size_t rows, const RestsOn& rests_on, std::ostream& out) {
  std::vector<std::pair<std::size_t, ShownColumn>> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    // A table without a name draws bars as text; a page has charts instead.
    if (const Column& column = table.columns[c]; !column.for_programs && !(column.key.empty() && column.title.empty()))
      columns.emplace_back(c, ShownColumn(table, c, rows));
  out << "<thead><tr>";
  for (const auto& [c, column] : columns)
    out << "<th scope=\"col\"" << column.css << '>' << Shortened(table.columns[c].title) << "</th>";
  out << "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < rows; ++r) {
    const std::string_view evidence = RestsOnOf(table.rows[r], rests_on);
    out << "<tr>";
    for (const auto& [c, column] : columns) {
      const Cell& cell = table.rows[r][c];
      const bool names_row = c == columns.front().first && !column.right;
      const char* tag = names_row ? "th" : "td";
      out << '<' << tag << (names_row ? R"( scope="row")" : "") << column.css
          << (column.right ? column.Bar(cell) + Title(cell, column.text[r], evidence)
              : names_row  ? MeaningTitle(column.text[r])
                           : "")
          << '>' << Shortened(column.text[r], kWidestLine) << "</" << tag << '>';
    }
    out << "</tr>\n";
  }
  out << "</tbody>";
}

// The tooltip of a mark: a line per column with a title; the first is its name.
OrderedJson Says(const Chart& chart, const std::vector<Cell>& row) {
  OrderedJson lines = OrderedJson::array();
  for (std::size_t c = 0; c < chart.data.columns.size(); ++c) {
    const std::string& title = chart.data.columns[c].title;
    if (title.empty()) continue;
    const std::string text = Format(row[c]);
    if (text.empty()) continue;
    lines.push_back(lines.empty() ? Cut(text) : title + ": " + text);
  }
  return lines;
}

}  // namespace

std::string_view ToText(ChartKind kind) {
  using enum ChartKind;
  return NameIn<ChartKind>({{kWaterfall, "waterfall"},
                            {kStack, "stack"},
                            {kRoofline, "roofline"},
                            {kDistribution, "distribution"},
                            {kBars, "bars"},
                            {kPairs, "pairs"},
                            {kIntervals, "intervals"},
                            {kBankMap, "bank_map"},
                            {kLines, "lines"},
                            {kHistory, "history"}},
                           kind);
}

void AddRestsOn(const Chart& chart, RestsOn& rests_on) {
  const auto column = std::ranges::find(chart.data.columns, kEvidence, &Column::key);
  if (column == chart.data.columns.end()) return;
  const auto at = static_cast<std::size_t>(column - chart.data.columns.begin());
  for (const auto& row : chart.data.rows)
    if (std::string text = Format(row[at]); !text.empty()) rests_on[std::string(FirstText(row))] = std::move(text);
}

void RenderHtmlTable(const ReportTable& table, const RestsOn& rests_on, std::ostream& out) {
  const bool for_people = std::ranges::any_of(table.columns, [](const Column& c) { return !c.for_programs; });
  if (for_people && table.IsShown()) {
    out << "<div class=\"scroll\"><table>\n";
    if (!table.title.empty()) out << "<caption>" << Shortened(table.title) << "</caption>\n";
    RenderRows(table, table.RowsShown(), rests_on, out);
    out << "\n</table></div>\n";
  }
  for (const std::string& note : table.notes) out << "<p class=\"note\">" << Shortened(note) << "</p>\n";
}

void RenderHtmlChart(const Chart& chart, std::ostream& out) {
  OrderedJson marks = OrderedJson::array();
  // As in the table: neighbouring numbers have one unit.
  std::vector<std::vector<std::string>> columns;
  for (std::size_t c = 0; c < chart.data.columns.size(); ++c)
    columns.push_back(FormatColumn(chart.data, c, chart.data.rows.size()));
  for (std::size_t r = 0; r < chart.data.rows.size(); ++r) {
    const auto& row = chart.data.rows[r];
    OrderedJson mark = OrderedJson::object();
    for (std::size_t c = 0; c < chart.data.columns.size(); ++c) {
      const std::string& key = chart.data.columns[c].key;
      if (key == kEvidence) continue;
      if (const auto* text = std::get_if<std::string>(&row[c]))
        mark[key] = Cut(*text);
      else
        Put(mark, key, row[c]);
    }
    OrderedJson shown = OrderedJson::object();
    for (std::size_t c = 0; c < chart.data.columns.size(); ++c)
      if (std::holds_alternative<Number>(row[c])) shown[chart.data.columns[c].key] = columns[c][r];
    mark["shown"] = std::move(shown);
    mark["says"] = Says(chart, row);
    marks.push_back(std::move(mark));
  }
  const std::string json = marks.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  out << R"(<figure class="chart" data-kind=")" << ToText(chart.kind) << "\">\n<figcaption><strong>"
      << Shortened(chart.title, kWidestLine) << "</strong> <span class=\"reading\" hidden>" << Shortened(chart.text)
      << "</span></figcaption>\n"
      << "<div class=\"drawn\"></div>\n<script type=\"application/json\">" << EscapeScript(PrintableJson(json))
      << "</script>\n<details class=\"numbers\"" << (chart.data.rows.size() <= kShort ? " open" : "")
      << "><summary>The numbers of this chart</summary>\n";
  RestsOn rests_on;
  AddRestsOn(chart, rests_on);
  RenderHtmlTable(chart.data, rests_on, out);
  out << "</details>\n</figure>\n";
}

}  // namespace culprit
