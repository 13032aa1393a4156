// SPDX-License-Identifier: Apache-2.0
// The result of every command: one value of typed cells, and functions that render it. Numbers keep full precision
// until a renderer writes them; only Format (format.h) chooses digits and suffixes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/number/cell.h"

namespace culprit {

// `key` is the name in JSON and CSV and never changes; `title` is for people.
struct Column {
  std::string key = {}, title = {};
  bool for_programs = false;  // only in JSON and CSV
};

// A fact without a title is only for programs (JSON and CSV).
struct Fact {
  std::string key, title;
  Cell value;
  bool detail = false;  // text shows it only with details
};

// A table without a key is only for people; JSON and CSV have its content in another table.
struct ReportTable {
  std::string key = {}, title = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};
  std::vector<std::string> notes = {};
  // The number of rows that people see; 0: they see no table. `notes` then describe the other rows. JSON and CSV always
  // have all rows.
  std::optional<std::size_t> shown = std::nullopt;

  std::size_t RowsShown() const { return std::min(shown.value_or(rows.size()), rows.size()); }
  bool IsShown() const { return RowsShown() > 0 || !shown; }
};

// Column heads for a section with one line per item. Empty: no heads.
struct ItemTitles {
  std::string key = {}, weight = {}, text = {};
};

// A sentence with the numbers behind it.
struct Item {
  std::string key = {};   // "local_memory_array"
  Number weight = {};     // sort key
  std::string text = {};  // one sentence
  std::vector<Fact> evidence = {};
  std::string brief = {};                 // `text` in about 60 characters
  std::vector<std::string> details = {};  // separate lines below the evidence
  std::vector<std::string> more = {};     // further lines that text shows only with details
  std::vector<Fact> gain = {};  // for programs: the gain from removing the cause; people see it in the details
};

// A part of a fixed-width drawing. Only people see drawings; programs get the content in a table.
struct Span {
  std::string text;
  int hue = -1;  // 0..7: background colour on a terminal; -1: none. The drawing must be readable without it.
};
struct Drawing {
  std::vector<std::vector<Span>> lines;
  // On a narrow terminal the drawing is split into parts of `part` columns. Each part repeats the first `label` columns
  // of its lines. 0: it is never split.
  std::size_t label = 0, part = 0;
};

// A section without a key is only for people, like a table.
struct Section {
  std::string key = {}, title = {};
  std::vector<Fact> facts = {};
  std::vector<ReportTable> tables = {};
  std::vector<Item> items = {};
  std::vector<std::string> notes = {};
  bool itemised = false;  // JSON has `items` even if empty
  bool repeated = false;  // JSON collects all sections with this key in an array
  bool one_line = false;  // people see one line per item: its brief
  bool folded = false;    // Markdown shows only the title until a reader opens it
  bool detail = false;    // text shows it only with details; Markdown folds it
  ItemTitles item_titles = {};
  std::vector<Drawing> drawings = {};  // between facts and tables
  std::string intro = {};              // only for pages: how to read it, below the title
};

// A chart on a page. Text, Markdown, CSV and JSON have the same numbers in tables. The comment of each kind lists the
// keys of the columns that it reads. `analysis/show/html/charts/` draws the charts.
enum class ChartKind {
  kWaterfall,     // name, role (total, part, rest), from_us, to_us; low_us, high_us: interval of a part's end
  kStack,         // side, part, time_us
  kRoofline,      // name, role (compute, memory, point), intensity, gflops, bytes_per_s
  kDistribution,  // side, time_us, kept (yes, no)
  kBars,          // name, value; role "line": a line across all bars
  kPairs,         // name, base, candidate
  kIntervals,     // name, value, low, high; role "line"
  kBankMap,       // lane, bank, banks, wavefront
  kLines,         // name, role (file, line, text, gap, place), line, text, base_us, candidate_us
  kHistory,       // name, time_us, low_us, high_us, level_us, segment, change, moved ("", slower, faster)
};
struct Chart {
  ChartKind kind = ChartKind::kBars;
  std::string title = {};
  std::string text = {};     // caption: what it shows and how to read it; also the text for readers without pictures
  std::string section = {};  // title of the section that begins with it; no such section: it comes before all sections
  // A mark's tooltip shows all columns with a title, also those for programs. The column `evidence` has the evidence
  // for a row; tables of this section show it for the row with the same first cell.
  ReportTable data = {};
};

// The headline of a page: a word with a colour.
enum class Tone { kBad, kGood, kNeutral, kOpen };
struct Banner {
  Tone tone = Tone::kNeutral;
  std::string text = {};
};

// Nested values and lists for programs, for which tables are too flat. `double` and `int` are written as they are. A
// missing Measured says why, as in a cell.
struct Tree;
using Fields = std::vector<std::pair<std::string, Tree>>;
struct Tree : std::variant<Cell, bool, Fields, std::vector<Tree>> {
  using variant::variant;
  // NOLINTBEGIN(google-explicit-constructor): a leaf is what it holds
  Tree(int value) : variant(Cell(Stored{value})) {}
  Tree(double value) : variant(Cell(Stored{value})) {}
  Tree(const std::optional<double>& value) : variant(Cell(Stored{value ? Value(*value) : Value()})) {}
  Tree(const Measured& value) : variant(Cell(value, Unit::kCount)) {}
  // NOLINTEND(google-explicit-constructor)
};

template <class Rows, class Of>
std::vector<Tree> Each(const Rows& rows, Of of) {
  std::vector<Tree> list;
  for (const auto& row : rows) list.emplace_back(of(row));
  return list;
}

struct Report {
  std::string kind = {};  // "show", "compare", ...: the JSON format, see docs/json.md
  std::string title = {};
  std::vector<Fact> context = {};   // what was measured, where and when: lines for people
  std::vector<Fact> identity = {};  // the same for programs: "context" in JSON
  std::vector<std::string> warnings = {};
  std::vector<Section> sections = {};
  std::vector<std::string> notes = {};
  // For people, before everything else. Programs find the content in the sections. Not shown if empty.
  Section answer = {};
  Fields fields = {};                 // not empty: JSON has only these
  bool bare = false;                  // the report is one table: JSON has only a list of its rows
  std::vector<Chart> charts = {};     // only on pages
  std::string intro = {};             // only on pages, below the title: what the page is about
  std::optional<Banner> banner = {};  // only on pages, above the title: the verdict, if the report has one
};

// Applies Printable (printable.h) to every text of a report.
Report Printable(Report report);

struct TextStyle {
  bool colour = false;
  bool details = true;  // false: one line lists the sections with details instead
  // Terminal columns that tables must fit in. None: each table row is one line, however long.
  std::optional<std::size_t> width = std::nullopt;
};

// These two are for people. They apply Printable first. Text cells are cut at kWidestCell.
void RenderText(const Report& report, std::ostream& out, const TextStyle& style = {});
void RenderMarkdown(const Report& report, std::ostream& out);
// Only tables, with raw numbers. A table's name is its path in JSON: "stalls.parts". `table` selects one by its name,
// by its visible heading, or by an unambiguous prefix of these, in upper or lower case. If no table matches, throws
// culprit::Error that lists the tables. If `table` is empty, writes all tables; several are separated by an empty line
// and a line "# name".
void RenderCsv(const Report& report, std::ostream& out, std::string_view table = "");
// Throws culprit::Error when two columns of a table have the same name, because JSON would keep only one.
void RenderJson(const Report& report, std::ostream& out);

// The widest text cell in terminal columns: about two and a half wide lines.
constexpr std::size_t kWidestCell = 256;

}  // namespace culprit
