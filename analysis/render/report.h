// SPDX-License-Identifier: Apache-2.0
// What every command shows: one value, built from typed cells, and free functions that render it. A number keeps its
// full precision until a renderer writes it; only Format (format.h) chooses digits and suffixes.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/number/measured.h"
#include "db/database.h"

namespace culprit {

enum class Unit {
  kCount,        // 16,777,216
  kInteger,      // 4096: ids, lines, seeds
  kTimeUs,       // microseconds
  kTimeDeltaUs,  // microseconds, always with a sign
  kTimeMs,       // milliseconds
  kGflops,       // 1e9 floating-point operations per second
  kBytes,        // traffic, decimal: 431.0 MB
  kCapacity,     // sizes of things: 256 B, 48 KiB
  kBytesPerSecond,
  kPercent,        // 0..100
  kChangePercent,  // relative change in percent, always with a sign
  kRatio,          // 1.234
  kTimes,          // 1.234 x: one quantity over another of its kind
  kSlowdown,       // 1.234 x slower, 2 x faster: a time over another
  kMhz,
  kFlopPerByte,
};

struct Number {
  Measured value = {};
  Unit unit = Unit::kCount;
};

// Named values: "a = 1, b = 2" for people, an object in JSON.
using Pairs = std::map<std::string, std::string>;

// What SQL gave, as it is: no unit, no rounding, and NULL is NULL.
struct Stored {
  Value value;
};

// Text, or a number with its unit, or a number that was not measured.
struct Cell : std::variant<std::string, Number, Pairs, Stored> {
  using variant::variant;
  // NOLINTNEXTLINE(google-explicit-constructor): as any other text
  Cell(std::string_view text) : variant(std::string(text)) {}
  Cell(const Measured& value, Unit unit) : variant(Number{value, unit}) {}
};

// `key` names it in JSON and CSV and never changes; `title` is for people.
struct Column {
  std::string key = {}, title = {};
  bool for_programs = false;  // people do not see it
};

// Without a title it is for programs alone: JSON and CSV.
struct Fact {
  std::string key, title;
  Cell value;
  bool detail = false;  // text has it with the details alone
};

// Without a key it is for people alone: JSON and CSV have what it shows in another table.
struct ReportTable {
  std::string key = {}, title = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};
  std::vector<std::string> notes = {};
  // People see this many rows, and no table at all when it is 0; `notes` then says what the others hold. JSON and CSV
  // always have all of them.
  std::optional<std::size_t> shown = std::nullopt;
};

// Heads of the lines of a section whose items are one line each; none when empty.
struct ItemTitles {
  std::string key = {}, weight = {}, text = {};
};

// A sentence that rests on numbers.
struct Item {
  std::string key = {};   // "local_memory_array"
  Number weight = {};     // what it is sorted by
  std::string text = {};  // one sentence
  std::vector<Fact> evidence = {};
  std::string brief = {};                 // what `text` says in about 60 characters
  std::vector<std::string> details = {};  // lines of their own below the evidence
  std::vector<std::string> more = {};     // further ones, which text has with the details alone
  std::vector<Fact> gain = {};  // for programs: what the cause's removal would bring; people read it among the details
};

// Fixed-width text for people alone; what it shows stands in a table for programs too.
struct Span {
  std::string text;
  int hue = -1;  // 0..7: a background of its own on a terminal; -1: none. The drawing must be readable without.
};
struct Drawing {
  std::vector<std::vector<Span>> lines;
  // A terminal that is too narrow gets it in parts of so many columns, each behind the first `label` columns of its
  // lines. 0: it stays whole.
  std::size_t label = 0, part = 0;
};

// Without a key it is for people alone, as a table.
struct Section {
  std::string key = {}, title = {};
  std::vector<Fact> facts = {};
  std::vector<ReportTable> tables = {};
  std::vector<Item> items = {};
  std::vector<std::string> notes = {};
  bool itemised = false;  // JSON shows `items` even when there are none
  bool repeated = false;  // one of several with this key: JSON collects them in an array
  bool one_line = false;  // people see the brief of each item only, one line each
  bool folded = false;    // Markdown shows the title alone until a reader opens it
  bool detail = false;    // text has it with the details alone, Markdown as if folded
  ItemTitles item_titles = {};
  std::vector<Drawing> drawings = {};  // between facts and tables
  std::string intro = {};              // for pages alone: how to read it, below the title
};

