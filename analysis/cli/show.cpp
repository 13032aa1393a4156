// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/banks/conflict_lines.h"
#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/report/kernel_report.h"
#include "analysis/report/static_report.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  Selector selector;
  std::string stage;
};

}  // namespace

Action AddShow(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("STAGE", &args->stage, "a stage id, see 'culprit stages'", {.required = true, .words = "stages"});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  AddSelector(syntax, args->selector);
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db.File());
    const auto found = FindStage(database, args->stage, args->selector);
    if (const auto* kernel = std::get_if<KernelRecord>(&found)) {
      Report report = MakeKernelReport(*kernel);
      AddConflictLines(database.Instructions(kernel->id), report);
      Render(report, args->output, streams);
    } else {
      const auto& built = std::get<StaticStage>(found);
      Render(MakeStaticReport(built.run, built.stage, built.builds, database.Warnings(built.run.id)), args->output,
             streams);
    }
  };
}

}  // namespace culprit
