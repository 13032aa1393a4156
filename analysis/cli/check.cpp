// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/check.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <span>

#include "analysis/cli/command.h"
#include "analysis/cli/name_runs.h"
#include "analysis/cli/percent.h"
#include "analysis/cli/stage_name.h"
#include "analysis/cli/suggest.h"
#include "analysis/kernel/recording.h"
#include "analysis/program/executions.h"
#include "analysis/program/work_verdict.h"
#include "analysis/report/check_formats.h"
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
  bool different_programs = false;
};

constexpr const char* kNotes =
    "Which run\n"
    "  newest       --cand: the newest complete one; --base: the newest before the\n"
    "               candidate, of the same program or benchmark on such a GPU\n"
    "  branch:NAME  of the newest commit that branch and HEAD have in common for which\n"
    "               there is a run: of a clean build of it, or labelled with its hash\n"
    "  LABEL        of programs all runs with that label and one command line\n"
    "  LABEL:WORDS  where several commands have that label: the one that holds WORDS\n"
    "\n"
    "Of two runs of programs the work as a whole is judged as well, by the same\n"
    "limit: what is new counts with what it adds, what is gone with what it takes\n"
    "away. It is the work of all kernels; from 5 executions a side on, of copies\n"
    "too. --stages and --shape leave it out.\n"
    "\n"
    "Exit status\n"
    "  1  a launch is slower, or a program as a whole: its interval lies above 0, and\n"
    "     its estimate above the limit\n"
    "  2  else: something could not be judged. A launch of the base run is missing,\n"
    "     failed, refused, not timed or no longer verified in the candidate run; a\n"
    "     launch of the candidate run failed or is wrong; an interval holds 0 and is\n"
    "     too wide; the time of the same code rose and its cycles did not; copies of\n"
    "     fewer than 5 executions a side would raise a program's work above the\n"
    "     limit; no launch can be compared; or the two runs cannot\n"
    "  0  else. New launches are listed; they count only in the program's total";

std::vector<KernelRecord> Load(const Database& database, const RunSummary& run, const Arguments& args) {
  std::vector<KernelRecord> kernels =
      database.LoadKernels(database.Launches(run.id, args.shape, run.run.program ? Ordinals::kAll : Ordinals::kFirst));
  const auto wanted = [&](const KernelRecord& kernel) {
    return args.stages.empty() || std::ranges::any_of(args.stages, [&](const std::string& glob) {
             return ::fnmatch(glob.c_str(), kernel.stage.id.c_str(), 0) == 0;
           });
  };
  std::erase_if(kernels, [&](const KernelRecord& kernel) { return !wanted(kernel); });
  return kernels;
}

// A slip in a name must not make a gate pass for want of launches.
void RequireMatches(const Database& database, const Arguments& args, const RunSummary& base,
                    const RunSummary& candidate) {
  std::vector<std::string> ids, shapes;
  std::set<std::string> known_ids, known_shapes;
  for (const RunSummary* run : {&base, &candidate}) {
    for (const StageRecord& stage : database.Stages(run->id))
      if (known_ids.insert(stage.id).second) ids.push_back(stage.id);
    for (const std::string& shape : database.Shapes(run->id))
      if (known_shapes.insert(shape).second) shapes.push_back(shape);
  }
  for (const std::string& glob : args.stages)
    if (std::ranges::none_of(ids, [&](const auto& id) { return ::fnmatch(glob.c_str(), id.c_str(), 0) == 0; }))
      throw Error(UnknownMessage("stage", glob, ids, kListsStages));
  if (!args.shape.empty() && database.Launches(base.id, args.shape).empty() &&
      database.Launches(candidate.id, args.shape).empty())
    throw Error(UnknownMessage("shape", args.shape, shapes));
}

// A kernel's name without its digits stands for all kernels of that name.
std::vector<std::string> WithDigits(const Database& database, const std::vector<std::string>& globs,
                                    std::span<const RunSummary> runs) {
  std::vector<std::string> all;
  for (const std::string& glob : globs) {
    const std::size_t before = all.size();
    for (const RunSummary& run : runs)
      for (const NamedStage& stage : StagesNamedIn(database, run.id))
        if (stage.id.starts_with(glob + "~")) all.push_back(stage.id);
    if (all.size() == before) all.push_back(glob);
  }
  return all;
}

