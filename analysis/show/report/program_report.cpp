// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/program_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/judge/program/work_verdict.h"
#include "analysis/launch/fact_source.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/python_place.h"
#include "analysis/number/format.h"
#include "analysis/number/measured.h"
#include "analysis/number/statistics.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/kernel_report.h"
#include "analysis/show/report/ladder_tables.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

constexpr std::size_t kShown = 20;     // rows of kernels: a screen
constexpr std::size_t kFindings = 10;  // kernels of which the heaviest finding is shown

Measured Share(const KernelRecord& kernel) { return kernel.program ? kernel.program->share_us : std::nullopt; }

// Where shares were not measured, as in what other tools wrote, the sum of what is there.
Measured Weight(const KernelRecord& kernel) {
  if (const Measured share = Share(kernel)) return share;
  return kernel.program ? kernel.program->time_us : std::nullopt;
}

Measured PartOfWork(const Measured& time, const RunSummary& run) {
  return Measured(100) * time / WorkUs(*run.run.program);
}

// "89.9 %"
std::string IdlePart(const ProgramRecord& program) {
  const Measured idle = Measured(100) * program.idle_us / program.span_us;
  return Format(idle.value_or(0), kPercent);
}

// Reports of other tools may have none.
Cell Extents(unsigned x, unsigned y, unsigned z) {
  if (x == 0) return {Measured(), kCount};
  if (z > 1) return fmt::format("{} x {} x {}", x, y, z);
  return y > 1 ? fmt::format("{} x {}", x, y) : fmt::format("{}", x);
}

std::vector<const KernelRecord*> ByShare(std::span<const KernelRecord> kernels) {
  std::vector<const KernelRecord*> ordered;
  for (const KernelRecord& kernel : kernels) ordered.push_back(&kernel);
  std::ranges::stable_sort(ordered, std::greater<>(), [](const KernelRecord* k) { return Weight(*k).value_or(-1); });
  return ordered;
}

double Calls(const KernelRecord& kernel) {
  return kernel.program ? static_cast<double>(kernel.program->calls) : static_cast<double>(kernel.samples.size());
}

bool HasPlace(const KernelRecord* kernel) { return !LaunchedAt(*kernel).empty(); }

// People: the first kernels, then what is left of the time.
ReportTable TableForPeople(const RunSummary& run, const std::vector<const KernelRecord*>& kernels) {
  ReportTable table;
  for (const char* title : {"Kernel", "Work", "Time", "Calls", "Median", "Grid", "Block"})
    table.columns.push_back({"", title});
  const auto add = [&](std::string what, double calls, double share) {
    table.rows.push_back(
        {std::move(what), {PartOfWork(share, run), kPercent}, {share, kTimeUs}, {calls, kCount}, "", "", ""});
  };
  double others = 0, other_calls = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelRecord& k = *kernels[i];
    const LaunchRecord& l = k.launch;
    if (i >= kShown) {
      others += Weight(k).value_or(0), other_calls += Calls(k);
      continue;
    }
    table.rows.push_back({k.stage.id, Cell(PartOfWork(Share(k), run), kPercent), Cell(Weight(k), kTimeUs),
                          Cell(Measured(Calls(k)), kCount), Cell(KernelView(k).Get("time_us"), kTimeUs),
                          Extents(l.grid_x, l.grid_y, l.grid_z), Extents(l.block_x, l.block_y, l.block_z)});
  }
  if (kernels.size() > kShown) add(fmt::format("{} launches more", kernels.size() - kShown), other_calls, others);
  const std::size_t shown = std::min(kernels.size(), kShown);
  const ProgramRecord& program = *run.run.program;
  for (const ProgramCopy& copy : program.copies)
    add(CopyWords(copy.kind), static_cast<double>(copy.calls), copy.share_us);
  if (const Measured work = WorkUs(program)) {
    table.rows.push_back({"all work", {PartOfWork(work, run), kPercent}, {work, kTimeUs}, "", "", "", ""});
    table.rows.push_back(
        {fmt::format("idle ({} of the span)", IdlePart(program)), "", {program.idle_us, kTimeUs}, "", "", "", ""});
  }
  if (std::ranges::any_of(kernels, HasPlace)) {
    table.columns.push_back({"", "First launched at"});
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      table.rows[i].emplace_back(i < shown ? ShortLaunchedAt(*kernels[i]) : "");
  }
  return table;
}

