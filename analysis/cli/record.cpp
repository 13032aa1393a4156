// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
#include "analysis/cli/environment.h"
#include "analysis/cli/next_command.h"
#include "analysis/cli/private_folder.h"
#include "analysis/cli/recorded_program.h"
#include "analysis/cli/shell_words.h"
#include "analysis/kernel/recording.h"
#include "analysis/program/name.h"
#include "analysis/program/plan.h"
#include "analysis/program/recording.h"
#include "analysis/program/work.h"
#include "analysis/render/format.h"
#include "analysis/render/plural.h"
#include "analysis/render/printable.h"
#include "analysis/report/run_header.h"
#include "db/new_run_id.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  DatabaseOption db;
  std::string label, names, range, profile = "core";
  int launches = 3;
  bool keep_output = false;
  std::vector<std::string> words;
};

constexpr const char* kNotes =
    "The program runs as it is, once for times and a second time for counters, of\n"
    "which the output is discarded. Kernels that cannot be replayed are skipped (at\n"
    "most 5 reruns). --profile full: once more for each of up to 8 kernels (then\n"
    "further grids and blocks of them), and once to sample instructions, which\n"
    "--profile lines does alone. Kernels that -k names, or that have 95 % of the time,\n"
    "get exact counts however long that takes; others only within a minute. Samples\n"
    "of a kernel stand with that of its launches which has most time.\n"
    "A signal between two executions ends it; what was recorded is kept.\n"
    "An execution for counters that hangs is ended, and may leave the program's files\n"
    "half-written: --profile none runs it once. Its input, output and signals are its\n"
    "own. See docs/programs.md.\n"
    "\n"
    "Exit status\n"
    "  the program's, 128 + N when signal N ended it or the recording behind it;\n"
    "  127 there is no such program, 126 it cannot be run; 2 it could not be\n"
    "  recorded, and the line above says why";

constexpr const char* kInjectVariable = "CULPRIT_INJECT";
constexpr const char* kLimitVariable = "CULPRIT_COUNTING_LIMIT";
constexpr const char* kCudaInjection = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";
constexpr const char* kLibrary = "libculprit_inject.so";

// --- what is there before the program runs ---

fs::path OwnFolder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

// Beside the command: as it is installed, and as it is built.
fs::path InjectedLibrary() {
  std::error_code ignored;
  if (const auto named = Variable(kInjectVariable)) {
    if (fs::is_regular_file(*named, ignored)) return fs::absolute(*named, ignored);
    throw Error(fmt::format("{} names {}, which is no file: name {}, or unset it.", kInjectVariable, *named, kLibrary));
  }
  for (const char* folder : {"../lib", "../lib64", "../lib/culprit", ".", "../profiler", "../profiler/inject"})
    if (const fs::path file = OwnFolder() / folder / kLibrary; fs::is_regular_file(file, ignored))
      return fs::canonical(file, ignored);
  throw Error(
      fmt::format("cannot find {} beside {}: the package of the reading half has none, install the bundle "
                  "(README), or name the file in {}.",
                  kLibrary, (OwnFolder() / "culprit").string(), kInjectVariable));
}

void RefuseOtherProfiler() {
  for (const char* variable : {kCudaInjection, kNvtxInjection})
    if (const auto value = Variable(variable))
      throw Error(fmt::format("{} names {}: another profiler watches this program, and CUDA takes one; unset it.",
                              variable, *value));
}

std::optional<NamePattern> NamesOf(const Arguments& args) {
  if (args.names.empty()) return std::nullopt;
  return NamePattern("-k", args.names);
}

// Of each execution that counts; none: what its plan says.
std::optional<double> OwnLimitS() { return SecondsIn(kLimitVariable, "that an execution for counters may take"); }

