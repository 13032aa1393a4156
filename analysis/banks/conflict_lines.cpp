// SPDX-License-Identifier: Apache-2.0
#include "analysis/banks/conflict_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/kernel/instruction_class.h"

namespace culprit {
namespace {

// People see as many lines as fit into a glance.
constexpr std::size_t kShown = 8;

// The order of db/views/shared_instruction.sql.
const char* OpOf(const InstructionRecord& i) {
  for (const auto& [metric, op] : {std::pair{"sass_ldsm_inst", "ldsm"},
                                   {"sass_stsm_inst", "stsm"},
                                   {"sass_shared_load_inst", "ld"},
                                   {"sass_shared_store_inst", "st"},
                                   {"sass_ldgsts_inst", "ldgsts"}})
    if (CountOf(i, metric) > 0) return op;
  return "other";
}

std::string TitleOf(const std::string& op) {
  static const std::map<std::string, std::string> titles = {{"ld", "load"},          {"st", "store"},
                                                            {"ldsm", "matrix load"}, {"stsm", "matrix store"},
                                                            {"ldgsts", "copy"},      {"other", "other"}};
  return titles.at(op);
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
  ReportTable table{"lines",
                    "",
                    {{"file", "Source"},
                     {"line", "Line"},
                     {"op", "", true},
                     {"access", "Access"},
                     {"instructions", "", true},
                     {"executed", "Executed"},
                     {"wavefronts", "Wavefronts"},
                     {"wavefronts_per_request", "Per access"},
                     {"excess", "Bank conflicts"},
                     {"excess_pct", "Share"}}};
  double all = 0;
  for (const ConflictLine& line : lines) all += std::max(0.0, line.Excess());
  for (const ConflictLine& line : lines) {
    if (!(line.Excess() > 0)) break;
    const bool known = !line.file.empty();
    table.rows.push_back({known ? line.file : std::string("(no line information)"),
                          known ? Cell(Number{line.line, Unit::kInteger}) : Cell(std::string()), line.op,
                          TitleOf(line.op), Number{line.instructions, Unit::kCount},
                          Number{line.executed, Unit::kCount}, Number{line.wavefronts, Unit::kCount},
                          Number{Measured(line.wavefronts) / Measured(line.executed), Unit::kRatio},
                          Number{line.Excess(), Unit::kCount}, Number{100 * line.Excess() / all, Unit::kPercent}});
  }
  if (table.rows.empty()) {
    const bool others = std::any_of(lines.begin(), lines.end(), [](const ConflictLine& l) { return l.op == "other"; });
    section.notes.push_back(
        others ? "None among loads and stores. Other instructions (GMMA, atomics) touch shared memory too; their exact "
                 "count says nothing of its banks."
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
