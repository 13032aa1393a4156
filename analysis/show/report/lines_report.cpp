// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/lines_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/blame/lines.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/advice_section.h"
#include "analysis/show/report/kernel_report.h"
#include "analysis/show/report/line_cells.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/source_chart.h"
#include "db/source_place.h"

namespace culprit {
namespace {

using enum Unit;

constexpr std::size_t kLines = 10;         // that people see; the others are summed
constexpr std::size_t kInstructions = 12;  // of each of them, with the details

struct ShownLine {
  const CostLine* line;
  std::string text;  // of the source, without the blanks around it; empty: not at hand
};

std::string NameOf(const SourceFrame& at) {
  return at.file.empty() ? "(no line information)" : fmt::format("{}:{}", at.file, at.line);
}

// The heaviest by what is blamed on them, by what waits where nothing is: "long_scoreboard 80 %, wait 15 %".
template <class Key, class Title>
std::string Leading(const std::map<Key, Cost>& parts, const Cost& whole, Title title) {
  const auto weight = [&](const Cost& cost) {
    return whole.blamed_us > 0 ? cost.blamed_us / whole.blamed_us : cost.waiting_us / whole.waiting_us;
  };
  std::vector<LinePart> all;
  for (const auto& [key, cost] : parts) all.push_back({weight(cost), title(key)});
  return Joined(LeadingParts(std::move(all)),
                [](const LinePart& part) { return fmt::format("{} {:.0f} %", part.name, 100 * part.share); });
}

std::string Reasons(const std::map<std::string, Cost>& by_reason, const Cost& whole) {
  return Leading(by_reason, whole, [](const std::string& reason) { return reason; });
}

std::string Classes(const CostLine& line) {
  return Leading(line.by_operation, line.cost, [](Operation operation) { return TitleOf(operation); });
}

bool HasLanesOff(const ShownLine& shown) {
  return shown.line->lanes.Known() && shown.line->lanes.On() < LaneCounts::kNearlyAll;
}

class Maker {
 public:
  Maker(const KernelCosts& costs, const FindSourceText& source) : costs_(costs), lines_(LinesOf(costs)) {
    for (const CostLine& line : lines_) {
      SourceText found = line.at.file.empty() ? SourceText() : source(line.at);
      shown_.push_back({&line, Trimmed(found.text)});
      if (!found.why_not.empty() && shown_.size() <= kLines) no_text_.emplace(line.at.file, std::move(found.why_not));
    }
  }

  Section Answer(const SamplingRecord& sampling) const {
    Section section;
    section.facts = {{"", "Result",
                      fmt::format("{}, shared out over {} samples of {} each", Format(costs_.time_us, kTimeUs),
                                  Format(static_cast<double>(sampling.samples), kCount), EachOf(sampling.samples))}};
    return section;
  }

  // A sample may stand for less than a nanosecond.
  std::string EachOf(std::int64_t samples) const {
    const double us = samples > 0 ? costs_.time_us / static_cast<double>(samples) : 0;
    return us >= 0.1 || us == 0 ? Format(us, kTimeUs) : fmt::format("{:.2g} ns", 1e3 * us);
  }

  Section Lines() const {
    Section section{"lines", "Hottest lines"};
    section.tables = {ForPeople(), LineTable(), Reasons(), Operations(), Chains()};
    section.notes.push_back(
        "Waited for: what the line's instructions made warps wait, here or elsewhere. Waiting: what warps waited at "
        "the line. Each column adds up to the kernel's time; see docs/lines.md.");
    for (std::string& note : LaneNotes()) section.notes.push_back(std::move(note));
    for (std::string& why : WhyNoText(no_text_)) section.notes.push_back(std::move(why));
    if (std::ranges::all_of(shown_, [](const auto& shown) { return shown.line->at.file.empty(); }))
      section.notes.push_back(
          "No instruction has a line: compile with -lineinfo, which costs nothing at run time; -v has the "
          "instructions.");
    return section;
  }

  std::optional<Chart> Source(const FindSourceText& source) const {
    std::vector<TimedLine> timed;
    for (const ShownLine& shown : shown_) {
      const CostLine& line = *shown.line;
      timed.push_back({line.at, NameOf(line.at), Measured::Missing(Absence::kUndefined), line.cost.blamed_us,
                       culprit::Classes(line), timed.size() < kLines && line.cost.blamed_us > 0});
    }
    return SourceChart(timed, false, {source, source}, "Hottest lines");
  }

