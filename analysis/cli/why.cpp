// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/why.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/cli/command.h"
#include "analysis/cli/given_files.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/locate_program.h"
#include "analysis/cli/name_runs.h"
#include "analysis/cli/source_files.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/judge/why/causes_on_lines.h"
#include "analysis/judge/why/sampled_advice.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/launch/recording.h"
#include "analysis/show/report/compare_report.h"
#include "analysis/show/report/line_difference_report.h"
#include "analysis/show/report/phase_section.h"
#include "analysis/show/report/program_why_report.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/version_change.h"
#include "analysis/show/report/why_header.h"
#include "analysis/show/report/why_report.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
  PairWords words;
  std::string source;
  bool all = false, lines = false, metrics = false, different_programs = false;
};

void RequireTimes(const KernelRecord& kernel) {
  if (kernel.launch.state != LaunchState::kOk)
    throw Error(fmt::format(
        "'{}' at {} {} in run {} ({}), so there is no time to explain; name a launch that succeeded.", kernel.stage.id,
        kernel.launch.shape, ToText(kernel.launch.state), ShortUuid(kernel.run.run), kernel.launch.message));
  if (kernel.samples.empty())
    throw Error(fmt::format(
        "'{}' at {} was counted but not timed in run {}; record it with a benchmark, which times before it counts.",
        kernel.stage.id, kernel.launch.shape, ShortUuid(kernel.run.run)));
}

[[noreturn]] void RefuseLines(const Database& database, const KernelRecord& base, const KernelRecord& candidate) {
  const KernelRecord& lacks = LoadSampled(database, base) ? candidate : base;
  throw Error(fmt::format(
      "kernel '{}' has no samples of its instructions in run {}; record it with --profile=lines (or --profile=full).",
      lacks.stage.id, ShortUuid(lacks.run.run)));
}

void RenderProgram(const Database& database, const Arguments& args, Streams& streams) {
  const PairWords& words = args.words;
  if (!args.selector.run.empty() || !args.selector.shape.empty() || !args.selector.gpu.empty() ||
      !args.selector.nvtx.empty() || args.selector.launch > 0)
    throw Error(
        "--run, --shape, --gpu, --nvtx and --launch choose launches of two kernels; name the kernels ('culprit why "
        "BASE CANDIDATE'), or leave these options out and name two runs of a program ('culprit why --base RUN --cand "
        "RUN').");
  if (!args.source.empty())
    throw Error(
        "--source works only when the lines of two kernels are compared; name a kernel of the program ('culprit why "
        "KERNEL --base RUN --cand RUN'), or leave --source out.");
  const ProgramPair runs = FindPrograms(database, words.base_run, words.candidate_run);
  RequireOneProgram(database, MakeSide(runs.base).run, MakeSide(runs.candidate).run, args.different_programs);
  const ProgramExplanation explanation = ExplainProgram(database, runs.base, runs.candidate);
  std::vector<Warning> warnings = database.Warnings(explanation.candidate.run.id);
  if (auto change = VersionChange(database, explanation.base.run.id, explanation.candidate.run.id))
    warnings.push_back(std::move(*change));
  Render(MakeProgramWhyReport(explanation, database.Warnings(explanation.base.run.id), warnings), args.output, streams);
}

bool NamesProgram(const Database& database, const std::string& run) {
  const std::vector<RunSummary> named = database.RunsNamed(run);
  return named.empty() || std::ranges::any_of(named, [](const RunSummary& r) { return r.run.program.has_value(); });
}

// One word is a kernel of two runs: of programs what belongs together there, else that stage in both.
KernelPair FindOneKernel(const Database& database, const Arguments& args) {
  PairWords words = args.words;
  const bool programs = std::ranges::any_of(database.Runs(), [](const RunSummary& r) { return bool(r.run.program); });
  if (words.base_run.empty() != words.candidate_run.empty() || words.base.find('@') != std::string::npos ||
      (words.base_run.empty() && !programs))
    throw Error(
        fmt::format("CANDIDATE is missing; name a second kernel, or two runs ('culprit why {} --base RUN --cand RUN').",
                    words.base.substr(0, words.base.find('@'))));
  if (words.base_run.empty() || (NamesProgram(database, words.base_run) && NamesProgram(database, words.candidate_run)))
    return FindProgramKernel(database, FindPrograms(database, words.base_run, words.candidate_run), words.base,
                             args.selector);
  words.candidate = words.base;
  return FindPair(database, words, args.selector);
}

