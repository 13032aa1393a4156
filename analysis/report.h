// SPDX-License-Identifier: Apache-2.0
// What every command shows: one value, built from typed cells, and free functions that render it. A number keeps its
// full precision until a renderer writes it; only Format (format.h) chooses digits and suffixes.
#pragma once
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/measured.h"

namespace culprit {

enum class Unit {
  kCount,        // 16,777,216
  kInteger,      // 4096: ids, lines, seeds
  kTimeUs,       // microseconds
  kTimeDeltaUs,  // microseconds, always with a sign
  kGflops,       // 1e9 floating-point operations per second
  kBytes,        // traffic, decimal: 431.0 MB
  kCapacity,     // sizes of things: 256 B, 48 KiB
  kBytesPerSecond,
  kPercent,        // 0..100
  kChangePercent,  // relative change in percent, always with a sign
  kRatio,          // 1.234
  kMhz,
  kFlopPerByte,
};

struct Number {
  Measured value;
  Unit unit = Unit::kCount;
};

// Text, or a number with its unit, or a number that was not measured.
using Cell = std::variant<std::string, Number>;

// `key` names it in JSON and CSV and never changes; `title` is for people.
struct Column {
  std::string key, title;
};

// Without a title it is for programs alone: JSON and CSV.
struct Fact {
  std::string key, title;
  Cell value;
};

struct ReportTable {
  std::string key, title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
};

// A sentence that rests on numbers.
struct Item {
  std::string key;   // "local_memory_array"
  Number weight;     // what it is sorted by
  std::string text;  // one sentence
  std::vector<Fact> evidence;
};

struct Section {
  std::string key, title;
  std::vector<Fact> facts;
  std::vector<ReportTable> tables;
  std::vector<Item> items;
  std::vector<std::string> notes;
  bool itemised = false;  // JSON shows `items` even when there are none
  bool repeated = false;  // one of several with this key: JSON collects them in an array
};

struct Report {
  std::string kind;  // "show", "compare", ...: which shape of JSON this is, see docs/json.md
  std::string title;
  std::vector<Fact> context;   // what was measured, where and when: lines for people
  std::vector<Fact> identity;  // the same for programs: "context" in JSON
  std::vector<std::string> warnings;
  std::vector<Section> sections;
  std::vector<std::string> notes;
};

void RenderText(const Report& report, std::ostream& out, bool colour);
void RenderMarkdown(const Report& report, std::ostream& out);
// Tables alone, raw numbers. More than one: each under a line "# key", separated by an empty line.
void RenderCsv(const Report& report, std::ostream& out);
void RenderJson(const Report& report, std::ostream& out);

}  // namespace culprit