  Section Classes() const {
    Section section{"classes", "By class of instruction"};
    section.tables = {Tabulate<std::pair<Operation, Cost>>(
        "classes", "", Sorted(OperationsOf(costs_)),
        {{"class", [](const auto& c) { return KeyOf(c.first); }},
         {"title", "Class", [](const auto& c) { return TitleOf(c.first); }},
         {"waited_for_us", "Waited for", kTimeUs, [](const auto& c) { return c.second.blamed_us; }},
         {"waiting_us", "Waiting", kTimeUs, [](const auto& c) { return c.second.waiting_us; }}})};
    section.detail = true;
    return section;
  }

  Section StallReasons() const {
    Section section{"reasons", "By reason"};
    section.tables = {Tabulate<std::pair<std::string, Cost>>(
        "reasons", "", Sorted(ReasonsOf(costs_)),
        {{"reason", "Reason", [](const auto& r) { return r.first; }},
         {"time_us", "Time", kTimeUs, [](const auto& r) { return r.second.waiting_us; }}})};
    section.detail = true;
    return section;
  }

  Section Instructions() const {
    Section section{"instructions", "Instructions of the hottest lines"};
    ReportTable all{.key = "instructions", .columns = InstructionColumns()};
    for (const ShownLine& shown : shown_)
      for (const InstructionPlace& place : shown.line->instructions) AddRow(place, all);
    all.shown = 0;
    for (std::size_t n = 0; n < std::min(kLines, shown_.size()); ++n) section.tables.push_back(OfLine(shown_[n]));
    section.tables.push_back(std::move(all));
    section.detail = true;
    return section;
  }

  Section Sampling(const SamplingRecord& sampling) const {
    Section section{"sampling", "Sampling"};
    int guessed = 0;
    for (const FunctionCosts& function : costs_.functions) guessed += function.graph.indirect_branches;
    const auto count = [](std::int64_t n) { return Cell(Measured(static_cast<double>(n)), kCount); };
    section.facts = {
        {"time_us", "time", Cell(Measured(costs_.time_us), kTimeUs)},
        {"unknown_us", "of samples without a known instruction", Cell(Measured(costs_.unknown_us), kTimeUs)},
        {"samples", "samples", count(sampling.samples)},
        {"dropped", "dropped", count(sampling.dropped)},
        {"launches", "launches sampled", count(sampling.launches)},
        {"period_cycles", "cycles between two samples of an SM", count(sampling.period_cycles)},
        {"indirect_branches", "indirect branches", count(guessed)}};
    if (guessed > 0)
      section.notes.push_back(
          "Where an indirect branch leads the code does not say: it is taken to lead to the code behind it that "
          "nothing else leads to.");
    section.detail = true;
    return section;
  }

 private:
  const FunctionCosts& FunctionOf(const InstructionPlace& place) const { return costs_.functions[place.function]; }
  const InstructionCost& CostAt(const InstructionPlace& place) const {
    return FunctionOf(place).costs[place.instruction];
  }
  // Without lanes where none were counted.
  static LaneCounts LaneCountsAt(const FunctionCosts& function, int instruction) {
    const auto at = static_cast<std::size_t>(instruction);
    return at < function.lanes.size() ? function.lanes[at] : LaneCounts();
  }
  static Cell LanesCell(const LaneCounts& lanes) {
    return lanes.Known() ? Cell(fmt::format("{:.1f}", lanes.On())) : Cell(LanesOn(lanes), kCount);
  }
  Measured Executions(const InstructionPlace& place) const {
    const auto counted = FunctionOf(place).Executions(place.instruction);
    return counted ? Measured(*counted) : Measured::Missing(Absence::kUndefined);
  }
  // Of the line's instruction that was executed most.
  Measured Executions(const CostLine& line) const {
    Measured most = Measured::Missing(Absence::kUndefined);
    for (const InstructionPlace& place : line.instructions)
      if (const Measured n = Executions(place); n && *n > most.value_or(-1)) most = n;
    return most;
  }
  int Depth(const CostLine& line) const {
    int most = 0;
    for (const InstructionPlace& place : line.instructions)
      most = std::max(most, FunctionOf(place).graph.DepthOf(place.instruction));
    return most;
  }

