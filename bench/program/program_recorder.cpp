// SPDX-License-Identifier: Apache-2.0
#include "bench/program/program_recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <span>
#include <utility>

#include "analysis/launch/name.h"
#include "analysis/number/format.h"
#include "analysis/number/plural.h"
#include "analysis/number/printable.h"
#include "bench/program/capture_end.h"
#include "bench/program/end_program.h"
#include "bench/program/gpu_health.h"
#include "bench/program/injected_library.h"
#include "bench/program/library_versions.h"
#include "bench/program/pipe.h"
#include "bench/program/private_folder.h"
#include "bench/program/profile.h"
#include "bench/program/recorded_program.h"
#include "bench/program/shell_words.h"
#include "bench/program/stored_program.h"
#include "db/new_run_id.h"
#include "db/sampled_counters.h"
#include "profiler/trace/libraries.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// A kernel that does not come back ends the program that launched it. If counters were asked for, it is run again so
// often, without that kernel.
constexpr int kMostExecutions = 6;
// Of the kernels' time: so much is all of it.
constexpr double kNearlyAll = 0.995;
// From so long on, replaying is announced.
constexpr double kLongS = 30;
constexpr int kCouldNotBeRecorded = 2;
// The launches that are counted are spread over the window, and may come later in another execution. The window closes
// when all have come.
constexpr double kLongerToCount = 2;
// A server may have much to tidy up when its window is over.
constexpr std::chrono::seconds kToShutDown{30};

std::string WholeText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A file that is there is opened before the program runs, so that it does not run in vain. So is one that cannot be
// made, which says why. Any other is made when there is something to store.
std::optional<Database> OpenUnlessNew(const fs::path& file) {
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const bool can_be_made = fs::symlink_status(file, error).type() == fs::file_type::not_found &&
                           fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0;
  return can_be_made ? std::nullopt : std::optional(Database::OpenForRecording(file));
}

// One line: `culprit ab` quotes the last one.
std::string WhyNoGpu(const std::string& program) {
  std::error_code ignored;
  const bool has_driver = fs::exists("/proc/driver/nvidia/version", ignored) || fs::exists("/dev/dxg", ignored);  // WSL
  return fmt::format(
      "no GPU work of {} was seen, so nothing was recorded.{} Either the program did no work through CUDA, or the work "
      "was done by a process that culprit cannot follow: in a container, behind sudo or ssh, in a server that was "
      "already running, or forked after CUDA was first used. culprit can follow child processes and a statically "
      "linked CUDA runtime.",
      program, has_driver ? "" : " This machine has no NVIDIA driver loaded (try nvidia-smi).");
}

struct Execution {
  std::vector<ProcessTrace> traces;
  ProgramEnd end;
  double limit_s = 0;
  std::string errors;  // what it printed to its error stream, where that was not ours

  std::string DidNotEnd() const {
    return fmt::format("did not end within {} and was ended", Format(limit_s * 1e6, Unit::kTimeUs));
  }
};

// What the traces show of why nothing was recorded. ReadTimed takes the traces themselves.
struct Seen {
  bool a_process = false, a_window = false, launched = false;
  bool cut_short = false;  // a process used a GPU, and did not tell its end
};

Seen SeenIn(std::span<const ProcessTrace> traces) {
  Seen seen;
  for (const ProcessTrace& trace : traces) {
    seen.a_process = true;
    seen.a_window = seen.a_window || !trace.windows.empty();
    seen.launched = seen.launched || !trace.launches.empty();
    // A device is noted with the first launch.
    seen.cut_short = seen.cut_short || (!trace.complete && !trace.devices.empty());
  }
  return seen;
}

class Recording {
 public:
  Recording(const RecordingRequest& request, std::ostream& err)
      : request_(request),
        err_(err),
        profile_(ProfileNamed(request.profile.empty() ? kUsualProfile : request.profile)),
        database_(OpenUnlessNew(request.database)) {}

  ~Recording() {
    if (left_) EndLeft();
  }
  Recording(const Recording&) = delete;

