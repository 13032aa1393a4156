// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/conflict_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

#include "analysis/launch/instruction_counts.h"
#include "analysis/show/render/tabulate.h"

namespace culprit {
namespace {

// People see as many lines as fit into a glance.
constexpr std::size_t kShown = 8;

struct SharedOperation {
  const char *metric, *op, *title;
};
// In the order of db/views/shared_instruction.sql.
constexpr SharedOperation kOperations[] = {{"sass_ldsm_inst", "ldsm", "matrix load"},
                                           {"sass_stsm_inst", "stsm", "matrix store"},
                                           {"sass_shared_load_inst", "ld", "load"},
                                           {"sass_shared_store_inst", "st", "store"},
                                           {"sass_ldgsts_inst", "ldgsts", "copy"}};

const char* OpOf(const InstructionRecord& i) {
  for (const SharedOperation& operation : kOperations)
    if (CountOf(i, operation.metric) > 0) return operation.op;
  return "other";
}

const char* TitleOf(const std::string& op) {
  for (const SharedOperation& operation : kOperations)
    if (operation.op == op) return operation.title;
  return "other";
}

}  // namespace

std::vector<ConflictLine> ConflictLines(std::span<const InstructionRecord> instructions) {
  std::map<std::tuple<std::string, int, std::string>, ConflictLine> lines;
  for (const InstructionRecord& i : instructions) {
    const auto wavefronts = i.counts.find("sass_shared_wavefronts");
    const auto ideal = i.counts.find("sass_shared_wavefronts_ideal");
    if (wavefronts == i.counts.end() || ideal == i.counts.end()) continue;
    ConflictLine& line = lines[{i.source_file, i.source_line, OpOf(i)}];
    line.file = i.source_file;
    line.line = i.source_line;
    line.op = OpOf(i);
    ++line.instructions;
    line.executed += std::max(CountOf(i, "sass_shared_inst"), CountOf(i, "sass_ldgsts_inst"));
    line.wavefronts += wavefronts->second;
    line.wavefronts_ideal += ideal->second;
  }
  std::vector<ConflictLine> sorted;
  for (auto& [key, line] : lines) sorted.push_back(std::move(line));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ConflictLine& a, const ConflictLine& b) { return a.Excess() > b.Excess(); });
  return sorted;
}

std::optional<Section> MakeConflictLinesSection(std::span<const InstructionRecord> instructions) {
  const std::vector<ConflictLine> lines = ConflictLines(instructions);
  if (lines.empty()) return std::nullopt;
  Section section{"shared_lines", "Bank conflicts by source line"};
  double all = 0;
  for (const ConflictLine& line : lines) all += std::max(0.0, line.Excess());
  const auto shown = std::ranges::subrange(
      lines.begin(), std::ranges::find_if(lines, [](const ConflictLine& line) { return !(line.Excess() > 0); }));
  using Line = ConflictLine;
  ReportTable table = Tabulate<Line>(
      "lines", "", shown,
      {{"file", "Source", [](const Line& l) { return l.file.empty() ? "(no line information)" : l.file; }},
       {"line", "Line", [](const Line& l) { return l.file.empty() ? Cell("") : Cell(l.line, Unit::kInteger); }},
       {"op", &Line::op},
       {"access", "Access", [](const Line& l) { return TitleOf(l.op); }},
       {"instructions", Unit::kCount, &Line::instructions},
       {"executed", "Executed", Unit::kCount, &Line::executed},
       {"wavefronts", "Wavefronts", Unit::kCount, &Line::wavefronts},
       {"wavefronts_per_request", "Per access", Unit::kRatio,
        [](const Line& l) { return Measured(l.wavefronts) / l.executed; }},
       {"excess", "Bank conflicts", Unit::kCount, &Line::Excess},
       {"excess_pct", "Share", Unit::kPercent, [all](const Line& l) { return 100 * l.Excess() / all; }}});
  if (table.rows.empty()) {
    const bool others = std::any_of(lines.begin(), lines.end(), [](const ConflictLine& l) { return l.op == "other"; });
    section.notes.push_back(others ? "None among loads and stores. Other instructions (GMMA, atomics) touch shared "
                                     "memory too; their exact count says nothing of its banks."
                                   : "None: every access to shared memory takes as few wavefronts as its bytes need.");
    return section;
  }
  if (table.rows.size() > kShown)
    section.notes.push_back(
        fmt::format("{} more lines have conflicts: 'culprit query @conflict_lines'.", table.rows.size() - kShown));
  table.shown = kShown;
  section.tables.push_back(std::move(table));
  section.notes.push_back("Bank conflicts are wavefronts beyond those that the same bytes need, exact counts.");
  return section;
}

void AddConflictLines(std::span<const InstructionRecord> instructions, Report& report) {
  const auto memory =
      std::find_if(report.sections.begin(), report.sections.end(), [](const Section& s) { return s.key == "memory"; });
  if (memory == report.sections.end()) return;
  auto section = MakeConflictLinesSection(instructions);
  if (!section) return;
  section->detail = memory->detail;
  report.sections.insert(memory + 1, std::move(*section));
}

}  // namespace culprit
