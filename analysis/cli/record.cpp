// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <set>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
#include "analysis/cli/stage_name.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/launch/recording.h"
#include "analysis/number/format.h"
#include "analysis/number/plural.h"
#include "analysis/number/printable.h"
#include "analysis/show/report/run_header.h"
#include "bench/program/environment.h"
#include "bench/program/profile.h"
#include "bench/program/program_recorder.h"
#include "bench/program/shell_words.h"

namespace culprit {
namespace {

struct Arguments {
  std::string db;
  std::string names, ranks;
  RecordingRequest request;
};

constexpr const char* kNotes =
    "The program runs unmodified. By default it runs twice, and nothing is replayed:\n"
    "while the program is timed, the GPU samples its counters, and the second\n"
    "execution samples instructions with its output discarded. All kernels get\n"
    "counters with their errors, also those of CUDA graphs. This was compared with\n"
    "replay on H100 and H200. All counters are sampled if kernels run for some 2 s.\n"
    "If two or more lists of counters are missing, a program of less than some 4 s\n"
    "runs once more, and its kernels are replayed; --profile sampled leaves that out.\n"
    "On a GPU without sampled counters the second execution replays the kernels with\n"
    "most time.\n"
    "-k NAME also counts these kernels exactly: another execution replays them, and\n"
    "one more for each of up to 8 kernels counts its instructions.\n"
    "\n"
    "--profile core replays kernels to count them, and samples nothing. If a kernel\n"
    "cannot be replayed, the program runs again without it, at most 5 times.\n"
    "--profile full also runs the program once more for each of up to 8 kernels (then\n"
    "for further grids and blocks of these), and once to sample instructions.\n"
    "--profile lines adds only the samples. Kernels that -k names, or that cover 95 %\n"
    "of the time, get exact counts without a time limit. All others share one minute.\n"
    "Samples of a kernel are stored with its launch that takes most time.\n"
    "A signal between two executions ends the recording, and the data recorded so far\n"
    "is kept. If an execution for counters hangs, culprit ends it. This may leave the\n"
    "program's files half-written. --profile counters and none run the program only\n"
    "once. It keeps its own input, output and signals. See docs/programs.md.\n"
    "\n"
    "Servers and long jobs\n"
    "  --capture records a window. Outside of it nothing is recorded and nothing is\n"
    "  counted, and all times that are stored are of the window. When a window with a\n"
    "  duration closes, the program gets SIGTERM, because it would not end by itself\n"
    "  and the next execution starts it anew. With --leave-running the program of the\n"
    "  last execution goes on. Those of the executions before it are ended all the\n"
    "  same: use --profile counters to start the program only once.\n"
    "  The processes of a job are one run, which tells their ranks apart.\n"
    "  Ctrl-C stops the recording and keeps everything that was recorded. The program\n"
    "  gets it, too, unless --leave-running is given. A second Ctrl-C gives up at\n"
    "  once and ends the program.\n"
    "\n"
    "Exit status\n"
    "  The exit status is the program's. It is 128 + N if signal N ended the program\n"
    "  or the recording after it, 127 if there is no such program, and 126 if it\n"
    "  cannot be run. It is 0 if its window was over before it ended, or if it was\n"
    "  left running. It is 2 if the program could not be recorded, and the line\n"
    "  above says why.";

std::string Percent(double part, double whole) { return Format(whole > 0 ? 100 * part / whole : 0, Unit::kPercent); }

std::string DatabaseWords(const Arguments& args) {
  const bool is_usual = args.db == Variable("CULPRIT_DB").value_or("culprit.db");
  return is_usual ? "" : " --db " + ShellWord(args.db);
}

// As --base and --cand take it: its label, which names all executions that have it, unless that means several commands.
std::string NameOf(const Database& database, const RunRecord& run) {
  const std::vector<RunSummary> alike = database.RunsNamed(run.label);
  const bool is_one =
      std::ranges::all_of(alike, [&](const RunSummary& other) { return other.run.command_line == run.command_line; });
  return run.label.empty() || !is_one ? ShortUuid(run) : ShellWord(run.label);
}

// The newest run before `recorded` to hold it against. Whatever else is in the database does not make a recording fail.
std::optional<RunSummary> BaseOf(const Database& database, const RunRecord& recorded) try {
  const std::vector<RunSummary> runs = database.Runs();
  const auto found = std::ranges::find(runs, recorded.uuid, [](const RunSummary& r) { return r.run.uuid; });
  if (found == runs.end()) return std::nullopt;
  const RunSummary& own = *found;
  const std::vector<NamedStage> kernels = StagesNamedIn(database, own.id);
  for (const RunSummary& run : runs) {
    const bool is_same_side = run.id == own.id || (!own.run.label.empty() && run.run.label == own.run.label);
    if (is_same_side || run.state != "complete" || !IsFrom(run.run, ProgramSource::kRecord)) continue;
    if (HaveStageInCommon(kernels, StagesNamedIn(database, run.id))) return run;
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

// What to do after the recording of `run`: "culprit why --base before --cand after" when an earlier run with another
// label launched one of the same kernels; else how to record a second run and compare. `words`: the program and its
// arguments. `db`: " --db FILE" when the file is not the default one.
std::string NextCommand(const Database& database, const RunRecord& run, const std::vector<std::string>& words,
                        const std::string& db) {
  if (const std::optional<RunSummary> base = BaseOf(database, run))
    return fmt::format("culprit why{} --base {} --cand {}", db, NameOf(database, base->run), NameOf(database, run));
  const std::string other = run.label == "after" ? "changed" : "after";
  return fmt::format(
      "change the program, then culprit record{} --label {} -- {}, then culprit why{} --base {} --cand {}", db, other,
      ShellLine(words), db, NameOf(database, run), other);
}

void Say(std::string_view line, Streams& streams) { streams.err << "culprit: " << Printable(line) << '\n'; }

std::vector<int> RanksIn(const ProgramRecord& program) {
  std::set<int> ranks;
  for (const ProgramProcess& process : program.gpu_processes)
    if (process.rank) ranks.insert(*process.rank);
  return {ranks.begin(), ranks.end()};
}

void Summarise(const Arguments& args, const ProgramRecording& recording, Streams& streams) {
  const TimedProgram& timed = recording.timed;
  const ProgramRecord& program = timed.program;
  const double work_us = WorkUs(program).value_or(0);  // not there where nothing was timed: no line divides by it
  std::string head =
      fmt::format("recorded run {}: {}", RunName(*recording.run), Plural(timed.kernels.size(), "kernel"));
  if (program.span_us)
    head +=
        fmt::format(", {} of work on {}, idle {} of {}", Format(work_us, Unit::kTimeUs),
                    program.gpus == 1 ? "the GPU" : fmt::format("{} GPUs", program.gpus),
                    Percent(program.idle_us.value_or(0), *program.span_us), Format(*program.span_us, Unit::kTimeUs));
  if (const std::vector<int> ranks = RanksIn(program); !ranks.empty())
    head += fmt::format("; {} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
  Say(head, streams);
  // Classes of one kernel are one here.
  std::vector<std::pair<double, std::size_t>> shares(timed.kernels.size());
  std::vector<std::int64_t> calls(timed.kernels.size());
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i].second = i;
  for (const LaunchClass& of : timed.classes) shares[of.kernel].first += of.share_us, calls[of.kernel] += of.calls;
  std::ranges::stable_sort(shares, std::greater<>(), [](const auto& share) { return share.first; });
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, shares.size()); ++i) {
    const auto& [share_us, kernel] = shares[i];
    if (calls[kernel] == 0) break;
    Say(fmt::format("  {:>6} {}: {} in {}", Percent(share_us, work_us), timed.kernels[kernel].stage,
                    Format(share_us, Unit::kTimeUs), Plural(calls[kernel], "call")),
        streams);
  }
  const std::string db = DatabaseWords(args);
  if (timed.classes.empty()) return;
  Say(fmt::format("look at it: culprit show {0}{1}, culprit report{1}", timed.kernels[shares.front().second].stage, db),
      streams);
  const Database database = Database::OpenForReading(args.db);
  Say("next: " + NextCommand(database, *recording.run, args.request.words, db), streams);
}

std::vector<int> RanksOf(const std::string& text) {
  std::vector<int> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    const bool is_last = next == end;
    if (error != std::errc() || rank < 0 || (!is_last && (*next != ',' || next + 1 == end)))
      throw Error(fmt::format("--ranks takes ranks with commas between them, as 0,3, not '{}'.", text));
    ranks.push_back(rank);
    at = is_last ? end : next + 1;
  }
  return ranks;
}

void Run(const Arguments& args, Streams& streams) {
  RecordingRequest request = args.request;
  if (request.words.empty())
    throw Error("record needs a program to run: culprit record -- ./my_program its arguments.");
  if (request.end_when_counted && request.leave_running)
    throw Error("--end-when-counted ends the program that --leave-running would let go on: choose one of them.");
  request.database = args.db;
  if (!request.capture_text.empty()) request.capture = ParseCapture(request.capture_text);
  request.ranks = RanksOf(args.ranks);
  if (!args.names.empty()) request.wishes.names.emplace("-k", args.names);
  const ProgramRecording recording = RecordProgram(request, streams.err);
  streams.exit_status = recording.exit_status;
  if (recording.run) Summarise(args, recording, streams);
}

std::vector<std::string> NamesOfProfiles() {
  std::vector<std::string> names;
  for (const Profile& profile : kProfiles) names.emplace_back(profile.name);
  return names;
}

}  // namespace