  ProgramRecording Record() {
    const SignalsPassedOn signals(request_.leave_running);
    RunRecord run;
    run.uuid = NewUuid();
    run.started_utc = NowUtc();
    run.label = request_.label;
    run.command_line = ShellLine(request_.words);
    TimedProgram timed;
    const ProgramEnd end = Time(timed);
    if (!timed.UsedGpu()) {
      LetGo();
      return {status_};
    }
    if (!database_) database_ = Database::OpenForRecording(request_.database);
    if (request_.profile.empty()) ReplayIfNotSampled(timed);
    const bool has_kernels = !timed.classes.empty(), was_sampled = HasSampledCounters(timed);
    const std::string set(request_.wishes.names ? profile_.set_of_named : profile_.set_of_costliest);
    run.profile = was_sampled ? std::string(kSampledSource) : set.empty() ? "none" : set;
    bool counts = !set.empty() && has_kernels;
    CountingPlan plan;
    plan.not_counted.resize(timed.classes.size());
    if (counts) {
      CountingWishes wishes = request_.wishes;
      wishes.set = set;
      if (unasked_replay_s_ > 0) {
        if (wishes.launches == kUsualLaunches) wishes.launches = 1;
        wishes.most_s = unasked_replay_s_;
      }
      plan = PlanCounting(timed, wishes);
      for (std::string& skipped : plan.skipped) timed.warnings.push_back({"not_replayed", std::move(skipped)});
      counts = !plan.plan.kernels.empty() || plan.skipped.empty();
      if (counts && unasked_replay_s_ > 0)
        Say("some counters were not sampled while most kernels ran, so kernels are also replayed in one more execution "
            "(--profile sampled leaves it out)");
    }
    const bool counts_exactly = counts && set == "full";
    if (was_sampled) NoteWhatHasNoCounters(timed, counts, plan.not_counted);
    const bool lacks_counters = was_sampled && !timed.missed.empty() && (!counts || request_.wishes.names);
    if (lacks_counters) timed.warnings.push_back(NotAllSampled(timed));
    stored_.emplace(*database_, run, std::move(timed), plan.not_counted);
    stored_->StoreVersions(VersionsOfLibraries(libraries_));
    bool goes_on = true;
    if (counts) goes_on = Count(plan);
    if (counts_exactly && goes_on) CountExactly(plan);
    if ((profile_.samples_instructions || counts_exactly) && has_kernels && goes_on) Sample();
    stored_->Finish();
    SayWarnings(stored_->timed().warnings);
    // What the program did with a signal is its own; a later one ended the recording.
    const int signal = SignalsPassedOn::Received();
    if (end.signal == 0 && signal != 0) status_ = 128 + signal;
    LetGo();
    return {status_, run, stored_->timed()};
  }

 private:
  const std::string& Program() const { return request_.words.front(); }
  void Say(std::string_view line) { err_ << "culprit: " << Printable(line) << '\n' << std::flush; }
  void SayWarnings(const std::vector<Warning>& warnings) {
    std::set<std::string> said;
    for (const Warning& warning : warnings)
      if (said.insert(warning.text).second) Say("warning: " + warning.text);
  }

  static bool HasSampledCounters(const TimedProgram& timed) {
    return std::ranges::any_of(timed.classes, [](const LaunchClass& of) { return !of.sampled.empty(); });
  }

  static bool WereCountersRefused(const TimedProgram& timed) {
    return std::ranges::any_of(timed.warnings,
                               [](const Warning& w) { return w.code == kCountersDenied || w.code == kCountersHeld; });
  }

  // For the default profile, where the GPU sampled no counters, or not all. What refuses sampled counters refuses
  // replayed ones, too.
  void ReplayIfNotSampled(const TimedProgram& timed) {
    if (timed.classes.empty()) return;
    if (HasSampledCounters(timed)) {
      // A longer window samples more, and named kernels are replayed anyway.
      if (request_.wishes.names || request_.capture.kind != CaptureKind::kAll) return;
      unasked_replay_s_ = UnaskedReplayS(timed);
      if (unasked_replay_s_ > 0) profile_.set_of_costliest = kWithoutSamples;
      return;
    }
    if (WereCountersRefused(timed)) {
      if (request_.wishes.names) Say("no counters can be read, so -k counts nothing");
      profile_ = ProfileNamed("lines");
      return;
    }
    profile_ = ProfileNamed(request_.wishes.names ? "full" : kWithoutSamples);
    Say("no counters could be sampled while the program ran, so kernels are replayed");
  }

