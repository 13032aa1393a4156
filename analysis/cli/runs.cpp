// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
};

Report Build(const std::vector<RunSummary>& runs) {
  Report report{"runs", "Recorded runs, newest first", {}, {}, {}, {}, {}};
  ReportTable table{"runs",
                    "",
                    {{"uuid", "Run"},
                     {"started_utc", "Started"},
                     {"label", "Label"},
                     {"state", "State"},
                     {"gpu", "GPU"},
                     {"driver", "Driver"},
                     {"profile", "Profile"},
                     {"l2", "L2"},
                     {"launches", "Launches"},
                     {"failed", "Failed"},
                     {"samples", "Samples"},
                     {"metric_values", "Metric values"}},
                    {},
                    {}};
  for (const RunSummary& r : runs)
    table.rows.push_back({r.run.uuid, r.run.started_utc, r.run.label, r.state,
                          r.run.device ? r.run.device->name : "none", r.run.toolchain.driver, r.run.profile, r.run.l2,
                          Number{r.launches, Unit::kCount}, Number{r.failed, Unit::kCount},
                          Number{r.samples, Unit::kCount}, Number{r.metric_values, Unit::kCount}});
  Section section{"list", "", {}, {std::move(table)}, {}, {}};
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