// Texts of both kernels, each as it was recorded.
struct PairFiles {
  PairFiles(const std::string& folder, const SampledPair& sampled)
      : base(folder, sampled.base->quotes), candidate(folder, sampled.candidate->quotes) {}

  PairSource Source() {
    return {[this](const SourceFrame& line) { return base.At(line); },
            [this](const SourceFrame& line) { return candidate.At(line); }};
  }

  SourceFiles base, candidate;
};

// A run that has counters of both, where nobody named one and the newest has none. Empty: there is no such run.
std::string RunWithCounters(const Database& database, const Arguments& args, const KernelRecord& base,
                            const KernelRecord& candidate) {
  const PairWords& words = args.words;
  const bool is_named = !args.selector.run.empty() || !words.base_run.empty() || !words.candidate_run.empty() ||
                        (words.base + words.candidate).find('@') != std::string::npos;
  if (is_named) return {};
  const Table counted = database.Query(
      "SELECT substr(uuid, 1, 8) FROM run WHERE finished_utc IS NOT NULL AND profile <> 'none' AND 2 = (SELECT "
      "count(DISTINCT key) FROM launch JOIN stage ON stage.id = stage_id WHERE run_id = run.id AND key IN (:base, "
      ":candidate) AND EXISTS (SELECT 1 FROM metric_value WHERE launch_id = launch.id)) ORDER BY started_utc DESC "
      "LIMIT 1",
      {{":base", base.stage.id}, {":candidate", candidate.stage.id}});
  if (counted.rows.empty()) return {};
  return fmt::format("Run {0} has counters of both: culprit why {1}@{0} {2}@{0}.",
                     std::get<std::string>(counted.rows.front().front()), base.stage.id, candidate.stage.id);
}

void RenderPair(const Database& database, const Arguments& args, Streams& streams) {
  auto [base, candidate] =
      args.words.candidate.empty() ? FindOneKernel(database, args) : FindPair(database, args.words, args.selector);
  if (base.id == candidate.id)
    throw Error(
        fmt::format("BASE and CANDIDATE are the same launch, '{}' in run {}; name another kernel, or another run of it "
                    "with --cand-run (see 'culprit runs').",
                    base.stage.id, ShortUuid(base.run.run)));
  if (args.metrics) return Render(MakeCompareReport(base, candidate, args.all), args.output, streams);
  RequireTimes(base);
  RequireTimes(candidate);
  if (auto change = VersionChange(database, base.run.id, candidate.run.id))
    candidate.warnings.push_back(std::move(*change));
  const std::optional<SampledPair> sampled = LoadSamples(database, base, candidate);
  if (args.lines && !sampled) RefuseLines(database, base, candidate);
  ExaminedPair examined;
  const Explanation explanation = Why(Neighbours(database), base, candidate, sampled, &examined);
  LineDifferences lines = sampled ? sampled->lines : LineDifferences();
  PutCausesOnLines(explanation, lines);
  if (args.lines) {
    PairFiles files(args.source, *sampled);
    HoldAgainstLines(lines, examined.advice);
    LeadWithFirstCause(explanation, examined.advice);
    Render(MakeLineDifferenceReport(base, candidate, explanation, lines, examined.advice, files.Source(), args.all),
           args.output, streams);
  } else {
    Report report = MakeWhyReport(base, candidate, explanation, args.all);
    if (std::string counted = explanation.decomposition ? "" : RunWithCounters(database, args, base, candidate);
        !counted.empty())
      report.answer.notes.push_back(std::move(counted));
    if (!explanation.decomposition && sampled && IsDifference(explanation.verdict.speed))
      report.notes.push_back(
          fmt::format("Instructions of both kernels were sampled: culprit why {} {} --lines says on which source lines "
                      "warps waited longer.",
                      InItsRun(base), InItsRun(candidate)));
    // Those who open a page cannot ask for more.
    if (args.output.IsPage() && sampled && IsDifference(explanation.verdict.speed)) {
      PairFiles files(args.source, *sampled);
      AddDifferentLines(base, candidate, lines, files.Source(), report);
    }
    const std::vector<PhaseSide> sides{{"base", &base, database.Profiles(base.id)},
                                       {"candidate", &candidate, database.Profiles(candidate.id)}};
    if (std::optional<Section> phases = args.output.IsPage() ? MakePhaseSection(sides) : std::nullopt)
      report.sections.push_back(std::move(*phases));
    Render(report, args.output, streams);
  }
}