  // Which counters had no turn while kernels ran, and what counts them.
  Warning NotAllSampled(const TimedProgram& timed) const {
    std::vector<std::string> lists;
    for (const MissedKernels& missed : timed.missed) {
      std::string& list = lists.emplace_back(missed.list);
      if (missed.share < kNearlyAll)
        list +=
            fmt::format(" (missing for {} of the kernels' time, as for {})", Format(100 * missed.share, Unit::kPercent),
                        timed.kernels[timed.classes[missed.costliest].kernel].stage);
    }
    const std::string what =
        fmt::format("some counters were not sampled while kernels ran: {}", fmt::join(lists, "; "));
    return {"not_all_sampled",
            request_.wishes.names
                ? fmt::format("{}. They were measured for the kernels that -k names.", what)
                : fmt::format("{}. This counts them for kernels whose names match: culprit record -k REGEX -- {}", what,
                              ShellLine(request_.words))};
  }

  // `not_counted`: by class, why it is not replayed. If it was sampled, it has counters all the same.
  static void NoteWhatHasNoCounters(const TimedProgram& timed, bool replays, std::vector<std::string>& not_counted) {
    for (std::size_t i = 0; i < not_counted.size(); ++i) {
      const LaunchClass& of = timed.classes[i];
      if (!of.sampled.empty())
        not_counted[i].clear();
      else if (!replays || !not_counted[i].empty())
        not_counted[i] = fmt::format("{}: culprit record -k {} counts it",
                                     of.in_records ? "samples did not tell it apart from what ran beside it"
                                                   : "no counters were sampled while it ran",
                                     ShellWord(timed.kernels[of.kernel].stage));
    }
  }

  Execution Execute(TracePlan plan, const PrivateFolder& folder, const OtherStreams& streams = {},
                    const std::optional<TimeLimit>& limit = {}) {
    if (left_) EndLeft();
    plan.ranks = request_.ranks;
    plan.capture = request_.capture;
    if (plan.mode == TraceMode::kCount || plan.mode == TraceMode::kExact) {
      plan.capture.duration_s *= kLongerToCount;
      plan.ends_when_counted = request_.end_when_counted;
    }
    plan.began_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    WritePlan(folder.path(), plan);
    CaptureEnd capture(folder.path(), plan, request_.leave_running);
    Leaving leaving{[&] { return capture.IsOver(); }, request_.leave_running};
    Execution execution;
    execution.end = RunAsItIs(request_.words, library_.VariablesFor(folder.path()), streams, limit, &leaving);
    left_ = std::move(leaving.child);
    if (left_ && !request_.leave_running && (execution.end.signal == 0 || plan.mode != TraceMode::kTime)) {
      EndProgram(left_->pid(), {}, kToShutDown);  // also processes without a trace, as of other ranks
      execution.end.status = ShellStatus(left_->LetGo());
      left_.reset();
    }
    if (execution.end.not_started.empty()) execution.traces = ReadTraces(folder.path());
    return execution;
  }

  // Before the program is started anew, or when nothing more can be recorded.
  void EndLeft() {
    if (request_.leave_running) Say(fmt::format("ending {}, which is started anew", Program()));
    EndProgram(left_->pid(), {}, kToShutDown);
    left_->LetGo();
    left_.reset();
  }

  // A program that was told to end is not left running.
  bool LeavesRunning() const {
    return request_.leave_running && (SignalsPassedOn::Received() == 0 || SignalsPassedOn::Received() == SIGINT);
  }

  // At the end: the program may outlive the recording.
  void LetGo() {
    if (!left_) return;
    if (LeavesRunning()) {
      Say(fmt::format("{} goes on running as process {}; to end it: kill {}", Program(), left_->pid(), left_->pid()));
      left_->LetGo();
      status_ = 0;
    } else {
      Say(fmt::format("the recording has stopped; waiting for {} to end (Ctrl-C again ends it at once)", Program()));
      status_ = ShellStatus(left_->Await());
    }
    left_.reset();
  }