  bool CountsLanes() const {
    return std::ranges::any_of(lines_, [](const CostLine& line) { return line.lanes.Known(); });
  }

  std::vector<std::string> LaneNotes() const {
    std::vector<LineNote> notes;
    for (const ShownLine& shown : Seen())
      if (const SourceFrame& at = shown.line->at; HasLanesOff(shown))
        notes.push_back({at.file, NameOf(at), fmt::format("{}", at.line), LanesText(shown.line->lanes)});
    return Sentences(notes);
  }

  std::span<const ShownLine> Seen() const { return std::span(shown_).first(std::min(kLines, shown_.size())); }

  template <class Key>
  static std::vector<std::pair<Key, Cost>> Sorted(const std::map<Key, Cost>& parts) {
    std::vector<std::pair<Key, Cost>> all(parts.begin(), parts.end());
    std::ranges::stable_sort(all, std::ranges::greater(),
                             [](const auto& part) { return std::pair(part.second.blamed_us, part.second.waiting_us); });
    return all;
  }

  ReportTable ForPeople() const {
    const bool counted =
        std::ranges::any_of(lines_, [&](const CostLine& line) { return static_cast<bool>(Executions(line)); });
    const bool text = std::ranges::any_of(shown_, [](const ShownLine& shown) { return !shown.text.empty(); });
    const bool lanes_off = std::ranges::any_of(Seen(), HasLanesOff);
    ReportTable table{.columns = {{"", "Line"},
                                  {"", "Waited for"},
                                  {"", "Waiting"},
                                  {"", "Reason"},
                                  {"", "Class"},
                                  {"", "Executed", !counted},
                                  {"", "Lanes on", !lanes_off},
                                  {"", "Source", !text}}};
    const auto us = [](double value) { return Cell(Measured(value), kTimeUs); };
    const auto add = [&](std::string name, const Cost& cost, std::string reasons, std::string classes,
                         Measured executed, Cell lanes, std::string source) {
      table.rows.push_back({std::move(name), us(cost.blamed_us), us(cost.waiting_us), std::move(reasons),
                            std::move(classes), Cell(executed, kCount), std::move(lanes), std::move(source)});
    };
    const Measured none = Measured::Missing(Absence::kUndefined);
    const Cell no_lanes = LanesCell({});
    Cost others, all;
    std::map<std::string, Cost> reasons;
    for (std::size_t n = 0; n < shown_.size(); ++n) {
      const CostLine& line = *shown_[n].line;
      all += line.cost;
      if (n < kLines) {
        add(NameOf(line.at), line.cost, culprit::Reasons(line.by_reason, line.cost), culprit::Classes(line),
            Executions(line), LanesCell(line.lanes), SourceCell(shown_[n].text));
        continue;
      }
      others += line.cost;
      for (const auto& [reason, cost] : line.by_reason) reasons[reason] += cost;
    }
    if (shown_.size() > kLines)
      add(fmt::format("{} other lines", shown_.size() - kLines), others, culprit::Reasons(reasons, others), "", none,
          no_lanes, "");
    if (costs_.unknown_us > 0)
      add("unknown", {costs_.unknown_us, costs_.unknown_us}, "no known instruction", "", none, no_lanes, "");
    all += {costs_.unknown_us, costs_.unknown_us};
    add("all", all, "", "", none, no_lanes, "");
    return table;
  }

  // One standard error of a time that n samples make up: that of sqrt(n) samples.
  Measured ErrorUs(double us) const {
    if (costs_.samples <= 0) return Measured::Missing(Absence::kUndefined);
    return std::sqrt(std::max(us, 0.0) * costs_.time_us / static_cast<double>(costs_.samples));
  }