constexpr const char* kNotes =
    "KERNEL@RUN is the kernel in one run. RUN is the run's label or the beginning of\n"
    "its UUID: gather@before. You can leave out the digits after ~. The first letters\n"
    "of the name are enough if no other kernel begins with them. Without --shape, a\n"
    "program's kernel is compared by its launch that takes most time. Two kernels of\n"
    "benchmarks are compared at a shape that both have.\n"
    "\n"
    "Two runs of a program (culprit record)\n"
    "  culprit why                            the newest two of one command\n"
    "  culprit why --base RUN --cand RUN      which kernels, and why\n"
    "  culprit why KERNEL --base RUN --cand RUN\n"
    "                                         one kernel of both\n"
    "  Of two runs, causes are given for at most 6 kernels: those whose calls changed\n"
    "  most, by at least 5 % of the largest part.\n"
    "  RUN may be a part of the command line here. If several runs have the same\n"
    "  label and command line, all of them count, and the one with the median work is\n"
    "  explained. If several commands have the same label, LABEL:WORDS takes the one\n"
    "  that contains WORDS. The program's folder may differ between the two runs.\n"
    "  In place of RUN, a file that 'culprit import' reads: a trace of PyTorch, JAX\n"
    "  or nsys. It is read and not stored. If a run has this name, the run is used.";

}  // namespace

Action AddWhy(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("BASE", &args->words.base, "a kernel, or KERNEL@RUN (default: the newest two runs of a program)",
             {.words = "kernels"});
  syntax.Add("CANDIDATE", &args->words.candidate,
             "a kernel, or KERNEL@RUN; the same kernel as BASE to compare two runs of it", {.words = "kernels"});
  AddReportOptions(syntax, *args);
  AddLaunchSelector(
      syntax, args->selector,
      "the largest square; for a program's kernel, the launch of each side that takes most time; BASE,CAND "
      "names two");
  syntax.Add("--base,--base-run", &args->words.base_run,
             "run of BASE, or the base run of a program; or a file (see below)",
             {.value = "RUN", .not_empty = true, .words = "runs"});
  syntax.Add("--cand,--cand-run", &args->words.candidate_run,
             "run of CANDIDATE, or the candidate run of a program; or a file",
             {.value = "RUN", .not_empty = true, .words = "runs"});
  syntax.Add("--different-programs", &args->different_programs, kDifferentProgramsHelp);
  syntax.Add("--all", &args->all,
             "show where the time went even if the two are equal or the verdict is not clear; with --metrics, also "
             "unchanged metrics");
  syntax.Add("--metrics", &args->metrics, "all metrics of both kernels, the largest change first");
  syntax.Add("--lines", &args->lines, "the source lines that cost more, from samples of instructions",
             {.not_with = "--metrics"});
  AddSourceOption(syntax, args->source);
  syntax.notes = kNotes;
  return [args](Streams& streams) {
    RequireQuotes(args->source, args->lines, args->output);
    if (const char* option = args->lines ? "--lines" : "--metrics";
        (args->lines || args->metrics) && args->words.base.empty())
      throw Error(fmt::format("{0} compares two kernels; name them ('culprit why BASE CANDIDATE {0}').", option));
    args->output.details |= args->metrics && args->all;
    const Database database = OpenWithFiles(args->db, {&args->words.base_run, &args->words.candidate_run}, streams.err);
    if (args->words.base.empty())
      RenderProgram(database, *args, streams);
    else
      RenderPair(database, *args, streams);
  };
}

}  // namespace culprit