  // Behind the first execution: with the same input, for no longer than `plan` may take, without its output.
  Execution ExecuteAgain(const TracePlan& plan) {
    const PrivateFolder folder;
    const bool counts = plan.mode == TraceMode::kCount;
    const fs::path errors = counts ? folder.path() / "stderr" : "/dev/null";
    const OpenFile nowhere("/dev/null", O_RDWR), err(errors.c_str(), O_WRONLY | O_CREAT);
    const int input = input_again_.Descriptor().value_or(nowhere.get());
    const bool is_shown = (counts && request_.keep_output) || request_.leave_running;
    const double limit_s = library_.limit_s().value_or(CountingLimitS(plan, stored_->timed().execution_us / 1e6));
    Execution execution =
        Execute(plan, folder, is_shown ? OtherStreams{input, -1, -1} : OtherStreams{input, nowhere.get(), err.get()},
                TimeLimit{limit_s, folder.path()});
    execution.limit_s = limit_s;
    if (counts) execution.errors = WholeText(errors);
    stored_->AddTime(execution.end.wall_us);
    return execution;
  }

  // The first execution. `timed` has used no GPU where nothing can be stored; then the reason was said.
  ProgramEnd Time(TimedProgram& timed) {
    const PrivateFolder folder;
    const std::optional<GpuHealth> before = ReadGpuHealth();
    Execution execution = Execute({.mode = TraceMode::kTime,
                                   .profile = std::string(profile_.name),
                                   .samples_counters = profile_.samples_counters},
                                  folder);
    std::optional<GpuHealth> after = before ? ReadGpuHealth() : std::nullopt;
    if (after && execution.end.goes_on) after->processes.clear();  // the program is one of them
    status_ = execution.end.status;
    if (!execution.end.not_started.empty()) {
      Say(fmt::format("cannot run {}: {}.", Program(), execution.end.not_started));
      return execution.end;
    }
    const Seen seen = SeenIn(execution.traces);
    libraries_ = LibrariesIn(folder.path());
    timed = ReadTimed(std::move(execution.traces), request_.wishes.range);
    if (before && after) std::ranges::move(HealthWarnings(*before, *after), std::back_inserter(timed.warnings));
    if (execution.end.goes_on) status_ = 0;
    if (!left_) timed.program.exit_status = execution.end.status;
    timed.program.capture = request_.capture_text;
    timed.execution_us = execution.end.wall_us;
    if (!timed.program.wall_us) timed.program.wall_us = execution.end.wall_us;
    if (!timed.UsedGpu()) SayWhyNothingWasRecorded(execution.end, seen, timed);
    return execution.end;
  }

  void SayWhyNothingWasRecorded(const ProgramEnd& end, const Seen& seen, const TimedProgram& timed) {
    SayWarnings(timed.warnings);
    const bool was_refused =
        std::ranges::any_of(timed.warnings, [](const Warning& w) { return w.code == kNotRecorded; });
    const bool has_window = request_.capture.kind != CaptureKind::kAll;
    if (end.signal != 0) {
      Say(fmt::format("signal {} came while {} ran, before any GPU work of it was known, so nothing was recorded.",
                      end.signal, Program()));
    } else if (was_refused || (seen.cut_short && !seen.launched)) {
      if (status_ == 0) status_ = kCouldNotBeRecorded;
      const std::string what =
          was_refused
              ? "nothing was recorded of {}; the warning above says why."
              : "{} used a GPU and ended, by _exit or a signal, before a time was written, so nothing was recorded.";
      Say(fmt::format(fmt::runtime(what), Program()));
    } else if (!request_.ranks.empty() && !seen.a_process) {
      Say(fmt::format(
          "no process of {} that used a GPU has one of the ranks {}, so nothing was recorded. Ranks are those "
          "that torchrun, MPI or Slurm sets.",
          Program(), fmt::join(request_.ranks, ", ")));
    } else if (has_window && seen.a_process) {
      Say(seen.a_window
              ? fmt::format("{} did no work on a GPU within the window that --capture names, so nothing was recorded. "
                            "Name a later or longer window.",
                            Program())
              : fmt::format("the window that --capture names did not open in {}, so nothing was recorded. Either the "
                            "program ended before, or it has no such range and calls no profiler API.",
                            Program()));
    } else {
      Say(seen.launched
              ? fmt::format("no launch was made in NVTX range '{}', so nothing was recorded.", request_.wishes.range)
              : WhyNoGpu(Program()));
    }
  }

