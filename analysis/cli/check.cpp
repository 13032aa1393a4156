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
#include "analysis/cli/given_files.h"
#include "analysis/cli/name_runs.h"
#include "analysis/cli/stage_name.h"
#include "analysis/cli/suggest.h"
#include "analysis/gate/comparable.h"
#include "analysis/judge/program/executions.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/recording.h"
#include "analysis/show/report/check_report.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/version_change.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::string base, candidate, shape;
  std::vector<std::string> stages;
  std::string max_slowdown = "2%";
  bool different_programs = false, strict = false, other_gpu = false;
};

constexpr const char* kNotes =
    "Which run\n"
    "  newest       --cand: the newest complete run; --base: the newest complete run\n"
    "               before the candidate, of the same program (or also of a\n"
    "               benchmark) and on the same kind of GPU\n"
    "  branch:NAME  of the commits that branch NAME and HEAD have in common, the\n"
    "               newest that has a run. The run must be from a clean build, or be\n"
    "               labelled with the commit's hash\n"
    "  LABEL        for programs: all runs with this label and the same command line\n"
    "  FILE         a file that 'culprit import' reads. It is read and not stored.\n"
    "               If a run has this name, the run is used\n"
    "  LABEL:WORDS  of several commands with this label, the one with WORDS in it\n"
    "\n"
    "For two runs of programs, the work as a whole is judged, too, by the same\n"
    "limit. A new kernel adds its time, and a kernel that is gone subtracts its\n"
    "time. The work is the time of all kernels and, from 5 executions per side on,\n"
    "of copies. With --kernels or --shape, the whole is not judged.\n"
    "\n"
    "Exit status\n"
    "  1  regression: several processes per side show that a launch, or a program as\n"
    "     a whole, is slower, and its estimate is above the limit. Of 100\n"
    "     comparisons of unchanged code, at most 1 has a regression, however many\n"
    "     launches it has\n"
    "  2  otherwise, if something could not be judged, or check could not do its\n"
    "     work:\n"
    "     - a launch of the base run is missing, failed, refused, not timed or no\n"
    "       longer verified in the candidate run\n"
    "     - a launch of the candidate run failed or is wrong\n"
    "     - no launch can be compared, or the two runs cannot be compared (two GPUs)\n"
    "  3  otherwise, if it is inconclusive, so that more processes may decide:\n"
    "     - a launch is suspect: as a regression, but fewer than 5 processes per\n"
    "       side show it, or it may be chance among so many launches. 'culprit\n"
    "       versus OLD NEW' confirms it or clears it\n"
    "     - an interval contains 0 and is too wide\n"
    "     - the time of the same code rose, but its cycles did not\n"
    "     - copies of fewer than 5 executions per side would raise a program's work\n"
    "       above the limit\n"
    "     - with --strict: a slow-down above the limit is not excluded\n"
    "  0  otherwise. New launches are listed. They count only in the program's total";

bool Matches(const std::string& glob, const std::string& id) { return ::fnmatch(glob.c_str(), id.c_str(), 0) == 0; }

std::vector<KernelRecord> Load(const Database& database, const RunSummary& run, const Arguments& args) {
  std::vector<KernelRecord> kernels =
      database.LoadKernels(database.Launches(run.id, args.shape, run.run.program ? Ordinals::kAll : Ordinals::kFirst));
  std::erase_if(kernels, [&](const KernelRecord& kernel) {
    return !args.stages.empty() &&
           std::ranges::none_of(args.stages, [&](const std::string& glob) { return Matches(glob, kernel.stage.id); });
  });
  return kernels;
}

