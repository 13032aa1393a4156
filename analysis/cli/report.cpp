// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/suggest.h"
#include "analysis/report/ladder_report.h"
#include "analysis/report/program_report.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  Selector selector;
};

// As it was written; else "4096" means the square, as in Selector. Empty where none is wanted.
std::string FindShape(const std::vector<std::string>& shapes, const std::string& wanted) {
  for (const std::string& shape : {wanted, wanted + "x" + wanted + "x" + wanted})
    if (wanted.empty() || std::ranges::find(shapes, shape) != shapes.end()) return shape;
  throw Error(UnknownMessage("shape", wanted, shapes));
}

std::vector<Ladder> Load(const Database& database, const RunSummary& run, const std::vector<std::string>& shapes,
                         const std::string& wanted) {
  std::vector<Ladder> ladders;
  for (const std::string& shape : shapes) {
    if (!wanted.empty() && shape != wanted) continue;
    ladders.push_back({shape, database.LoadKernels(database.Launches(run.id, shape))});
  }
  return ladders;
}

std::vector<KernelRecord> LoadProgram(const Database& database, const RunSummary& run, const std::string& shape) {
  std::vector<KernelRecord> kernels = database.LoadKernels(run.id, Ordinals::kAll);
  if (!shape.empty()) std::erase_if(kernels, [&](const KernelRecord& k) { return k.launch.shape != shape; });
  return kernels;
}

}  // namespace

Action AddReport(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  AddSelector(syntax, args->selector);
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db.File());
    const RunSummary run = PickRun(database, args->selector);
    const std::vector<std::string> shapes = database.Shapes(run.id);
    const std::string shape = FindShape(shapes, args->selector.shape);
    if (run.run.program)
      return Render(MakeProgramReport(run, LoadProgram(database, run, shape), database.Warnings(run.id)), args->output,
                    streams);
    const std::vector<Ladder> ladders = Load(database, run, shapes, shape);
    std::vector<Warning> warnings = database.Warnings(run.id);
    if (!shape.empty()) warnings = AtShape(warnings, shape);
    Render(MakeLadderReport(run, ladders, database.Builds(run.id), warnings), args->output, streams);
  };
}

}  // namespace culprit
