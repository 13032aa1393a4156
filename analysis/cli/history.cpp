// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/name_runs.h"
#include "analysis/cli/server.h"
#include "analysis/cli/suggest.h"
#include "analysis/fleet/trend.h"
#include "analysis/gate/comparable.h"
#include "analysis/judge/program/executions.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/command.h"
#include "analysis/launch/recording.h"
#include "analysis/number/joined.h"
#include "analysis/show/report/history_report.h"
#include "analysis/show/report/trend_report.h"
#include "db/damaged_run.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::string stage;
  Selector selector;
  bool all = false, any_command = false, other_gpu = false;
  std::string branch, since;  // of a server's runs
};

constexpr const char* kNotes =
    "Shows complete runs that have a label and the kernel, oldest first. For a\n"
    "program, only runs of the newest run's command are used (its folder may differ,\n"
    "and --any-command also takes other commands). All executions with the same label\n"
    "and command count together. The runs that were left out are listed above the\n"
    "table, with the reason: no label, another command, no such launch, or not\n"
    "comparable (another GPU without --other-gpu, another --l2).\n"
    "With --db postgresql://USER@HOST/DATABASE, it shows all runs of one GPU model and\n"
    "branch that machines sent there with 'culprit push'.";

struct Found {
  RunSummary run;  // of several executions the one that stands for them
  std::vector<RunSummary> executions;
};

// Why runs are not in a history, in the order in which they were found.
class LeftOut {
 public:
  // `one`, `several`: "it has no label; --all includes it".
  void Add(const RunSummary& run, const std::string& one, const std::string& several) {
    const auto known = std::ranges::find(reasons_, one, &Reason::one);
    Reason& reason = known == reasons_.end() ? reasons_.emplace_back(Reason{one, several, {}}) : *known;
    reason.runs.push_back(run.run.label.empty() ? ShortUuid(run.run) : "'" + run.run.label + "'");
  }
  // Of which not even the label is known.
  void AddUnreadable(std::size_t runs) { unreadable_ = runs; }
  std::vector<std::string> Sentences() const {
    constexpr std::size_t kNamed = 4;
    std::vector<std::string> sentences;
    for (const Reason& reason : reasons_) {
      const std::size_t n = reason.runs.size();
      sentences.push_back(fmt::format("{} left out ({}): {}.", n == 1 ? "1 run is" : fmt::format("{} runs are", n),
                                      JoinedFirst(reason.runs, kNamed), n == 1 ? reason.one : reason.several));
    }
    if (unreadable_ > 0)
      sentences.push_back(fmt::format("{} damaged and left out; 'culprit runs' says why.",
                                      unreadable_ == 1 ? "1 run is" : fmt::format("{} runs are", unreadable_)));
    return sentences;
  }

 private:
  struct Reason {
    std::string one, several;
    std::vector<std::string> runs;
  };
  std::vector<Reason> reasons_;
  std::size_t unreadable_ = 0;
};

// `newest`: whose command counts.
std::vector<Found> RunsOf(const Database& database, const Arguments& args, const RunRecord& newest, LeftOut& left_out) {
  const std::string how = "damaged; 'culprit runs' says why";
  std::vector<RunSummary> runs = database.Runs();
  left_out.AddUnreadable(database.CountRuns() - runs.size());
  std::ranges::reverse(runs);
  std::vector<Found> found;
  for (RunSummary& run : runs) {
    if (run.state != "complete") {
      left_out.Add(run, "it is " + run.state, "they are " + run.state);
      continue;
    }
    if (run.run.label.empty() && !args.all) {
      left_out.Add(run, "it has no label; --all includes it", "they have no label; --all includes them");
      continue;
    }
    if (run.run.program.has_value() != newest.program.has_value()) {
      const std::string of = newest.program ? "of a benchmark, not of a program" : "of a program, not of a benchmark";
      left_out.Add(run, of, of);
      continue;
    }
    if (newest.program && !args.any_command && !IsSameCommand(run.run, newest)) {
      const std::string of = fmt::format("of another command than '{}'; --any-command includes ", newest.command_line);
      left_out.Add(run, of + "it", of + "them");
      continue;
    }
    try {
      database.Launches(run.id, "");
    } catch (const DamagedRun&) {
      left_out.Add(run, "it is " + how, "they are " + how);
      continue;
    }
    const auto same = std::ranges::find_if(found, [&](const Found& f) { return AreOneSide(database, f.run, run); });
    if (same == found.end())
      found.push_back({run, {run}});
    else
      same->executions.push_back(std::move(run));
  }
  for (Found& one : found)
    if (one.executions.size() > 1) one.run = MakeSide(one.executions).run;
  return found;
}

