// SPDX-License-Identifier: Apache-2.0
#include "analysis/html/table_html.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/html/html_text.h"
#include "analysis/html/words.h"
#include "analysis/render/format.h"
#include "analysis/render/json_cell.h"
#include "analysis/render/printable.h"

namespace culprit {
namespace {

constexpr std::string_view kEvidence = "evidence";

std::string Cut(std::string_view printable) { return Printable(printable, kWidestLine); }

// What a number is beyond the digits that its column has room for.
std::string Title(const Cell& cell, std::string_view shown, std::string_view rests_on) {
  std::string title;
  if (const auto* number = std::get_if<Number>(&cell); number != nullptr && number->value)
    if (std::string full = InFull(*number); full != shown) title = std::move(full);
  if (!rests_on.empty()) title += fmt::format("{}Rests on: {}", title.empty() ? "" : "\n", rests_on);
  return title.empty() ? "" : fmt::format(R"( title="{}")", EscapeMarkup(title));
}

// A text of up to this many columns stays one line: a phone scrolls a table rather than break each of its cells.
constexpr std::size_t kOneLine = 40;

// Numbers of a chart that a page without its drawing shows at once; more wait until a reader opens them.
constexpr std::size_t kShort = 25;

bool IsShare(const Cell& cell) {
  const auto* number = std::get_if<Number>(&cell);
  return number != nullptr && number->unit == Unit::kPercent && number->value && *number->value > 0;
}

// A column as a page shows it.
struct ShownColumn {
  std::vector<std::string> text;
  bool right = false, bars = false;
  std::string css;

  ShownColumn(const ReportTable& table, std::size_t column, std::size_t rows)
      : text(FormatColumn(table, column, rows)), right(IsAlignedRight(table, column, rows)) {
    std::size_t widest = 0;
    for (const std::string& cell : text) widest = std::max(widest, Width(cell));
    css = right ? R"( class="n")" : widest > kOneLine ? R"( class="w")" : R"( class="s")";
    // Bars behind shares of a whole, where no part is more than the whole or less than nothing.
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
    // One without any name draws bars of text, which a page has charts for.
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

// What a mark says of itself, a line for each column with a title, the first of which is its name.
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
  switch (kind) {
    case ChartKind::kWaterfall:
      return "waterfall";
    case ChartKind::kStack:
      return "stack";
    case ChartKind::kRoofline:
      return "roofline";
    case ChartKind::kDistribution:
      return "distribution";
    case ChartKind::kBars:
      return "bars";
    case ChartKind::kPairs:
      return "pairs";
    case ChartKind::kIntervals:
      return "intervals";
    case ChartKind::kBankMap:
      return "bank_map";
    case ChartKind::kLines:
      return "lines";
    case ChartKind::kHistory:
      return "history";
  }
  return {};
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
  const std::size_t rows = std::min(table.shown.value_or(table.rows.size()), table.rows.size());
  if (for_people && (rows > 0 || !table.shown)) {
    out << "<div class=\"scroll\"><table>\n";
    if (!table.title.empty()) out << "<caption>" << Shortened(table.title) << "</caption>\n";
    RenderRows(table, rows, rests_on, out);
    out << "\n</table></div>\n";
  }
  for (const std::string& note : table.notes) out << "<p class=\"note\">" << Shortened(note) << "</p>\n";
}

void RenderHtmlChart(const Chart& chart, std::ostream& out) {
  OrderedJson marks = OrderedJson::array();
  // As the table says it: numbers beside each other are in one unit.
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
