// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
#include "analysis/cli/run_benchmark.h"
#include "analysis/cli/take_turns.h"
#include "analysis/gate/check.h"
#include "analysis/kernel/recording.h"
#include "analysis/report/check_report.h"
#include "analysis/report/run_header.h"
#include "analysis/report/why_json.h"
#include "analysis/report/why_report.h"
#include "analysis/why/why.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  std::string old_program, new_program, profile = "full";
  int processes = 1;
  std::vector<std::string> words;
};

constexpr const char* kNotes =
    "Both programs are linked to culprit::workload and are run one after the other\n"
    "(in turns with --processes) with the words behind --. Kernels are told apart\n"
    "by id and shape: keep both when you change a kernel.";

// A name that no file can have, too long for one, is none that exists.
bool Exists(const std::string& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

std::set<std::string> RunsIn(const std::string& file) {
  std::set<std::string> uuids;
  if (!Exists(file)) return uuids;
  for (const RunSummary& run : Database::OpenForReading(file).Runs()) uuids.insert(run.run.uuid);
  return uuids;
}

// "bench" in the working directory is meant as ./bench; else it is looked for on the PATH.
std::string PathOf(const std::string& program) {
  return program.find('/') == program.npos && Exists(program) ? "./" + program : program;
}

// A program that records, and what it calls its run.
struct Side {
  const std::string& program;
  std::string label;
  int status = 0;
};

std::vector<std::string> WordsOf(const Side& side, const Arguments& args) {
  std::vector<std::string> words{PathOf(side.program),        "--db",    args.db.File(),
                                 "--profile=" + args.profile, "--label", side.label};
  if (args.processes > 1) words.push_back(fmt::format("--processes={}", args.processes));
  words.insert(words.end(), args.words.begin(), args.words.end());
  return words;
}

// The UUID of the run that `side` recorded: it is in `after` and not in `before`.
std::string RunOf(const Side& side, const std::set<std::string>& before, const std::set<std::string>& after,
                  const Arguments& args, Streams& streams) {
  const std::string file = args.db.File();
  std::vector<std::string> added;
  std::ranges::set_difference(after, before, std::back_inserter(added));
  if (added.size() > 1)
    throw Error(fmt::format("{} runs came into {} while {} ran; give versus a file that nobody else writes to.",
                            added.size(), file, side.program));
  if (!added.empty() && side.status != 0)
    Complain(
        fmt::format("{} ended with status {}: the lines above say which kernel failed.", side.program, side.status),
        streams.err);
  if (!added.empty()) return added.front();
  throw Error(fmt::format(
      "{} ended with status {} and recorded no run in {}; link it to culprit::workload (docs/your-kernel.md).",
      side.program, side.status, file));
}

// The UUIDs of the old and the new run.
std::array<std::string, 2> Record(const Arguments& args, Streams& streams) {
  const std::string file = args.db.File();
  Side was{args.old_program, "old: " + args.old_program}, is{args.new_program, "new: " + args.new_program};
  const std::set<std::string> before = RunsIn(file);
  std::set<std::string> with_old;
  const SignalsPassedOn signals;
  if (args.processes > 1) {
    const auto statuses =
        RunInTurns({WordsOf(was, args), WordsOf(is, args)}, args.processes, [&] { with_old = RunsIn(file); });
    was.status = statuses[0], is.status = statuses[1];
    return {RunOf(was, before, with_old, args, streams), RunOf(is, with_old, RunsIn(file), args, streams)};
  }
  was.status = RunProgram(WordsOf(was, args));
  with_old = RunsIn(file);
  std::string first = RunOf(was, before, with_old, args, streams);
  is.status = RunProgram(WordsOf(is, args));
  return {std::move(first), RunOf(is, with_old, RunsIn(file), args, streams)};
}

// A single launch that both timed, of code that changed: there is a why to ask for.
bool IsOne(const Check& check) {
  return check.launches.size() == 1 && check.launches.front().explanation && !check.launches.front().same_program;
}

void Run(const Arguments& args, Streams& streams) {
  std::error_code ignored;
  if (fs::equivalent(PathOf(args.old_program), PathOf(args.new_program), ignored))
    throw Error(
        fmt::format("OLD and NEW are both {}; keep a copy of the old program beside the new one.", args.old_program));
  const auto [was, is] = Record(args, streams);
  const Database database = Database::OpenForReading(args.db.File());
  const RunSummary base = database.FindRun({.run = was}), candidate = database.FindRun({.run = is});
  const std::vector<KernelRecord> from = database.LoadKernels(base.id), to = database.LoadKernels(candidate.id);
  const Neighbours neighbours(database);
  const Check check = MakeCheck(base, from, candidate, to, kUsualLimit,
                                [&](const auto& a, const auto& b) { return Why(neighbours, a.record(), b.record()); });
  if (IsOne(check)) {
    const Explanation why = Why(neighbours, from.front(), to.front());
    if (args.output.IsJson()) return RenderWhyJson(from.front(), to.front(), why, streams.out);
    Report report = MakeWhyReport(from.front(), to.front(), why, true);
    for (const auto* remarks : {&check.launches.front().remarks, &check.caveats})
      report.notes.insert(report.notes.end(), remarks->begin(), remarks->end());
    return Render(report, args.output, streams);
  }
  Report report = MakeCheckReport(check, database.Warnings(base.id), database.Warnings(candidate.id));
  report.notes.push_back(
      fmt::format("One launch in full: culprit why --db {} --base-run {} --cand-run {} ID ID --shape SHAPE.",
                  args.db.File(), ShortUuid(base.run), ShortUuid(candidate.run)));
  Render(report, args.output, streams);
}

}  // namespace

Action AddVersus(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("OLD", &args->old_program, "benchmark program with the old kernel",
             {.value = "PROGRAM", .required = true});
  syntax.Add("NEW", &args->new_program, "the same with the new kernel", {.value = "PROGRAM", .required = true});
  syntax.Add("WORDS", &args->words, "behind --: arguments for both programs");
  syntax.Add("--profile", &args->profile, "core or full (default: full)", {.value = "SET", .among = {"core", "full"}});
  syntax.Add("--processes", &args->processes,
             "let so many processes of either time it, in turns: sees what stays for a process (8 are usual)",
             {.value = "N", .least = 1, .most = 1000});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