template <class T>
auto OfProgram(T ProgramLaunch::*member) {
  return [member](const KernelRecord& k) { return k.program ? AsMeasured((*k.program).*member) : Measured(); };
}

auto TextOfProgram(std::string ProgramLaunch::*member) {
  return [member](const KernelRecord& k) { return k.program ? (*k.program).*member : ""; };
}

Measured TimeOf(const KernelRecord& kernel, Measured Distribution::*figure) {
  const std::optional<Distribution> time = Summarize(kernel.samples).time_us;
  return time ? (*time).*figure : Measured();
}

ReportTable KernelTable(const RunSummary& run, const std::vector<const KernelRecord*>& kernels) {
  using K = KernelRecord;
  return ForPrograms<K>("kernels", kernels,
                        {{"stage", [](const K& k) { return k.stage.id; }},
                         {"name", TextOfProgram(&ProgramLaunch::name)},
                         {"shape", [](const K& k) { return k.launch.shape; }},
                         {"dynamic_shared_bytes", kCapacity,
                          [](const K& k) { return Measured(static_cast<double>(k.launch.dynamic_shared_bytes)); }},
                         {"nvtx", TextOfProgram(&ProgramLaunch::nvtx)},
                         {"launched_at", LaunchedAt},
                         {"calls", kCount, OfProgram(&ProgramLaunch::calls)},
                         {"graph_calls", kCount, OfProgram(&ProgramLaunch::graph_calls)},
                         {"median_us", kTimeUs, [](const K& k) { return KernelView(k).Get("time_us"); }},
                         {"q1_us", kTimeUs, [](const K& k) { return TimeOf(k, &Distribution::q1); }},
                         {"q3_us", kTimeUs, [](const K& k) { return TimeOf(k, &Distribution::q3); }},
                         {"time_us", kTimeUs, OfProgram(&ProgramLaunch::time_us)},
                         {"share_us", kTimeUs, Share},
                         {"work_pct", kPercent, [&](const K& k) { return PartOfWork(Share(k), run); }},
                         {"counters", [](const K& k) { return CountersOf(k); }},
                         {"counted", kCount, OfProgram(&ProgramLaunch::counted)},
                         {"not_counted", TextOfProgram(&ProgramLaunch::not_counted)}});
}

ReportTable CopyTable(const RunSummary& run) {
  return ForPrograms<ProgramCopy>(
      "copies", run.run.program->copies,
      {{"kind", [](const ProgramCopy& c) { return NameOf(c.kind); }},
       {"calls", kCount, &ProgramCopy::calls},
       {"bytes", kBytes, &ProgramCopy::bytes},
       {"time_us", kTimeUs, &ProgramCopy::time_us},
       {"share_us", kTimeUs, &ProgramCopy::share_us},
       {"work_pct", kPercent, [&](const ProgramCopy& c) { return PartOfWork(c.share_us, run); }}});
}

// Of a job, each process and its rank; of another program with one process nobody need know it.
bool ShowsProcesses(const ProgramRecord& program) {
  const std::vector<ProgramProcess>& all = program.gpu_processes;
  return all.size() > 1 || (!all.empty() && all.front().rank);
}

ReportTable ProcessTable(const ProgramRecord& program) {
  using P = ProgramProcess;
  std::vector<P> ordered = program.gpu_processes;
  std::ranges::stable_sort(ordered, {}, [](const P& p) { return p.rank.value_or(std::numeric_limits<int>::max()); });
  const bool no_ranks = std::ranges::none_of(ordered, [](const P& p) { return p.rank.has_value(); });
  ReportTable table = Tabulate<P>("each_process", "", ordered,
                                  {{"rank", "Rank", kInteger, [](const P& p) { return AsMeasured(p.rank); }, no_ranks},
                                   {"process", "Process", kInteger, [](const P& p) { return AsMeasured(p.process); }},
                                   {"pid", "Pid", kInteger, [](const P& p) { return AsMeasured(p.pid); }},
                                   {"calls", "Calls", kCount, [](const P& p) { return AsMeasured(p.calls); }},
                                   {"time_us", "GPU time", kTimeUs, [](const P& p) { return AsMeasured(p.time_us); }}});
  if (!ShowsProcesses(program)) table.shown = 0;
  return table;
}