Action AddRecord(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("COMMAND", &args->request.words,
             "the program and its arguments; put -- before them if they begin with a -",
             {.value = "PROGRAM", .rest = true});
  AddDatabaseOption(syntax, args->db);
  syntax.Add("--label", &args->request.label, "the run's label", {.value = "TEXT"});
  syntax.Add(
      "-k,--kernels", &args->names,
      "also count kernels exactly whose name matches (RE2 syntax); with --profile core or full: count only these",
      {.value = "REGEX", .not_empty = true});
  syntax.Add("--nvtx", &args->request.wishes.range, "record only launches in NVTX ranges of this name",
             {.value = "RANGE", .not_empty = true});
  syntax.Add("--capture", &args->request.capture_text,
             "record only a part of the program: delay:S,duration:S (seconds from its start; one of them is enough), "
             "nvtx:RANGE, or profiler-api (between cudaProfilerStart and cudaProfilerStop)",
             {.value = "WINDOW", .not_empty = true});
  syntax.Add("--ranks", &args->ranks,
             "record only the processes of these ranks (of torchrun, MPI or Slurm); others run untouched",
             {.value = "N,N", .not_empty = true});
  syntax.Add("--leave-running", &args->request.leave_running,
             "let the program go on when its window is over, or when Ctrl-C stops the recording");
  syntax.Add("--end-when-counted", &args->request.end_when_counted,
             "end the program by SIGTERM as soon as all kernels that are replayed were counted: its files may stay "
             "half-written");
  syntax.Add("--launches", &args->request.wishes.launches, "number of launches to count for each kernel (default: 3)",
             {.value = "N", .least = 1, .most = 1000});
  syntax.Add(
      "--profile", &args->request.profile,
      "sampled: counters of all kernels without replay, and samples of instructions (the default where the GPU can do "
      "it); counters: the counters alone, in one execution; core or full: counters by replay (core is the default "
      "elsewhere); lines: only samples of instructions; none: only times",
      {.value = "SET", .among = NamesOfProfiles()});
  syntax.Add("--keep-output-of-counting", &args->request.keep_output,
             "also show the output of the executions that count");
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
