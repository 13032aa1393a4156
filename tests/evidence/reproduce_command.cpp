// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/locate.h"
#include "tests/evidence/reproduce_report.h"
#include "tests/evidence/seeds/reproduce.h"
#include "tests/evidence/tool.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
  std::string table;
};

}  // namespace

Action AddReproduce(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  std::string help = "one table alone:";
  for (const ReproducedTable& table : ReproducedTables())
    help += "\n" + std::string(table.name) + ": " + std::string(table.summary);
  syntax.Add("TABLE", &args->table, help);
  AddReportOptions(syntax, *args);
  AddSelector(syntax, args->selector, "");
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db);
    const RunSummary run = PickRun(database, args->selector);
    const Recording recording = Recording::Load(database, run);
    const bool wide = args->output.IsWide();
    Render(MakeReproduceReport(recording, args->table, wide, database.Warnings(run.id)), args->output, streams);
  };
}

}  // namespace culprit