class Descriptor {
 public:
  Descriptor(const fs::path& file, int flags) : descriptor_(open(file.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string WholeText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// --- the two executions ---

struct Execution {
  std::vector<ProcessTrace> traces;
  ProgramEnd end;
};

Execution Execute(const Arguments& args, const fs::path& library, const TracePlan& plan, const PrivateFolder& folder,
                  const OtherStreams& streams = {}, std::optional<double> limit_s = {}) {
  WritePlan(folder.path(), plan);
  std::optional<TimeLimit> limit;
  if (limit_s) limit = {*limit_s, folder.path()};
  Execution execution;
  execution.end = RunAsItIs(args.words,
                            {{kCudaInjection, library.string()},
                             {kNvtxInjection, library.string()},
                             {kTraceFolderVariable, folder.path().string()}},
                            streams, limit);
  if (execution.end.not_started.empty()) execution.traces = ReadTraces(folder.path());
  return execution;
}

struct Counted {
  std::vector<ProcessTrace> traces;
  double wall_us = 0;
  std::string missing = "the second execution did not launch it as the first did";
  std::vector<Warning> warnings;
  bool hung = false;  // the last execution: another one would, too
};

// A kernel that does not come back ends the program that launched it: so often it is run again, without that kernel.
constexpr int kMostExecutions = 6;

double LimitS(const TracePlan& plan, const ProgramRecord& timed) {
  return OwnLimitS().value_or(CountingLimitS(plan, *timed.wall_us / 1e6));
}

std::string DidNotEnd(double limit_s) {
  return fmt::format("did not end within {} and was ended", Format(limit_s * 1e6, Unit::kTimeUs));
}

Counted Count(const Arguments& args, const fs::path& library, TracePlan plan, const ProgramRecord& timed,
              InputAgain& input_again, Streams& streams) {
  const int usual_status = *timed.exit_status;
  Counted counted;
  for (int execution = 0; execution < kMostExecutions; ++execution) {
    streams.err << (execution == 0
                        ? fmt::format("culprit: running the program a second time, to read counters of {}{}\n",
                                      Plural(plan.kernels.size(), "kernel"),
                                      args.keep_output ? "" : " (its output is discarded)")
                        : "culprit: running it again, without the kernel that could not be replayed\n")
                << std::flush;
    const PrivateFolder folder;
    const Descriptor nowhere("/dev/null", O_RDWR), errors(folder.path() / "stderr", O_WRONLY | O_CREAT);
    const int input = input_again.Descriptor().value_or(nowhere.get());
    const OtherStreams other =
        args.keep_output ? OtherStreams{input, -1, -1} : OtherStreams{input, nowhere.get(), errors.get()};
    const double limit_s = LimitS(plan, timed);
    Execution run = Execute(args, library, plan, folder, other, limit_s);
    const ProgramEnd& end = run.end;
    counted.wall_us += end.wall_us;
    const std::optional<TracePlan> again = PlanAgain(plan, run.traces);
    std::ranges::move(run.traces, std::back_inserter(counted.traces));
    if (SignalsPassedOn::Received() != 0) {
      counted.missing = "the second execution was stopped by a signal before it came to it";
      counted.warnings.push_back({"counting_stopped", "a signal stopped the execution that reads counters."});
      break;
    }
    if (end.was_ended)
      counted.warnings.push_back(
          {"counting_ended", fmt::format("the execution that reads counters {}.", DidNotEnd(limit_s))});
    if (again) {
      plan = *again;
      continue;
    }
    if (end.was_ended) {
      counted.hung = true;
      counted.missing = fmt::format("the second execution {} before it came to it", DidNotEnd(limit_s));
      streams.err << WholeText(folder.path() / "stderr");
      break;
    }
    if (end.not_started.empty() && end.status == usual_status) break;
    const std::string how = end.not_started.empty() ? fmt::format("ended with status {}", end.status)
                                                    : "could not be started: " + end.not_started;
    counted.missing = fmt::format("the second execution {} before it came to it", how);
    counted.warnings.push_back(
        {"counting_failed", fmt::format("the execution that reads counters {}, the timed one with "
                                        "{}: counters are there as far as it came.",
                                        how, usual_status)});
    streams.err << WholeText(folder.path() / "stderr");
    break;
  }
  for (const ProcessTrace& trace : counted.traces)
    for (const Warning& warning : trace.warnings) counted.warnings.push_back(warning);
  return counted;
}

// --- what is said at the end ---

std::string Percent(double part, double whole) { return Format(whole > 0 ? 100 * part / whole : 0, Unit::kPercent); }

std::string DatabaseWords(const Arguments& args) {
  const bool is_usual = args.db.File() == Variable("CULPRIT_DB").value_or("culprit.db");
  return is_usual ? "" : " --db " + ShellWord(args.db.File());
}

void Say(std::string_view line, Streams& streams) { streams.err << "culprit: " << Printable(line) << '\n'; }

void Summarise(const Arguments& args, const Database& database, const RunRecord& run, const TimedProgram& timed,
               Streams& streams) {
  const ProgramRecord& program = timed.program;
  const double work_us = WorkUs(program).value_or(0);  // not there where nothing was timed: no line divides by it
  std::string head = fmt::format("recorded run {}: {}", RunName(run), Plural(timed.kernels.size(), "kernel"));
  if (program.span_us)
    head +=
        fmt::format(", {} of work on {}, idle {} of {}", Format(work_us, Unit::kTimeUs),
                    program.gpus == 1 ? "the GPU" : fmt::format("{} GPUs", program.gpus),
                    Percent(program.idle_us.value_or(0), *program.span_us), Format(*program.span_us, Unit::kTimeUs));
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
  Say("next: " + NextCommand(database, run, args.words, db), streams);
}

void SayWarnings(const std::vector<Warning>& warnings, Streams& streams) {
  std::set<std::string> said;
  for (const Warning& warning : warnings)
    if (said.insert(warning.text).second) Say("warning: " + warning.text, streams);
}

// One line: `culprit ab` quotes the last one.
std::string WhyNoGpu(const std::string& program) {
  std::error_code ignored;
  const bool has_driver = fs::exists("/proc/driver/nvidia/version", ignored) || fs::exists("/dev/dxg", ignored);  // WSL
  return fmt::format(
      "no GPU work of {} was seen, so nothing was recorded.{} Either it did none through CUDA, or a process did it "
      "that "
      "culprit cannot follow: in a container, behind sudo or ssh, in a server that ran already, or forked after CUDA "
      "was "
      "first used. Child processes and a statically linked CUDA runtime are followed.",
      program, has_driver ? "" : " This machine has no NVIDIA driver loaded (try nvidia-smi).");
}

// Nothing that could be stored.
void SayNothingRecorded(const Arguments& args, const Execution& execution, const TimedProgram& timed,
                        Streams& streams) {
  SayWarnings(timed.warnings, streams);
  if (execution.end.signal != 0) {
    Say(fmt::format("signal {} came while {} ran, before any GPU work of it was known: nothing was recorded.",
                    execution.end.signal, args.words.front()),
        streams);
    streams.exit_status = execution.end.status;
    return;
  }
  constexpr int kCouldNotBeRecorded = 2;
  bool launched = false, cut_short = false;
  for (const ProcessTrace& trace : execution.traces) {
    launched = launched || !trace.launches.empty();
    cut_short = cut_short || (!trace.complete && !trace.devices.empty());  // a device is noted with the first launch
  }
  if (std::ranges::any_of(timed.warnings, [](const Warning& w) { return w.code == kNotRecorded; })) {
    Say(fmt::format("nothing was recorded of {}: the warning above says why.", args.words.front()), streams);
    streams.exit_status = execution.end.status == 0 ? kCouldNotBeRecorded : execution.end.status;
    return;
  }
  if (cut_short && !launched) {
    Say(fmt::format("{} used a GPU and ended, by _exit or a signal, before a time was written: nothing was recorded.",
                    args.words.front()),
        streams);
    streams.exit_status = execution.end.status == 0 ? kCouldNotBeRecorded : execution.end.status;
    return;
  }
  Say(launched ? fmt::format("no launch was made in NVTX range '{}': nothing was recorded.", args.range)
               : WhyNoGpu(args.words.front()),
      streams);
  streams.exit_status = execution.end.status;
}

// --- the command ---

// Counters, where they are wanted and can be had; what is known of them goes into `timed` and the database. False: no
// further execution is worth trying.
bool AddCounts(const Arguments& args, const fs::path& library, const CountingPlan& plan, InputAgain& again,
               Database& database, const StoredProgram& stored, TimedProgram& timed, Streams& streams) {
  Counted counted;
  if (SignalsPassedOn::Received() != 0) {
    counted.missing = "a signal came: the program was not run a second time, to read counters";
    counted.warnings.push_back({"counting_stopped", counted.missing + "."});
  } else if (!again.Descriptor()) {
    counted.missing = "counters need a second execution, and what the first one read from a pipe is gone";
    counted.warnings.push_back({"counting_impossible", counted.missing + ": give the program a file as its input."});
  } else {
    counted = Count(args, library, plan.plan, timed.program, again, streams);
    timed.program.counted_wall_us = counted.wall_us;
  }
  StoreCounts(database, stored, timed, MatchCounts(timed, counted.traces, counted.missing), plan.not_counted);
  std::set<std::pair<std::string, std::string>> known;
  for (const Warning& warning : timed.warnings) known.emplace(warning.code, warning.text);
  for (const Warning& warning : counted.warnings) {
    if (!known.emplace(warning.code, warning.text).second) continue;
    database.StoreWarning(stored.run, std::nullopt, warning);
    timed.warnings.push_back(warning);
  }
  database.StoreProgram(stored.run, timed.program);
  return !counted.hung;
}

// Exact counts of those with most time (--profile full), an execution for each.
void AddExactCounts(const Arguments& args, const fs::path& library, const CountingPlan& counting, InputAgain& again,
                    Database& database, const StoredProgram& stored, TimedProgram& timed, Streams& streams) {
  const TracePlan& plan = counting.plan;
  const std::size_t kernels = counting.exact.size();
  if (SignalsPassedOn::Received() != 0 || kernels == 0 || !again.Descriptor()) return;
  streams.err << (kernels == 1 ? std::string("culprit: running it once more, to read exact counts of one kernel\n")
                               : fmt::format("culprit: running it {} more times, to read exact counts of one kernel "
                                             "each\n",
                                             kernels))
              << std::flush;
  const auto warn = [&](const Warning& warning) {
    database.StoreWarning(stored.run, std::nullopt, warning);
    timed.warnings.push_back(warning);
  };
  std::vector<std::string> failed;
  for (std::size_t k = 0; k < kernels && SignalsPassedOn::Received() == 0; ++k) {
    const PlannedKernel& kernel = plan.kernels[counting.exact[k]];
    TracePlan one{TraceMode::kExact, plan.profile, {kernel}};
    one.kernels.front().nth.resize(1);
    const PrivateFolder folder;
    const Descriptor nowhere("/dev/null", O_RDWR);
    const int input = again.Descriptor().value_or(nowhere.get());
    const double limit_s = LimitS(one, timed.program);
    const Execution run = Execute(args, library, one, folder, {input, nowhere.get(), nowhere.get()}, limit_s);
    timed.program.counted_wall_us = timed.program.counted_wall_us.value_or(0) + run.end.wall_us;
    if (!StoreExactCounts(database, stored, timed, run.traces)) {
      std::string why = "the execution did not come to it";
      for (const ProcessTrace& trace : run.traces)
        for (const CountedLaunch& launch : trace.counted) why = launch.not_counted;
      failed.push_back(fmt::format("{} ({})", ShortName(ReadableName(kernel.symbol)), why));
    }
    if (!run.end.was_ended) continue;
    warn({"counting_ended", fmt::format("the execution that reads exact counts {}: no further one was tried, {} of {} "
                                        "kernels were.",
                                        DidNotEnd(limit_s), k + 1, kernels)});
    break;
  }
  if (!failed.empty()) warn({"exact_counts_failed", fmt::format("no exact counts of {}.", fmt::join(failed, ", "))});
  database.StoreProgram(stored.run, timed.program);
}

// Samples of instructions (--profile full and lines).
void AddSamples(const Arguments& args, const fs::path& library, InputAgain& again, Database& database,
                const StoredProgram& stored, TimedProgram& timed, Streams& streams) {
  const auto warn = [&](const Warning& warning) {
    for (const Warning& known : timed.warnings)
      if (known.code == warning.code && known.text == warning.text) return;
    database.StoreWarning(stored.run, std::nullopt, warning);
    timed.warnings.push_back(warning);
  };
  if (SignalsPassedOn::Received() != 0) return;
  if (!again.Descriptor())
    return warn({"not_sampled",
                 "samples of instructions need an execution of their own, and what the first one read from a pipe is "
                 "gone: give the program a file as its input."});
  streams.err << "culprit: running it once more, to sample instructions\n" << std::flush;
  const PrivateFolder folder;
  const Descriptor nowhere("/dev/null", O_RDWR);
  const TracePlan plan = PlanSampling(timed);
  const double limit_s = LimitS(plan, timed.program);
  const Execution run = Execute(args, library, plan, folder,
                                {again.Descriptor().value_or(nowhere.get()), nowhere.get(), nowhere.get()}, limit_s);
  timed.program.counted_wall_us = timed.program.counted_wall_us.value_or(0) + run.end.wall_us;
  for (const ProcessTrace& trace : run.traces)
    for (const Warning& warning : trace.warnings) warn(warning);
  const StoredSamples samples = StoreSamples(database, stored, timed, run.traces);
  if (run.end.was_ended)
    warn({"sampling_ended", fmt::format("the execution that samples instructions {}: it has no samples, or too few.",
                                        DidNotEnd(limit_s))});
  else if (samples.stored == 0)
    warn({"not_sampled", fmt::format("the execution that samples instructions ended with status {} and gave no samples "
                                     "(a program that ends by _exit or a signal gives none).",
                                     run.end.status)});
  if (samples.of_no_kernel > 0)
    warn({"samples_of_no_kernel",
          fmt::format("{} of {} samples are of functions that kernels call: they belong to no kernel here.",
                      samples.of_no_kernel, samples.stored + samples.of_no_kernel)});
  database.StoreProgram(stored.run, timed.program);
}

// A file that is there is opened before the program runs, so that it does not run in vain; and so is one that cannot be
// made, which says why. What can be made is made when there is something to store.
std::optional<Database> OpenUnlessNew(const fs::path& file) {
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const bool can_be_made = fs::symlink_status(file, error).type() == fs::file_type::not_found &&
                           fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0;
  return can_be_made ? std::nullopt : std::optional(Database::OpenForRecording(file));
}

void Run(const Arguments& args, Streams& streams) {
  if (args.words.empty()) throw Error("record needs a program to run: culprit record -- ./my_program its arguments.");
  const CountingWishes wishes{args.profile, NamesOf(args), args.range, args.launches};
  RefuseOtherProfiler();
  OwnLimitS();
  const fs::path library = InjectedLibrary();
  std::optional<Database> opened = OpenUnlessNew(args.db.File());
  RunRecord run;
  run.uuid = NewUuid();
  run.started_utc = NowUtc();
  run.label = args.label;
  run.command_line = ShellLine(args.words);
  run.profile = args.profile == "lines" ? "none" : args.profile;  // of counters

  const SignalsPassedOn signals;
  InputAgain again;
  TimedProgram timed;
  int while_timed = 0;  // the signal that came
  {
    const PrivateFolder folder;
    const Execution execution = Execute(args, library, {TraceMode::kTime, args.profile, {}}, folder);
    while_timed = execution.end.signal;
    if (!execution.end.not_started.empty()) {
      Say(fmt::format("cannot run {}: {}.", args.words.front(), execution.end.not_started), streams);
      streams.exit_status = execution.end.status;
      return;
    }
    timed = ReadTimed(execution.traces, args.range);
    timed.program.exit_status = execution.end.status;
    timed.program.wall_us = execution.end.wall_us;
    if (!timed.UsedGpu()) return SayNothingRecorded(args, execution, timed, streams);
    streams.exit_status = execution.end.status;
  }
  if (!opened) opened = Database::OpenForRecording(args.db.File());
  Database& database = *opened;
  const bool samples = (args.profile == "full" || args.profile == "lines") && !timed.classes.empty();
  const bool counts = run.profile != "none" && !timed.classes.empty();
  const CountingPlan plan =
      counts ? PlanCounting(timed, wishes) : CountingPlan{{}, std::vector<std::string>(timed.classes.size()), {}};
  const StoredProgram stored = StoreTimed(database, run, timed, plan.not_counted);
  bool goes_on = true;
  if (counts && plan.plan.kernels.empty())
    timed.warnings.push_back(
        {"no_kernel_named", fmt::format("no kernel's name has '{}': none was counted.", args.names)});
  else if (counts)
    goes_on = AddCounts(args, library, plan, again, database, stored, timed, streams);
  if (args.profile == "full" && goes_on) AddExactCounts(args, library, plan, again, database, stored, timed, streams);
  if (samples && goes_on) AddSamples(args, library, again, database, stored, timed, streams);
  database.FinishRun(stored.run);
  SayWarnings(timed.warnings, streams);
  Summarise(args, database, run, timed, streams);
  // What the program did with a signal is its own; later ones ended the recording.
  if (while_timed == 0 && SignalsPassedOn::Received() != 0) streams.exit_status = 128 + SignalsPassedOn::Received();
}

}  // namespace

Action AddRecord(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("COMMAND", &args->words, "the program and its arguments; behind -- where it begins with a -",
             {.value = "PROGRAM", .rest = true});
  AddDatabaseOption(syntax, args->db);
  syntax.Add("--label", &args->label, "what the run is called", {.value = "TEXT"});
  syntax.Add(
      "-k,--kernels", &args->names,
      "read counters of kernels whose name has this (RE2's syntax), and of no others (default: of those with most "
      "time)",
      {.value = "REGEX", .not_empty = true});
  syntax.Add("--nvtx", &args->range, "record only launches in NVTX ranges of this name",
             {.value = "RANGE", .not_empty = true});
  syntax.Add("--launches", &args->launches, "read counters of so many launches of each kernel (default: 3)",
             {.value = "N", .least = 1, .most = 1000});
  syntax.Add("--profile", &args->profile,
             "none, core or full: which counters (default: core); lines: samples of instructions alone",
             {.value = "SET", .among = {"none", "core", "full", "lines"}});
  syntax.Add("--keep-output-of-counting", &args->keep_output, "show what the second execution prints, too");
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