  ReportTable LineTable() const {
    const auto line = [](const ShownLine& shown) -> const CostLine& { return *shown.line; };
    return ForPrograms<ShownLine>(
        "lines", shown_,
        {{"file", [=](const ShownLine& s) { return line(s).at.file; }},
         {"line", kInteger, [=](const ShownLine& s) { return line(s).at.line; }},
         {"waited_for_us", kTimeUs, [=](const ShownLine& s) { return line(s).cost.blamed_us; }},
         {"error_us", kTimeUs, [=, this](const ShownLine& s) { return ErrorUs(line(s).cost.blamed_us); }},
         {"waiting_us", kTimeUs, [=](const ShownLine& s) { return line(s).cost.waiting_us; }},
         {"executed", kCount, [=, this](const ShownLine& s) { return Executions(line(s)); }},
         {"lanes_there", kCount, [=](const ShownLine& s) { return LanesThere(line(s).lanes); }},
         {"lanes_on", kCount, [=](const ShownLine& s) { return LanesOn(line(s).lanes); }},
         {"instructions", kCount, [=](const ShownLine& s) { return line(s).instructions.size(); }},
         {"loop_depth", kInteger, [=, this](const ShownLine& s) { return Depth(line(s)); }},
         {"source", &ShownLine::text}});
  }

  // A table of what the lines consist of: `add` adds the rows of one.
  template <class Add>
  ReportTable PartsOfLines(std::string key, std::string part, Add add) const {
    ReportTable table{.key = std::move(key),
                      .columns = {{"file"}, {"line"}, {std::move(part)}, {"waited_for_us"}, {"waiting_us"}},
                      .shown = 0};
    for (const CostLine& line : lines_)
      add(line, [&](const Cost& cost, Cell part_of_line) {
        table.rows.push_back({line.at.file, Number{line.at.line, kInteger}, std::move(part_of_line),
                              Number{cost.blamed_us, kTimeUs}, Number{cost.waiting_us, kTimeUs}});
      });
    return table;
  }
  ReportTable Reasons() const {
    return PartsOfLines("reasons", "reason", [](const CostLine& line, auto add) {
      for (const auto& [reason, cost] : line.by_reason) add(cost, reason);
    });
  }
  ReportTable Operations() const {
    return PartsOfLines("classes", "class", [](const CostLine& line, auto add) {
      for (const auto& [operation, cost] : line.by_operation) add(cost, KeyOf(operation));
    });
  }
  ReportTable Chains() const {
    return PartsOfLines("chains", "frames", [](const CostLine& line, auto add) {
      for (const CostLine::Chain& chain : line.chains) add(chain.cost, Joined(chain.frames, NameOf, " < "));
    });
  }

  std::vector<Column> InstructionColumns() const {
    return {{"function", "", true},
            {"file", "", true},
            {"line", "", true},
            {"pc_offset", "Offset"},
            {"opcode", "", true},
            {"operands", "", true},
            {"instruction", "Instruction"},
            {"waited_for_us", "Waited for"},
            {"waiting_us", "Waiting"},
            {"blamed_for", "For"},
            {"waits_for", "At it"},
            {"loop_depth", "Loops"},
            {"executed", "Executed"},
            {"lanes_there", "", true},
            {"lanes_on", "Lanes on", !CountsLanes()}};
  }

  void AddRow(const InstructionPlace& place, ReportTable& table) const {
    const FunctionCosts& function = FunctionOf(place);
    const MachineInstruction& instruction = function.code.instructions[place.instruction];
    const SassInstruction& decoded = function.decoded[place.instruction];
    const InstructionCost& cost = CostAt(place);
    const auto own = FindOwnLine(instruction.frames);
    const bool known = own != instruction.frames.end();
    const LaneCounts lanes = LaneCountsAt(function, place.instruction);
    const std::string opcode = decoded.opcode.empty() ? instruction.opcode : decoded.opcode;
    const std::string operands = decoded.opcode.empty() ? instruction.operands : decoded.operands;
    const auto leading = [](const std::map<std::string, double>& by_reason, double whole) {
      std::map<std::string, Cost> parts;
      for (const auto& [reason, us] : by_reason) parts[reason] = {us, us};
      return whole > 0 ? culprit::Reasons(parts, {whole, whole}) : std::string();
    };
    table.rows.push_back(
        {function.code.function, known ? own->file : std::string(), Number{known ? own->line : 0, kInteger},
         fmt::format("0x{:04x}", instruction.pc_offset), opcode, operands,
         opcode.empty() ? std::string("(not decoded)") : opcode + " " + operands, Number{cost.Blamed(), kTimeUs},
         Number{cost.Waiting(), kTimeUs}, leading(cost.blamed_us, cost.Blamed()),
         leading(cost.waiting_us, cost.Waiting()), Number{function.graph.DepthOf(place.instruction), kInteger},
         Number{Executions(place), kCount}, Number{LanesThere(lanes), kCount}, Number{LanesOn(lanes), kCount}});
  }

