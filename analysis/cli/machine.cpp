// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"
#include "db/machine_figure.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
};

// The number that attribution takes where this figure was not measured.
Measured DefaultOf(const Machine& defaults, std::string_view figure) {
  for (const auto& [name, number] : MeasuredNumbers())
    if (name == figure && defaults.*number > 0) return Measured(defaults.*number);
  return Measured::Missing(Absence::kUndefined);
}

std::string Setting(const MachineFigure& figure, const FigureKind* kind) {
  if (kind && kind->setting.empty()) return "";
  return fmt::format("{:.4g}{}{}", figure.setting, kind ? " " : "", kind ? kind->setting : "");
}

Report Build(const RunSummary& run) {
  Report report{"machine", "What the GPU can do"};
  AddRunHeader(run, {}, report);
  const Machine defaults = KnownMachine(run.run.device);
  const auto default_of = [&](const MachineFigure& f) { return DefaultOf(defaults, f.name); };
  ReportTable table =
      Tabulate<MachineFigure>("figures", "", run.run.machine,
                              {{"name", "Figure", &MachineFigure::name},
                               {"setting", "", Unit::kRatio, &MachineFigure::setting, true},
                               {"at", "At", [](const MachineFigure& f) { return Setting(f, FindFigureKind(f.name)); }},
                               {"value", "Measured", Unit::kRatio, &MachineFigure::value},
                               {"default", "Default", Unit::kRatio, default_of},
                               {"known", "", Unit::kRatio, default_of, true},  // as `default` was called first
                               {"unit", "Unit", &MachineFigure::unit},
                               {"measured_in", "Measured in run", &MachineFigure::measured_in, true},
                               {"meaning", "Meaning", [](const MachineFigure& f) {
                                  const FigureKind* kind = FindFigureKind(f.name);
                                  return std::string(kind ? kind->meaning : "");
                                }}});
  if (run.run.machine.empty()) table.shown = 0;
  Section section{"list", "", {}, {std::move(table)}};
  if (run.run.machine.empty())
    section.notes.push_back(run.run.program ? "Runs of programs do not measure the GPU, but runs of benchmarks do. The "
                                              "defaults for this kind of GPU are used."
                                            : "This run did not measure its GPU; record with --profile or --machine. "
                                              "The defaults for this kind of GPU are used.");
  else
    section.notes.push_back("Default: the number that is assumed if nothing was measured.");
  if (const std::string borrowed = MachineOf(run.run).borrowed; !borrowed.empty())
    section.notes.push_back(
        fmt::format("Neither measured nor known for this GPU, so taken from other GPUs: {}.", borrowed));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace

Action AddMachine(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddDatabaseOption(syntax, args->db);
  AddSelector(syntax, args->selector, "");
  AddOutputOptions(syntax, args->output);
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db);
    Render(Build(database.FindRun(args->selector)), args->output, streams);
  };
}

}  // namespace culprit
