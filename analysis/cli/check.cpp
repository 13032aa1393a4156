// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/check.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "analysis/kernel/recording.h"
#include "analysis/program/executions.h"
#include "analysis/program/program_why.h"
#include "analysis/report/check_report.h"
#include "analysis/report/run_header.h"
#include "analysis/why/why.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  std::string base, candidate, shape;
  std::vector<std::string> stages;
  std::string max_slowdown = "2%";
};

constexpr const char* kNotes =
    "Exit status\n"
    "  1  a launch is slower by more than the limit\n"
    "  2  else: something could not be judged. A launch of the base run is missing,\n"
    "     failed, refused, not timed or no longer verified in the candidate run; a\n"
    "     launch of the candidate run failed or is wrong; the samples leave open\n"
    "     whether one is slower by more than the limit; the time of the same code\n"
    "     rose and its cycles did not; or the two runs cannot be compared\n"
    "  0  else. What has no counterpart in the base run is named and does not count";

// "2%", "2 %" or "2": a share, 0.02.
double ParsePercent(const std::string& text) {
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, percent);
  const std::string_view rest(next, static_cast<std::size_t>(end - next));
  if (error != std::errc() || !(rest.empty() || rest == "%" || rest == " %") || !std::isfinite(percent) || percent < 0)
    throw Error(fmt::format("--max-slowdown takes a percentage from 0 on, such as 2%, not '{}'.", text));
  return percent / 100;
}

// One run; of a program all executions that were recorded with that label.
std::vector<RunSummary> FindRuns(const Database& database, const char* option, const std::string& name) {
  if (name.empty()) throw Error(fmt::format("{} is empty; name a run ('culprit runs' lists them).", option));
  std::vector<RunSummary> runs = database.RunsNamed(name);
  const auto is_execution = [&](const RunSummary& run) { return run.run.program && run.run.label == name; };
  if (runs.size() > 1 && std::ranges::all_of(runs, is_execution)) return runs;
  return {database.FindRun({.run = name})};
}

std::vector<KernelRecord> Load(const Database& database, const RunSummary& run, const Arguments& args) {
  std::vector<KernelRecord> kernels;
  for (const LaunchId launch :
       database.Launches(run.id, args.shape, run.run.program ? Ordinals::kAll : Ordinals::kFirst)) {
    KernelRecord kernel = database.LoadKernel(launch);
    const bool wanted = args.stages.empty() || std::ranges::any_of(args.stages, [&](const std::string& glob) {
                          return ::fnmatch(glob.c_str(), kernel.stage.id.c_str(), 0) == 0;
                        });
    if (wanted) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// A slip in a name must not make a gate pass for want of launches.
void RequireMatches(const Database& database, const Arguments& args, const RunSummary& base,
                    const RunSummary& candidate) {
  std::vector<std::string> ids, shapes;
  for (const RunSummary* run : {&base, &candidate}) {
    for (const StageRecord& stage : database.Stages(run->id))
      if (std::ranges::find(ids, stage.id) == ids.end()) ids.push_back(stage.id);
    for (const std::string& shape : database.Shapes(run->id))
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  for (const std::string& glob : args.stages)
    if (std::ranges::none_of(ids, [&](const auto& id) { return ::fnmatch(glob.c_str(), id.c_str(), 0) == 0; }))
      throw Error(UnknownMessage("stage", glob, ids, kListsStages));
  if (!args.shape.empty() && database.Launches(base.id, args.shape).empty() &&
      database.Launches(candidate.id, args.shape).empty())
    throw Error(UnknownMessage("shape", args.shape, shapes));
}

void Run(const Arguments& args, Streams& streams) {
  const double max_slowdown = ParsePercent(args.max_slowdown);
  const Database database = Database::OpenForReading(args.db.File());
  database.CheckWhole();
  const std::vector<RunSummary> base_runs = FindRuns(database, "--base", args.base);
  const std::vector<RunSummary> candidate_runs = FindRuns(database, "--cand", args.candidate);
  // Of several executions the one that `why` explains, too.
  const RunSummary base = base_runs.size() > 1 ? MakeSide(base_runs).run : base_runs.front();
  const RunSummary candidate = candidate_runs.size() > 1 ? MakeSide(candidate_runs).run : candidate_runs.front();
  if (base.id == candidate.id)
    throw Error(
        fmt::format("--base and --cand both name run {}: a run is never slower than itself; name another "
                    "('culprit runs' lists them).",
                    ShortUuid(base.run)));
  const bool pooled = CanPool(base_runs, candidate_runs);
  RequireMatches(database, args, base, candidate);
  std::vector<KernelRecord> from = Load(database, base, args), to = Load(database, candidate, args);
  if (pooled) {
    const Executions of_base(database, base, base_runs), of_candidate(database, candidate, candidate_runs);
    for (KernelRecord& kernel : from) of_base.AddTo(kernel);
    for (KernelRecord& kernel : to) of_candidate.AddTo(kernel);
  }
  Check check = MakeCheck(base, from, candidate, to, max_slowdown,
                          [&](const auto& was, const auto& is) { return ExplainWithNeighbours(database, was, is); });
  if (pooled)
    check.caveats.push_back(
        fmt::format("{} executions of the base and {} of the candidate are held against one "
                    "another: each counts as one value of a kernel.",
                    MakeSide(base_runs).runs, MakeSide(candidate_runs).runs));
  Render(MakeCheckReport(check, database.Warnings(base.id), database.Warnings(candidate.id)), args.output, streams);
  streams.exit_status = static_cast<int>(check.Status());
}

}  // namespace

Action AddCheck(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("--base", &args->base, "run to hold the other against: UUID prefix, id or label",
             {.value = "RUN", .required = true});
  syntax.Add("--cand", &args->candidate, "run to judge", {.value = "RUN", .required = true, .words = "runs"});
  syntax.Add("--max-slowdown", &args->max_slowdown, "a rise of the time that is accepted (default: 2%)",
             {.value = "PERCENT"});
  syntax.Add("--stages", &args->stages, "only these: v1_*,cublas_sgemm", {.value = "GLOB[,GLOB]", .commas = true});
  syntax.Add("--shape", &args->shape, "only this one: 4096 or 4096x2048x1024 (default: all)", {.value = "SHAPE"});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