  ReportTable OfLine(const ShownLine& shown) const {
    const CostLine& line = *shown.line;
    ReportTable table{.title = NameOf(line.at) + (shown.text.empty() ? "" : ": " + shown.text),
                      .columns = InstructionColumns()};
    const std::size_t rows = std::min(kInstructions, line.instructions.size());
    for (std::size_t n = 0; n < rows; ++n) AddRow(line.instructions[n], table);
    if (line.instructions.size() > rows) {
      Cost rest;
      for (std::size_t n = rows; n < line.instructions.size(); ++n) {
        const InstructionCost& cost = CostAt(line.instructions[n]);
        rest += {cost.Waiting(), cost.Blamed()};
      }
      table.notes.push_back(fmt::format("{} more instructions: waited for {}, waiting {}.",
                                        line.instructions.size() - rows, Format(rest.blamed_us, kTimeUs),
                                        Format(rest.waiting_us, kTimeUs)));
    }
    for (const CostLine::Chain& chain : line.chains)
      if (chain.frames.size() > 1)
        table.notes.push_back(
            fmt::format("Inlined: {}: waited for {}, waiting {}.", Joined(chain.frames, NameOf, ", called at "),
                        Format(chain.cost.blamed_us, kTimeUs), Format(chain.cost.waiting_us, kTimeUs)));
    return table;
  }

  const KernelCosts& costs_;
  const std::vector<CostLine> lines_;
  std::vector<ShownLine> shown_;  // of all lines
  FilesWithoutText no_text_;      // of lines that people see
};

}  // namespace

Report MakeLinesReport(const KernelRecord& kernel, const SamplingRecord& sampling, const KernelCosts& costs,
                       std::span<const InstructionRecord> counted, const FindSourceText& source) {
  Report report{.kind = "lines", .title = fmt::format("{} at {}: line by line", kernel.stage.id, kernel.launch.shape)};
  std::vector<Warning> warnings = kernel.warnings;
  for (Warning& w : warnings) w.launch.clear();  // the title names it
  AddRunHeader(kernel.run, warnings, report);
  AddKernelHeader(kernel, report);
  if (sampling.dropped > 0)
    report.warnings.push_back(fmt::format("{} samples were dropped while sampling: what is shown is the rest.",
                                          Format(static_cast<double>(sampling.dropped), kCount)));
  const Maker maker(costs, source);
  report.answer = maker.Answer(sampling);
  const std::vector<Advice> advice = AdviceOn(QuestionOf(kernel, costs, counted));
  if (std::string to_do = AdviceLine(advice, costs.time_us); !to_do.empty())
    report.answer.facts.push_back({"", "To do", std::move(to_do)});
  Section lines = maker.Lines();
  lines.tables.push_back(AdviceTable(advice));
  report.sections.push_back(std::move(lines));
  if (!advice.empty()) report.sections.push_back(AdviceSection(advice, source));
  for (Section& section :
       std::vector{maker.Classes(), maker.StallReasons(), maker.Instructions(), maker.Sampling(sampling)})
    report.sections.push_back(std::move(section));
  if (std::optional<Chart> chart = maker.Source(source)) report.charts.push_back(*std::move(chart));
  return report;
}

void AddHottestLines(const std::string& stage, const KernelCosts& costs, const FindSourceText& source, Report& page) {
  std::optional<Chart> chart = Maker(costs, source).Source(source);
  if (!chart) return;
  Section section{.title = "Source lines"};
  section.notes = {fmt::format("Samples of instructions say it; 'culprit show {} --lines' has them as tables.", stage)};
  chart->section = section.title;
  // Behind the states of the warps, of which it says where they were.
  const auto states = std::ranges::find(page.sections, "stall_stack", &Section::key);
  page.sections.insert(states == page.sections.end() ? states : std::next(states), std::move(section));
  page.charts.push_back(*std::move(chart));
}

}  // namespace culprit
