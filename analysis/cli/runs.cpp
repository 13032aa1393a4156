// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
};

// The beginning of its UUID that names it among these, as --run takes it: a person types no 36 characters.
std::string NameOf(const RunSummary& run, const std::vector<RunSummary>& runs) {
  constexpr std::size_t kLeast = 8;
  const std::string& uuid = run.run.uuid;
  for (std::size_t length = kLeast; length < uuid.size(); ++length) {
    const std::string name = uuid.substr(0, length);
    if (std::ranges::count_if(runs, [&](const RunSummary& r) { return r.run.uuid.starts_with(name); }) == 1)
      return name;
  }
  return uuid;
}

// A tool may not name the GPU that was there.
std::string NamedGpu(const RunSummary& r) {
  return r.run.device ? r.run.device->name : r.run.program ? "not named" : "none";
}

Report Build(const std::vector<RunSummary>& runs) {
  Report report{"runs", "Recorded runs, newest first"};
  const bool no_programs = std::ranges::none_of(runs, [](const RunSummary& r) { return r.run.program.has_value(); });
  ReportTable table =
      Tabulate<RunSummary>("runs", "", runs,
                           {{"run", "Run", [&](const RunSummary& r) { return NameOf(r, runs); }},
                            {"run_uuid", "UUID", [](const RunSummary& r) { return r.run.uuid; }, true},
                            {"recorded_utc", "Started", [](const RunSummary& r) { return r.run.started_utc; }},
                            {"run_label", "Label", [](const RunSummary& r) { return r.run.label; }},
                            {"run_state", "State", &RunSummary::state},
                            {"program", "Program", [](const RunSummary& r) { return SourceName(r.run); }, no_programs},
                            {"gpu", "GPU", NamedGpu},
                            {"driver", "Driver", [](const RunSummary& r) { return r.run.toolchain.driver; }},
                            {"profile", "Profile", [](const RunSummary& r) { return r.run.profile; }},
                            {"l2", "L2", [](const RunSummary& r) { return r.run.l2; }},
                            {"launches", "Launches", Unit::kCount, &RunSummary::launches},
                            {"failed", "Failed", Unit::kCount, &RunSummary::failed},
                            {"samples", "Samples", Unit::kCount, &RunSummary::samples},
                            {"metric_values", "Metric values", Unit::kCount, &RunSummary::metric_values}});
  Section section{"list", "", {}, {std::move(table)}};
  if (runs.empty())
    section.notes.push_back(
        "None yet: record one with culprit record ./my_program, or import one with culprit import.");
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace

Action AddRuns(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db.File());
    Render(Build(database.Runs(Damaged::kShown)), args->output, streams);
  };
}

}  // namespace culprit
