// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/render/text_grid.h"

#include <algorithm>
#include <functional>

#include "analysis/number/format.h"
#include "analysis/number/printable.h"
#include "analysis/show/render/columns.h"

namespace culprit {
namespace {

constexpr std::size_t kGap = 2;  // blanks before each column
// Longer words of a text are broken when a table is too wide.
constexpr std::size_t kLongestWord = 24;

struct TextColumn {
  std::string title;
  std::vector<std::string> cells;
  bool right = false;
  std::size_t natural = 0, least = 0;  // terminal columns: unbroken, and with every text broken
};

std::size_t LongestWord(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string& word : Wrapped(text, 1)) longest = std::max(longest, Width(word));
  return std::min(longest, kLongestWord);
}

// "1,287.0 us" is one word, "not measured" are two.
bool IsOneWord(const Cell& cell) {
  const auto* number = std::get_if<Number>(&cell);
  return number != nullptr && number->value;
}

TextColumn MakeColumn(const ReportTable& table, std::size_t c, std::size_t rows) {
  TextColumn column{table.columns[c].title, {}, IsAlignedRight(table, c, rows)};
  column.natural = Width(column.title);
  column.least = LongestWord(column.title);
  for (const std::string& cell : FormatColumn(table, c, rows)) {
    const std::string& text = column.cells.emplace_back(Printable(cell, kWidestCell));
    column.natural = std::max(column.natural, Width(text));
    const bool one_word = IsOneWord(table.rows[column.cells.size() - 1][c]);
    column.least = std::max(column.least, one_word ? Width(text) : LongestWord(text));
  }
  return column;
}

using Block = std::vector<const TextColumn*>;

// As many columns per block as fit.
std::vector<Block> BlocksOf(const std::vector<TextColumn>& columns, std::optional<std::size_t> width) {
  std::vector<Block> blocks;
  std::size_t taken = 0;
  for (const TextColumn& column : columns) {
    const bool full = width && !blocks.empty() && blocks.back().size() > (blocks.size() > 1 ? 1 : 0) &&
                      taken + kGap + column.least > *width;
    if (blocks.empty() || full) {
      blocks.emplace_back();
      taken = 0;
      if (full) {
        blocks.back().push_back(&columns.front());
        taken = kGap + columns.front().least;
      }
    }
    blocks.back().push_back(&column);
    taken += kGap + column.least;
  }
  return blocks;
}

// The widest columns shrink first.
std::vector<std::size_t> WidthsOf(const Block& block, std::optional<std::size_t> width) {
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (const TextColumn* column : block) {
    widths.push_back(column->natural);
    total += kGap + column->natural;
  }
  while (width && total > *width) {
    std::size_t widest = block.size();
    for (std::size_t c = 0; c < block.size(); ++c)
      if (widths[c] > block[c]->least && (widest == block.size() || widths[c] > widths[widest])) widest = c;
    if (widest == block.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

// One row of a block; takes several lines when a text was broken.
void AddRow(const Block& block, const std::vector<std::size_t>& widths,
            const std::function<const std::string&(const TextColumn&)>& text, bool head, std::vector<GridLine>& lines) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t c = 0; c < block.size(); ++c) {
    cells.push_back(Wrapped(text(*block[c]), std::max<std::size_t>(widths[c], 1), LongWord::kBroken));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t l = 0; l < height; ++l) {
    std::string line;
    for (std::size_t c = 0; c < block.size(); ++c) {
      const std::string cell = l < cells[c].size() ? cells[c][l] : "";
      const std::string fill(widths[c] - std::min(widths[c], Width(cell)), ' ');
      line += std::string(kGap, ' ') + (block[c]->right ? fill + cell : cell + fill);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back({std::move(line), head});
  }
}

}  // namespace

std::vector<GridLine> Grid(const ReportTable& table, std::size_t rows, std::optional<std::size_t> width) {
  std::vector<TextColumn> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (!table.columns[c].for_programs) columns.push_back(MakeColumn(table, c, rows));
  std::vector<GridLine> lines;
  for (const Block& block : BlocksOf(columns, width)) {
    const std::vector<std::size_t> widths = WidthsOf(block, width);
    AddRow(
        block, widths, [](const TextColumn& column) -> const std::string& { return column.title; }, true, lines);
    for (std::size_t r = 0; r < rows; ++r)
      AddRow(
          block, widths, [r](const TextColumn& column) -> const std::string& { return column.cells[r]; }, false, lines);
  }
  return lines;
}

}  // namespace culprit