  // False: another execution would hang, too.
  bool Count(const CountingPlan& counting) {
    const TracePlan& plan = counting.plan;
    if (plan.kernels.empty()) {
      stored_->Warn({"no_kernel_named",
                     fmt::format("no kernel's name has '{}', so none was counted.", request_.wishes.names->text())});
      return true;
    }
    std::vector<ProcessTrace> traces;
    std::string missing;
    bool hung = false;
    if (SignalsPassedOn::Received() != 0) {
      missing = "a signal came, so the program was not run a second time to read counters";
      stored_->Warn({"counting_stopped", missing + "."});
    } else if (!input_again_.Descriptor()) {
      missing = "counters need a second execution, but the input that the first one read from a pipe is gone";
      stored_->Warn({"counting_impossible", missing + ": give the program a file as its input."});
    } else {
      if (counting.expected_s >= kLongS)
        Say(
            fmt::format("replaying {}, each launch in several passes, will take about {:.0f} s; Ctrl-C ends it and "
                        "keeps what was counted until then",
                        Plural(plan.kernels.size(), "kernel"), counting.expected_s));
      missing = ExecuteForCounters(plan, traces, hung);
    }
    stored_->AddCounts(traces, missing);
    WarnAsTold(traces);
    stored_->EndPhase();
    return !hung;
  }

  // As often as it takes. Returns why a kernel has no counters where its trace does not say so.
  std::string ExecuteForCounters(TracePlan plan, std::vector<ProcessTrace>& traces, bool& hung) {
    const std::optional<int> usual_status = stored_->timed().program.exit_status;
    const bool asked = !request_.profile.empty() || request_.wishes.names;
    for (int left = asked ? kMostExecutions : 1, i = 0; left > 0; ++i) {
      --left;
      Say(i == 0 ? fmt::format("running the program a second time to read counters of {}{}",
                               Plural(plan.kernels.size(), "kernel"),
                               request_.keep_output ? "" : " (its output is discarded)")
                 : "running it again, without the kernel that could not be replayed");
      Execution run = ExecuteAgain(plan);
      const std::optional<TracePlan> again = PlanAgain(plan, run.traces);
      std::ranges::move(run.traces, std::back_inserter(traces));
      if (SignalsPassedOn::Received() != 0) {
        stored_->Warn({"counting_stopped", "a signal stopped the execution that reads counters."});
        return "a signal stopped the second execution before it launched this kernel";
      }
      if (run.end.was_ended)
        stored_->Warn({"counting_ended", fmt::format("the execution that reads counters {}.", run.DidNotEnd())});
      if (again && left > 0) {
        plan = *again;
        continue;
      }
      if (again) {
        stored_->Warn(
            {"counting_ended",
             "the execution that reads counters ended at a kernel that cannot be replayed, so kernels that it "
             "launches later have no counters; culprit record -k REGEX counts those whose names match."});
        return "the execution that reads counters ended at another kernel, which cannot be replayed";
      }
      const bool has_started = run.end.not_started.empty();
      if (run.end.goes_on || (!run.end.was_ended && has_started && run.end.status == usual_status)) break;
      err_ << run.errors;
      hung = run.end.was_ended;
      const std::string how = hung          ? run.DidNotEnd()
                              : has_started ? fmt::format("ended with status {}", run.end.status)
                                            : "could not be started: " + run.end.not_started;
      if (!hung)
        stored_->Warn(
            {"counting_failed",
             fmt::format(
                 "the execution that reads counters {}, the timed one with {}. Counters read until then are stored.",
                 how, usual_status.value_or(0))});
      return fmt::format("the second execution {} before it launched this kernel", how);
    }
    return "the second execution did not launch it as the first did";
  }