// A slip in a name must not make a gate pass for want of launches.
void RequireMatches(const Database& database, const Arguments& args, const RunSummary& base,
                    const RunSummary& candidate) {
  const auto in_both = [&](auto names_in) {
    std::vector<std::string> names;
    std::set<std::string> known;
    for (const RunSummary* run : {&base, &candidate})
      for (std::string& name : names_in(run->id))
        if (known.insert(name).second) names.push_back(std::move(name));
    return names;
  };
  const auto ids = in_both([&](RunId run) { return TextsOf(database.Stages(run), &StageRecord::id); });
  for (const std::string& glob : args.stages)
    if (std::ranges::none_of(ids, [&](const std::string& id) { return Matches(glob, id); }))
      throw Error(UnknownMessage("kernel", glob, ids, kListsStages));
  if (!args.shape.empty() && database.Launches(base.id, args.shape).empty() &&
      database.Launches(candidate.id, args.shape).empty())
    throw Error(UnknownMessage("shape", args.shape, in_both([&](RunId run) { return database.Shapes(run); })));
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

// Loading a run takes time, and older ones say little of the present machine.
constexpr std::size_t kMostOtherRuns = 6;

// None if one of them is damaged. A damaged run that is not compared must not hide the answer.
std::vector<RunSummary> OtherRuns(const Database& database) try {
  return database.RunsToChooseFrom();
} catch (const Error&) {
  return {};
}

// What runs on the candidate's GPU say of its noise: base, candidate, and the newest others.
MeasuredRunNoise NoiseOf(const Database& database, std::span<const RunSummary> base,
                         std::span<const RunSummary> candidate, std::span<const KernelRecord> from,
                         std::span<const KernelRecord> to) {
  std::vector<std::vector<KernelRecord>> runs = {{from.begin(), from.end()}, {to.begin(), to.end()}};
  const RunRecord& of = candidate.front().run;
  const auto is_compared = [&](const RunSummary& run) {
    const auto is_it = [&](const RunSummary& one) { return one.id == run.id; };
    return std::ranges::any_of(base, is_it) || std::ranges::any_of(candidate, is_it);
  };
  for (const RunSummary& run : OtherRuns(database)) {
    if (runs.size() == kMostOtherRuns + 2) break;
    if (of.gpu_uuids.empty() || run.run.gpu_uuids != of.gpu_uuids || run.state != "complete") continue;
    if (run.run.program.has_value() != of.program.has_value() || is_compared(run)) continue;
    try {
      runs.push_back(database.LoadKernels(run.id, of.program ? Ordinals::kAll : Ordinals::kFirst));
    } catch (const Error&) {
      continue;
    }
  }
  return MeasuredRunNoise(runs);
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
  const auto own = std::ranges::find(kOwnFormats, args.output.json ? "json" : args.output.format, &OwnFormat::name);
  if (own != std::end(kOwnFormats)) args.output.RefuseTop();
  const Database database = OpenWithFiles(args.db, {&args.base, &args.candidate}, streams.err);
  database.CheckWhole();
  const std::vector<RunSummary> candidate_runs = FindCandidate(database, args.candidate);
  const std::vector<RunSummary> base_runs = FindBase(database, args.base, candidate_runs);
  // Of several executions the one that `why` explains, too.
  const RunSummary base = base_runs.size() > 1 ? MakeSide(base_runs).run : base_runs.front();
  const RunSummary candidate = candidate_runs.size() > 1 ? MakeSide(candidate_runs).run : candidate_runs.front();
  if (base.id == candidate.id)
    throw Error(
        fmt::format("--base and --cand both name run {}; name another run for one of them ('culprit runs' lists them).",
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
  Check check = MakeCheck(base, from, candidate, to, max_slowdown,
                          [&](const auto& was, const auto& is) { return Why(neighbours, was.record(), is.record()); },
                          work, {args.strict, args.other_gpu, NoiseOf(database, base_runs, candidate_runs, from, to)});
  check.different_programs = args.different_programs;
  if (const auto change = VersionChange(database, base.id, candidate.id)) check.caveats.push_back(change->text);
  if (pooled)
    check.caveats.push_back(fmt::format(
        "{} executions of the base are compared with {} of the candidate. Each counts as one value of a kernel.",
        MakeSide(base_runs).runs, MakeSide(candidate_runs).runs));
  if (own == std::end(kOwnFormats))
    Render(MakeCheckReport(check, database.Warnings(base.id), database.Warnings(candidate.id)), args.output, streams);
  else
    own->render(check, streams.out);
  streams.exit_status = static_cast<int>(check.Status());
}

}  // namespace

Action AddCheck(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("--base", &args->base, "run to compare with: UUID prefix, id or label; newest, branch:NAME (see below)",
             {.value = "RUN", .required = true, .words = "runs"});
  syntax.Add("--cand", &args->candidate, "run to judge; newest", {.value = "RUN", .required = true, .words = "runs"});
  syntax.Add("--max-slowdown", &args->max_slowdown, "accepted increase of the time (default: 2%)",
             {.value = "PERCENT"});
  syntax.Add("--kernels,--stages", &args->stages, "only these: v1_*,cublas_sgemm",
             {.value = "GLOB[,GLOB]", .commas = true});
  syntax.Add("--shape", &args->shape, "only this one: 4096 or 4096x2048x1024 (default: all)", {.value = "SHAPE"});
  syntax.Add("--strict", &args->strict, "exit with 3, too, if a slow-down above the limit is not excluded");
  syntax.Add(kOtherGpu, &args->other_gpu, kOtherGpuHelp);
  syntax.Add("--different-programs", &args->different_programs, kDifferentProgramsHelp);
  AddReportOptions(syntax, *args, TextsOf(kOwnFormats, &OwnFormat::name));
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