// Of a server's runs.
void RunOnServer(const Arguments& args, Streams& streams) {
  Fleet fleet(args.db);
  FleetFilter filter{.branch = args.branch, .gpu = args.selector.gpu, .since = args.since};
  if (!args.selector.run.empty())
    throw Error("history --run is of a file; of a server, --branch, --gpu and --since choose.");
  const Costs costs = [&](const FleetRunSummary& run) { return fleet.ClassTimes(run.id); };
  Render(MakeTrendReport(MakeTrend(fleet.History(args.stage, filter, args.selector.shape), costs)), args.output,
         streams);
}

void Run(const Arguments& args, Streams& streams) {
  if (IsServer(args.db)) return RunOnServer(args, streams);
  if (!args.branch.empty() || !args.since.empty())
    throw Error("history --branch and --since need a server: --db postgresql://...");
  const Database database = Database::OpenForReading(args.db);
  // What is meant where no shape is named: what the newest run has.
  const KernelRecord newest = FindMeasured(database, args.stage, args.selector);
  LeftOut left_out;
  std::vector<KernelRecord> kernels;
  std::vector<int> executions;
  const std::string what = fmt::format("launched {} at {}", newest.stage.id, newest.launch.shape);
  for (const Found& found : RunsOf(database, args, newest.run.run, left_out)) {
    const std::size_t before = kernels.size();
    for (const LaunchId launch :
         database.Launches(found.run.id, newest.launch.shape, Ordinals::kFirst, newest.stage.id)) {
      KernelRecord kernel = database.LoadKernel(launch);
      if (kernel.launch.state != LaunchState::kOk) continue;
      if (CanPool(found.executions, found.executions)) Executions(database, found.run, found.executions).AddTo(kernel);
      kernels.push_back(std::move(kernel));
      executions.push_back(static_cast<int>(found.executions.size()));
      break;
    }
    if (kernels.size() == before) left_out.Add(found.run, "it has not " + what, "they have not " + what);
  }
  const Neighbours neighbours(database);
  History history = MakeHistory(
      std::move(kernels), executions,
      [&](const auto& was, const auto& is) { return Why(neighbours, was.record(), is.record()); }, args.other_gpu);
  if (history.points.empty() && !history.left_out.empty()) throw Error(history.left_out.front());
  if (history.points.empty())
    throw Error(fmt::format("no complete run with a label has timed {} at {}; record with --label, or use --all.",
                            newest.stage.id, newest.launch.shape));
  std::ranges::move(left_out.Sentences(), std::back_inserter(history.left_out));
  Render(MakeHistoryReport(history), args.output, streams);
}

}  // namespace

Action AddHistory(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("KERNEL", &args->stage, "a kernel; KERNEL@RUN names a run, as --run does",
             {.value = "KERNEL", .required = true, .words = "kernels"});
  AddSelector(syntax, args->selector, "that of the newest run", "the newest complete run, for the shape");
  syntax.Add("--all", &args->all, "also runs without a label");
  syntax.Add("--any-command", &args->any_command, "for a program: also runs of other commands");
  syntax.Add(kOtherGpu, &args->other_gpu, kOtherGpuHelp);
  syntax.Add("--branch", &args->branch, "of a server: the branch (default: that of the newest run)",
             {.value = "NAME", .not_empty = true});
  syntax.Add("--since", &args->since, "of a server: 90d, 26w or 2026-11-21 (default: all)",
             {.value = "TIME", .not_empty = true});
  AddReportOptions(syntax, *args);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
