// SPDX-License-Identifier: Apache-2.0
#include "analysis/seeds/reproduce.h"

#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/report/reproduce_report.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
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
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  AddSelector(syntax, args->selector, "");
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db.File());
    const RunSummary run = PickRun(database, args->selector);
    const Recording recording = Recording::Load(database, run);
    const bool wide = args->output.IsWide();
    Render(MakeReproduceReport(recording, args->table, wide, database.Warnings(run.id)), args->output, streams);
  };
}

}  // namespace culprit