  void WarnAsTold(const std::vector<ProcessTrace>& traces) {
    for (const ProcessTrace& trace : traces)
      for (const Warning& warning : trace.warnings) stored_->Warn(warning);
  }

  // An execution for each kernel.
  void CountExactly(const CountingPlan& counting) {
    const std::size_t kernels = counting.exact.size();
    if (SignalsPassedOn::Received() != 0 || kernels == 0 || !input_again_.Descriptor()) return;
    Say(kernels == 1 ? "running it once more to read exact counts of one kernel"
                     : fmt::format("running it {} more times to read exact counts of one kernel each", kernels));
    std::vector<std::string> failed;
    for (std::size_t k = 0; k < kernels && SignalsPassedOn::Received() == 0; ++k) {
      const PlannedKernel& kernel = counting.plan.kernels[counting.exact[k]];
      TracePlan one{TraceMode::kExact, counting.plan.profile, {kernel}};
      one.kernels.front().nth.resize(1);
      const Execution run = ExecuteAgain(one);
      if (!stored_->AddExactCounts(run.traces)) {
        std::string why = "the execution did not launch this kernel";
        for (const ProcessTrace& trace : run.traces)
          for (const CountedLaunch& launch : trace.counted) why = launch.not_counted;
        failed.push_back(fmt::format("{} ({})", ShortName(ReadableName(kernel.symbol)), why));
      }
      if (!run.end.was_ended) continue;
      stored_->Warn(
          {"counting_ended",
           fmt::format(
               "the execution that reads exact counts {}. No further one was tried. {} of {} kernels were tried.",
               run.DidNotEnd(), k + 1, kernels)});
      break;
    }
    if (!failed.empty())
      stored_->Warn({"exact_counts_failed", fmt::format("no exact counts of {}.", fmt::join(failed, ", "))});
    stored_->EndPhase();
  }

  void Sample() {
    if (SignalsPassedOn::Received() != 0) return;
    if (!input_again_.Descriptor())
      return stored_->Warn({kNotSampled,
                            "samples of instructions need another execution, but the input that the first one read "
                            "from a pipe is gone; give the program a file as its input."});
    Say("running it once more to sample instructions");
    Execution run = ExecuteAgain(PlanSampling(stored_->timed()));
    const AddedSamples samples = stored_->AddSamples(run.traces);
    // What refused counters was said before, and refuses samples of instructions where there are none.
    const bool was_refused = samples.stored == 0 && WereCountersRefused(stored_->timed());
    if (was_refused)
      for (ProcessTrace& trace : run.traces)
        std::erase_if(trace.warnings, [](const Warning& w) { return w.code == kNotSampled; });
    WarnAsTold(run.traces);
    if (run.end.was_ended)
      stored_->Warn(
          {"sampling_ended", fmt::format("the execution that samples instructions {}, so it has no samples or too few.",
                                         run.DidNotEnd())});
    else if (samples.stored == 0 && !was_refused)
      stored_->Warn({kNotSampled, fmt::format("the execution that samples instructions ended with status {} and gave "
                                              "no samples (a program that ends by _exit or a signal gives none).",
                                              run.end.status)});
    if (samples.of_no_kernel > 0)
      stored_->Warn({"samples_of_no_kernel",
                     fmt::format("{} of {} samples are of functions that kernels call. They are assigned to no kernel.",
                                 samples.of_no_kernel, samples.stored + samples.of_no_kernel)});
    stored_->EndPhase();
  }

  const RecordingRequest& request_;
  std::ostream& err_;
  Profile profile_;
  double unasked_replay_s_ = 0;  // 0: none
  const InjectedLibrary library_;
  std::optional<Database> database_;
  InputAgain input_again_;
  std::optional<StoredProgram> stored_;
  std::set<std::string> libraries_;  // that the timed program had loaded
  std::unique_ptr<Child> left_;      // the program of the last execution, which still runs
  int status_ = 0;
};

}  // namespace

ProgramRecording RecordProgram(const RecordingRequest& request, std::ostream& err) {
  return Recording(request, err).Record();
}

}  // namespace culprit