// Forms of a check that no other report has.
struct OwnFormat {
  std::string_view name;
  void (*render)(const Check&, std::ostream&);
};
constexpr OwnFormat kOwnFormats[] = {
    {"sarif", RenderCheckSarif}, {"junit", RenderCheckJunit}, {"github", RenderCheckGithub}};

void Run(Arguments args, Streams& streams) {
  const double max_slowdown = ParsePercent("--max-slowdown", args.max_slowdown);
  const Database database = Database::OpenForReading(args.db.File());
  database.CheckWhole();
  const std::vector<RunSummary> candidate_runs = FindCandidate(database, args.candidate);
  const std::vector<RunSummary> base_runs = FindBase(database, args.base, candidate_runs);
  // Of several executions the one that `why` explains, too.
  const RunSummary base = base_runs.size() > 1 ? MakeSide(base_runs).run : base_runs.front();
  const RunSummary candidate = candidate_runs.size() > 1 ? MakeSide(candidate_runs).run : candidate_runs.front();
  if (base.id == candidate.id)
    throw Error(
        fmt::format("--base and --cand both name run {}: a run is never slower than itself; name another "
                    "('culprit runs' lists them).",
                    ShortUuid(base.run)));
  const bool pooled = CanPool(base_runs, candidate_runs);
  RequireOneProgram(database, base, candidate, args.different_programs);
  const bool all = args.stages.empty() && args.shape.empty();
  args.stages = WithDigits(database, args.stages, std::array{base, candidate});
  RequireMatches(database, args, base, candidate);
  std::vector<KernelRecord> from = Load(database, base, args), to = Load(database, candidate, args);
  if (pooled) {
    const Executions of_base(database, base, base_runs), of_candidate(database, candidate, candidate_runs);
    for (KernelRecord& kernel : from) of_base.AddTo(kernel);
    for (KernelRecord& kernel : to) of_candidate.AddTo(kernel);
  }
  const Neighbours neighbours(database);
  std::optional<WorkVerdict> work;
  const auto is_timed = [](const RunSummary& run) {
    return run.state == "complete" && run.run.program && WorkUs(*run.run.program);
  };
  if (all && is_timed(base) && is_timed(candidate))
    work = JudgeWork(MakeSide(base_runs), from, MakeSide(candidate_runs), to);
  Check check = MakeCheck(
      base, from, candidate, to, max_slowdown,
      [&](const auto& was, const auto& is) { return Why(neighbours, was.record(), is.record()); }, work);
  check.different_programs = args.different_programs;
  if (pooled)
    check.caveats.push_back(
        fmt::format("{} executions of the base and {} of the candidate are held against one "
                    "another: each counts as one value of a kernel.",
                    MakeSide(base_runs).runs, MakeSide(candidate_runs).runs));
  const auto own = std::ranges::find(kOwnFormats, args.output.json ? "json" : args.output.format, &OwnFormat::name);
  if (own == std::end(kOwnFormats))
    Render(MakeCheckReport(check, database.Warnings(base.id), database.Warnings(candidate.id)), args.output, streams);
  else
    own->render(check, streams.out);
  streams.exit_status = static_cast<int>(check.Status());
}

}  // namespace

Action AddCheck(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("--base", &args->base,
             "run to hold the other against: UUID prefix, id or label; newest, branch:NAME (see below)",
             {.value = "RUN", .required = true, .words = "runs"});
  syntax.Add("--cand", &args->candidate, "run to judge; newest", {.value = "RUN", .required = true, .words = "runs"});
  syntax.Add("--max-slowdown", &args->max_slowdown, "a rise of the time that is accepted (default: 2%)",
             {.value = "PERCENT"});
  syntax.Add("--stages", &args->stages, "only these: v1_*,cublas_sgemm", {.value = "GLOB[,GLOB]", .commas = true});
  syntax.Add("--shape", &args->shape, "only this one: 4096 or 4096x2048x1024 (default: all)", {.value = "SHAPE"});
  syntax.Add("--different-programs", &args->different_programs, kDifferentProgramsHelp);
  AddDatabaseOption(syntax, args->db);
  std::vector<std::string> own;
  for (const OwnFormat& format : kOwnFormats) own.emplace_back(format.name);
  AddOutputOptions(syntax, args->output, own);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