// "attention_forward, 40.9 %: attention_forward<64>"; "copies to the GPU, 68.7 %; of the kernels add, 4.9 %".
std::string MostOfIt(const RunSummary& run, const std::vector<const KernelRecord*>& ordered) {
  const auto with_part = [&](std::string what, const Measured& us) {
    const Measured part = PartOfWork(us, run);
    return part ? what + ", " + Format(*part, kPercent) : what;
  };
  std::string kernel;
  if (!ordered.empty()) {
    const StageRecord& stage = ordered.front()->stage;
    kernel = with_part(stage.id, Share(*ordered.front())) + (stage.idea == stage.id ? "" : ": " + stage.idea);
  }
  const std::vector<ProgramCopy>& copies = run.run.program->copies;
  const auto most = std::ranges::max_element(copies, {}, &ProgramCopy::share_us);
  if (most == copies.end() || (!ordered.empty() && most->share_us <= Weight(*ordered.front()).value_or(0)))
    return kernel;
  return with_part(CopyWords(most->kind), most->share_us) + (kernel.empty() ? "" : "; of the kernels " + kernel);
}

}  // namespace

Report MakeProgramReport(const RunSummary& run, std::span<const KernelRecord> kernels,
                         const std::vector<Warning>& warnings) {
  const ProgramRecord& program = *run.run.program;
  Report report{.kind = "report", .title = "Program of run " + RunName(run.run) + ": " + run.run.command_line};
  AddRunHeader(run, OfTheRun(warnings), report);
  const std::vector<const KernelRecord*> ordered = ByShare(kernels);
  if (const auto work = WorkUs(program))
    report.answer.facts.push_back({"", "GPU work",
                                   fmt::format("{} on {}; idle {} of {}", Format(*work, kTimeUs),
                                               program.gpus == 1 ? "one GPU" : fmt::format("{} GPUs", program.gpus),
                                               IdlePart(program), Format(*program.span_us, kTimeUs))});
  if (std::string most = MostOfIt(run, ordered); !most.empty())
    report.answer.facts.push_back({"", "Most of it", std::move(most)});
  Section section{
      .key = "program",
      .title = "Kernels by their part of the GPU's work",
      .facts = {{"exit_status", "", {AsMeasured(program.exit_status), kInteger}},
                {"processes", "", {AsMeasured(program.processes), kCount}},
                {"gpus", "", {AsMeasured(program.gpus), kCount}},
                {"wall_us", "", {program.wall_us, kTimeUs}},
                {"counted_wall_us", "", {program.counted_wall_us, kTimeUs}},
                {"span_us", "", {program.span_us, kTimeUs}},
                {"work_us", "", {WorkUs(program), kTimeUs}},
                {"idle_us", "", {program.idle_us, kTimeUs}},
                {"lost_launches", "", {AsMeasured(program.lost_launches), kCount}},
                {"capture", "", program.capture}},
      .tables = {TableForPeople(run, ordered), KernelTable(run, ordered), CopyTable(run), ProcessTable(program)}};
  if (std::optional<Chart> chart = ProgramChart(ordered, program.copies, section.title))
    report.charts.push_back(*std::move(chart));
  report.sections.push_back(std::move(section));
  Section findings{.key = "findings",
                   .title = "Heaviest finding of each kernel that was counted",
                   .itemised = true,
                   .one_line = true,
                   .item_titles = {"Kernel", kAffects, "Heaviest finding"}};
  std::map<std::string_view, int> often;
  for (const KernelRecord* kernel : ordered) ++often[kernel->stage.id];
  for (const KernelRecord* kernel : ordered)
    if (const KernelView view(*kernel); view.WasCounted() && findings.items.size() < kFindings) {
      Item& item = findings.items.emplace_back(TopFinding(view));
      if (often[kernel->stage.id] > 1) item.key += " at " + kernel->launch.shape;
    }
  if (findings.items.empty())
    findings.notes.push_back("No counters were read.");
  else
    findings.notes.emplace_back(kAffectsNote);
  report.sections.push_back(std::move(findings));
  report.notes.push_back(
      "Work: of the time in which the GPU worked. Time: of all calls; where n things run at once, each has an n-th, so "
      "that all work and idle time add up to the span from the first to the last thing on a GPU. Median: of one call. "
      "A kernel stands here once for each grid, block, shared memory and NVTX range. culprit show KERNEL has all "
      "findings.");
  if (std::ranges::any_of(ordered, HasPlace))
    report.notes.push_back(
        "First launched at: the line of Python, outside of installed packages, that made the first call. Other calls "
        "may "
        "come from other lines.");
  return report;
}