// What a page draws of rows of numbers; text, Markdown, CSV and JSON have the same numbers in tables. Each says which
// columns it reads, by their keys; `analysis/html/charts/` draws them.
enum class ChartKind {
  kWaterfall,     // name, role (total, part, rest), from_us, to_us; low_us, high_us: where a part may end
  kStack,         // side, part, time_us
  kRoofline,      // name, role (compute, memory, point), intensity, gflops, bytes_per_s
  kDistribution,  // side, time_us, kept (yes, no)
  kBars,          // name, value; role "line": a line across all of them
  kPairs,         // name, base, candidate
  kIntervals,     // name, value, low, high; role "line"
  kBankMap,       // lane, bank, banks, wavefront
  kLines,         // name, role (file, line, text, gap, place), line, text, base_us, candidate_us
  kHistory,       // name, time_us, low_us, high_us, level_us, segment, change, moved ("", slower, faster)
};
struct Chart {
  ChartKind kind = ChartKind::kBars;
  std::string title = {};
  std::string text = {};     // what it shows and how to read it: its caption, and its text alternative
  std::string section = {};  // title of the section that it opens; none of that title: it stands by itself, above them
  // A column with a title is among what a mark says of itself, a column for programs there alone. Of a key `evidence`:
  // the values that a row rests on, which a table of this section says of the same first cell as well.
  ReportTable data = {};
};

// What a page says first: a word, and a colour for readers who tell colours apart.
enum class Tone { kBad, kGood, kNeutral, kOpen };
struct Banner {
  Tone tone = Tone::kNeutral;
  std::string text = {};
};

struct Report {
  std::string kind = {};  // "show", "compare", ...: which shape of JSON this is, see docs/json.md
  std::string title = {};
  std::vector<Fact> context = {};   // what was measured, where and when: lines for people
  std::vector<Fact> identity = {};  // the same for programs: "context" in JSON
  std::vector<std::string> warnings = {};
  std::vector<Section> sections = {};
  std::vector<std::string> notes = {};
  // For people, before everything else: what programs read off the sections. None while it says nothing.
  Section answer = {};
  bool bare = false;                  // one table and nothing else: JSON has its rows alone, as a list
  std::vector<Chart> charts = {};     // for pages alone
  std::string intro = {};             // for pages alone: what it is about, below the title, for whoever was sent it
  std::optional<Banner> banner = {};  // for pages alone, above the title: of a report that has a verdict
};

// What a report says, fit for people's eyes: every text in it goes through Printable (printable.h).
Report Printable(Report report);

struct TextStyle {
  bool colour = false;
  bool details = true;  // else one line says which sections there are
  // Columns of the terminal, into which tables are fitted too. Without one a row of a table is one line, however long.
  std::optional<std::size_t> width = std::nullopt;
};

// For people: they make their report printable first. A cell of text is cut at kWidestCell.
void RenderText(const Report& report, std::ostream& out, const TextStyle& style = {});
void RenderMarkdown(const Report& report, std::ostream& out);
// Tables alone, raw numbers. Each has the name of its place in JSON: "stalls.parts". One of them, `table`; or all, and
// if these are several, each under a line "# name", separated by an empty line. A heading that people see names its
// table too, and the beginning of a name or heading is enough where it is that of one table, whatever the case; else
// culprit::Error says which tables there are.
void RenderCsv(const Report& report, std::ostream& out, std::string_view table = "");
// Throws culprit::Error when two columns of a table have one name: it would keep one of them.
void RenderJson(const Report& report, std::ostream& out);

// Columns of a terminal, two lines and a half of a wide one.
constexpr std::size_t kWidestCell = 256;

}  // namespace culprit
