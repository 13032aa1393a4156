// SPDX-License-Identifier: Apache-2.0
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

Report Build(const std::vector<RunSummary>& runs) {
  Report report{"runs", "Recorded runs, newest first"};
  ReportTable table = Tabulate<RunSummary>(
      "runs", "", runs,
      {{"run_uuid", "Run", [](const RunSummary& r) { return r.run.uuid; }},
       {"recorded_utc", "Started", [](const RunSummary& r) { return r.run.started_utc; }},
       {"run_label", "Label", [](const RunSummary& r) { return r.run.label; }},
       {"run_state", "State", &RunSummary::state},
       {"gpu", "GPU", [](const RunSummary& r) { return r.run.device ? r.run.device->name : "none"; }},
       {"driver", "Driver", [](const RunSummary& r) { return r.run.toolchain.driver; }},
       {"profile", "Profile", [](const RunSummary& r) { return r.run.profile; }},
       {"l2", "L2", [](const RunSummary& r) { return r.run.l2; }},
       {"launches", "Launches", Unit::kCount, &RunSummary::launches},
       {"failed", "Failed", Unit::kCount, &RunSummary::failed},
       {"samples", "Samples", Unit::kCount, &RunSummary::samples},
       {"metric_values", "Metric values", Unit::kCount, &RunSummary::metric_values}});
  Section section{"list", "", {}, {std::move(table)}};
  if (runs.empty())
    section.notes.push_back("None yet: record one with gemm_bench --db FILE, or import one with culprit import.");
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
    Render(Build(database.Runs()), args->output, streams);
  };
}

}  // namespace culprit
