// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "analysis/kernel/recording.h"
#include "analysis/program/executions.h"
#include "analysis/program/program_why.h"
#include "analysis/report/history_report.h"
#include "analysis/why/why.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  std::string stage;
  Selector selector;
  bool all = false;
};

constexpr const char* kNotes =
    "Complete runs that have a label and the stage, oldest first; of a program all\n"
    "executions of one label together. What cannot be compared with the newest of\n"
    "them (another GPU, another --l2) is named and left out.";

struct Found {
  RunSummary run;  // of several executions the one that stands for them
  std::vector<RunSummary> executions;
};

std::vector<Found> RunsOf(const Database& database, const Arguments& args) {
  std::vector<RunSummary> runs = database.Runs();
  std::ranges::reverse(runs);
  std::vector<Found> found;
  for (RunSummary& run : runs) {
    if (run.state != "complete" || (run.run.label.empty() && !args.all)) continue;
    const auto same = std::ranges::find_if(found, [&](const Found& f) {
      return run.run.program && f.run.run.program && !run.run.label.empty() && f.run.run.label == run.run.label;
    });
    if (same == found.end())
      found.push_back({run, {run}});
    else
      same->executions.push_back(std::move(run));
  }
  for (Found& one : found)
    if (one.executions.size() > 1) one.run = MakeSide(one.executions).run;
  return found;
}

void Run(const Arguments& args, Streams& streams) {
  const Database database = Database::OpenForReading(args.db.File());
  // What is meant where no shape is named: what the newest run has.
  const KernelRecord newest = database.FindKernel(args.stage, args.selector);
  std::vector<KernelRecord> kernels;
  std::vector<int> executions;
  for (const Found& found : RunsOf(database, args)) {
    for (const LaunchId launch :
         database.Launches(found.run.id, newest.launch.shape, Ordinals::kFirst, newest.stage.id)) {
      KernelRecord kernel = database.LoadKernel(launch);
      if (kernel.launch.state != LaunchState::kOk) continue;
      if (CanPool(found.executions, found.executions)) Executions(database, found.run, found.executions).AddTo(kernel);
      kernels.push_back(std::move(kernel));
      executions.push_back(static_cast<int>(found.executions.size()));
      break;
    }
  }
  const Neighbours neighbours(database);
  History history = MakeHistory(std::move(kernels), executions, [&](const auto& was, const auto& is) {
    return Why(neighbours, was.record(), is.record());
  });
  for (const ListedRun& listed : database.ListRuns())
    if (!listed.damage.empty())
      history.left_out.push_back(
          fmt::format("Run {} is left out. It is damaged: {}.", ShortUuid(listed.run.run), listed.damage));
  if (history.points.empty() && !history.left_out.empty()) throw Error(history.left_out.front());
  if (history.points.empty())
    throw Error(fmt::format("no complete run with a label has timed {} at {}: record with --label, or take --all.",
                            newest.stage.id, newest.launch.shape));
  Render(MakeHistoryReport(history), args.output, streams);
}

}  // namespace

Action AddHistory(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("STAGE", &args->stage, "id of the stage, or of a program's kernel",
             {.value = "STAGE", .required = true, .words = "stages"});
  AddSelector(syntax, args->selector, "that of the newest run", "the newest complete run, for the shape");
  syntax.Add("--all", &args->all, "runs without a label, too");
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