std::string InTheProgram(const KernelRecord& kernel) {
  const ProgramLaunch& program = *kernel.program;
  std::string line = Format(static_cast<double>(program.calls), kCount) + (program.calls == 1 ? " call" : " calls");
  if (kernel.run.run.program)
    if (const Measured part = PartOfWork(Share(kernel), kernel.run))
      line += fmt::format(", {} of the GPU's work ({})", Format(*part, kPercent), Format(*program.share_us, kTimeUs));
  if (!program.nvtx.empty()) line += ", in NVTX range " + program.nvtx;
  if (const std::string place = ShortLaunchedAt(kernel); !place.empty())
    line += fmt::format(", {}launched at {}", program.calls == 1 ? "" : "first ", place);
  if (program.graph_calls > 0)
    line += fmt::format(", {} of them by a CUDA graph", Format(static_cast<double>(program.graph_calls), kCount));
  if (program.counted > 0)
    line += fmt::format("; counters are of {} of them", Format(static_cast<double>(program.counted), kCount));
  else if (!program.not_counted.empty())
    line += "; no counters: " + program.not_counted;
  return line;
}

void AddLaunches(const KernelRecord& shown, std::span<const KernelRecord> launches, Report& report) {
  if (launches.size() < 2) return;
  using K = KernelRecord;
  const auto percent = [&](const K& k) { return shown.run.run.program ? PartOfWork(Share(k), shown.run) : Measured(); };
  const bool no_ranges =
      std::ranges::all_of(launches, [](const K& k) { return !k.program || k.program->nvtx.empty(); });
  ReportTable table = Tabulate<K>(
      "all", "", ByShare(launches),
      {{"shown", "", [&](const K& k) { return k.id == shown.id ? "this" : ""; }},
       {"shape", "Shape", [](const K& k) { return k.launch.shape; }},
       {"launch", "Launch", kInteger, [](const K& k) { return k.launch.ordinal + 1; }},
       {"dynamic_shared_bytes", "Dynamic shared", kCapacity, [](const K& k) { return k.launch.dynamic_shared_bytes; }},
       {"nvtx", "NVTX range", TextOfProgram(&ProgramLaunch::nvtx), no_ranges},
       {"calls", "Calls", kCount, OfProgram(&ProgramLaunch::calls)},
       {"share_us", "Time", kTimeUs, Weight},
       {"work_pct", "Work", kPercent, percent},
       {"counted", "Counted", kCount, OfProgram(&ProgramLaunch::counted)}});
  constexpr std::size_t kLaunches = 8;
  if (table.rows.size() > kLaunches) {
    table.shown = kLaunches;
    table.notes.push_back(
        fmt::format("{} more have less time; --json has all of them.", table.rows.size() - kLaunches));
  }
  report.sections.push_back(
      {.key = "launches",
       .title = "Launches of this kernel",
       .tables = {std::move(table)},
       .notes = {"To see another one: --shape SHAPE, then --nvtx RANGE or --launch N where several have that shape."}});
}

Section MakeProgramSection(const KernelRecord& kernel) {
  const ProgramLaunch& program = *kernel.program;
  const Measured part = kernel.run.run.program ? PartOfWork(Share(kernel), kernel.run) : Measured();
  const std::string place = LaunchedAt(kernel);
  ReportTable stack = Tabulate<PythonFrame>("python_stack", "", program.stack,
                                            {{"file", "Called in", &PythonFrame::file},
                                             {"line", "Line", kInteger, [](const PythonFrame& f) { return f.line; }},
                                             {"function", "Function", &PythonFrame::function}});
  if (program.stack.empty()) stack.shown = 0;
  return {.key = "program",
          .title = "In the program",
          .facts = {{"name", "name", program.name},
                    {"nvtx", program.nvtx.empty() ? "" : "NVTX", program.nvtx},
                    {"launched_at", place.empty() ? "" : "first launched at", place},
                    {"calls", "calls", {AsMeasured(program.calls), kCount}},
                    {"graph_calls", "by a graph", {AsMeasured(program.graph_calls), kCount}},
                    {"time_us", "time of all calls", {program.time_us, kTimeUs}},
                    {"share_us", "share of the timeline", {program.share_us, kTimeUs}},
                    {"work_pct", "part of the GPU's work", {part, kPercent}},
                    {"counted", "launches counted", {AsMeasured(program.counted), kCount}},
                    {"not_counted", program.not_counted.empty() ? "" : "not counted", program.not_counted}},
          .tables = {std::move(stack)}};
}

}  // namespace culprit
