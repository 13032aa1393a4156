// SPDX-License-Identifier: Apache-2.0
// A program that behaves towards culprit as one with the injected library does, without a GPU: it reads the plan and
// writes a trace. What it does besides is told by its arguments, one after the other.
//   print TEXT, print_error TEXT   to standard output, or error
//   echo               standard input to standard output
//   exit N, kill N     at the end: its status, or the signal that it sends itself
//   wait               until a signal comes; SIGTERM ends it with status 9
//   serve FILE         a server: launches replay every 2 ms in a window of the capture, as the injected library would see
//                      it, until SIGTERM. FILE gets the word "serving" when it begins, and "ended" at SIGTERM
//   profile_after N    a server that calls cudaProfilerStart after N launches, and cudaProfilerStop after 2 N
//   ends_after N       a server that ends by itself after N launches when it is timed, and goes on when it is counted
//   deaf               a server that ignores SIGINT
//   hang KERNEL        when counted: the kernel cannot be replayed, and takes the program with it
//   stall MODE         when counted ("count"), or counted exactly ("exact"): waits for ever after 60 launches
//   stall_child FILE   the same in a process of its own, behind one without a trace: both take no notice of SIGTERM,
//   and
//                      their ids go to FILE
//   rare NAME          a kernel of this name in place of "rare"
//   after_end N        the timed one leaves a process behind that sends signal N to the one that started it, once that
//   has
//                      taken note of its end
//   fail N             when counted: it ends with status N before it counts
//   no_gpu, unused     no trace; a trace of nothing
//   watched            another profiler watches it: it cannot be recorded
//   broken             a trace that is none
//   cut                it ends without saying so
//   lists N            the GPU samples its first N lists of counters while the program is timed
//   denied, held       the driver lets nobody read its counters; another tool holds them
//   many N             N launches of gather_rows instead of 100
//   kernels N          so many others, each launched once
//   alone N            so many launches and copies are written one by one, what comes later is summed
//   changed            other code, with which gather_rows takes twice as long
//   memory N           it uses N bytes of the GPU's memory
//   loads FILE         has loaded this library
//   input              fails where standard input is not "words\n"
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "db/sampled_counters.h"
#include "profiler/inject/capture_window.h"
#include "profiler/trace/rank.h"
#include "profiler/trace/trace.h"

namespace {

using namespace culprit;

constexpr const char* kTemplate =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_";
constexpr const char* kMetric = "smsp__inst_executed.sum";

std::map<std::string, std::string> options;

bool Has(const char* option) { return options.contains(option); }
long NumberOf(const char* option, long usual) {
  return Has(option) ? std::strtol(options[option].c_str(), nullptr, 10) : usual;
}

Device Gpu() {
  return {.name = "NVIDIA H200",
          .chip = "GH100",
          .cc_major = 9,
          .cc_minor = 0,
          .sm_count = 132,
          .fp32_lanes_per_sm = 128,
          .sm_clock_mhz = 1980,
          .dram_bytes_per_s = 4.8e12,
          .memory_bytes = 150'000'000'000,
          .l2_bytes = 60'000'000,
          .shared_bytes_per_sm = 233'472,
          .registers_per_sm = 65'536,
          .max_threads_per_sm = 2048,
          .max_blocks_per_sm = 32};
}

const char* Digest() { return Has("changed") ? "fedcba9876543210" : "0123456789abcdef"; }

BuildRecord Build(const char* symbol, double registers) {
  return {
      "",
      "sm_90",
      symbol,
      Digest(),
      {{"registers", "runtime", registers, ReadingStatus::kOk}, {"local_bytes", "runtime", 0.0, ReadingStatus::kOk}}};
}

MachineInstruction Encoded(std::int64_t pc_offset) {
  MachineInstruction instruction;
  instruction.pc_offset = pc_offset;
  instruction.low = static_cast<std::uint64_t>(pc_offset) + 1;
  return instruction;
}

volatile std::sig_atomic_t told_to_end = 0;

// What the injected library does beside a program that launches one kernel again and again.
class Server {
 public:
  explicit Server(const std::filesystem::path& folder)
      : folder_(folder),
        plan_(ReadPlan(folder)),
        writer_(folder, getpid()),
        window_(plan_.capture, CaptureWindow::Clock::time_point(std::chrono::nanoseconds(plan_.began_ns))) {
    writer_.Process(getpid(), getppid(), "fake", {"580.159.04", "13.0", "13.0", "26", "", ""});
    if (const std::optional<int> rank = RankOfThisProcess()) writer_.Rank(*rank);
    if (window_.IsOpen()) Open();
  }

  void Run() {
    const long profiled_after = NumberOf("profile_after", 0);
    const long most = plan_.mode == TraceMode::kTime ? NumberOf("ends_after", -1) : -1;
    for (long i = 0; told_to_end == 0 && i != most; ++i) {
      if (i == profiled_after) Follow(window_.OnProfiler(true));
      if (i == 2 * profiled_after) Follow(window_.OnProfiler(false));
      const bool ends = plan_.ends_when_counted || window_.capture().EndsByItself();
      if (IsCaptureStopped(folder_) || (plan_.mode != TraceMode::kTime && ends && IsDone()))
        Follow(window_.Stop());
      else
        Follow(window_.OnTime(CaptureWindow::Clock::now()));
      if (window_.IsOpen()) Launch();
      if (window_.IsOver()) End();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (window_.IsOpen()) Follow(window_.Stop());
    End();
  }

 private:
  static std::int64_t Now() {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  }
  bool IsDone() const {
    return std::ranges::all_of(plan_.kernels, [this](const PlannedKernel& k) { return k.nth.back() < launches_; });
  }
  void Open() {
    if (!window_.IsWholeProgram()) writer_.WindowOpens(Now());
  }
  void Follow(WindowTurn turn) {
    if (turn == WindowTurn::kOpens) Open();
    if (turn == WindowTurn::kCloses && !window_.IsWholeProgram()) writer_.WindowCloses(Now());
  }
  void Launch() {
    if (launches_ == 0) writer_.AddDevice(0, {"GPU-1", Gpu()});
    const int kernel = writer_.KernelNumber("replay");
    const LaunchGeometry geometry{132, 1, 1, 256, 1, 1, 0};
    constexpr std::int64_t kNs = 500'000;
    if (plan_.mode == TraceMode::kTime) {
      writer_.Launch({kernel, geometry, 0, 1, 7, -1, false, Now() - kNs, Now()});
    } else {
      for (const PlannedKernel& planned : plan_.kernels)
        if (std::ranges::find(planned.nth, launches_) != planned.nth.end())
          writer_.Counted(
              {kernel,
               geometry,
               -1,
               launches_,
               {{{"sm_inst_executed", "range", kMetric, "inst", "instructions of warps"}, 1000.0, ReadingStatus::kOk}},
               {},
               ""});
    }
    ++launches_;
    writer_.Flush();
  }
  void End() {
    if (has_ended_) return;
    has_ended_ = true;
    if (plan_.mode == TraceMode::kTime) writer_.LaunchesSeen(launches_);
    writer_.Complete();
    writer_.Flush();
    NoteCaptured(folder_, getpid());
  }

  const std::filesystem::path folder_;
  const TracePlan plan_;
  TraceWriter writer_;
  CaptureWindow window_;
  std::int64_t launches_ = 0;
  bool has_ended_ = false;
};

class Program {
 public:
  explicit Program(const std::filesystem::path& folder)
      : plan_(ReadPlan(folder)), writer_(folder, getpid(), NumberOf("alone", kMostAlone)) {
    writer_.Process(getpid(), getppid(), "fake", {"580.159.04", "13.0", "13.0", "26", "", ""});
    writer_.AddDevice(0, {"GPU-1", Gpu()});
    writer_.Build(Build("gather_rows", 32));
    writer_.Build(Build(kTemplate, 16));
    writer_.Place("gather_rows", {"src/rows.cu", 17});
    if (Has("memory")) writer_.MemoryUsed(NumberOf("memory", 0));
  }

  void Run() {
    const LaunchGeometry wide{1024, 1, 1, 256, 1, 1, 0}, narrow{64, 1, 1, 256, 1, 1, 0};
    const int rows_us = Has("changed") ? 20 : 10;
    for (long i = 0; i < NumberOf("many", 100); ++i) {
      Launch("gather_rows", wide, "step " + std::to_string(i % 1000) + "/forward", rows_us);
      if (i % 10 == 0) Launch(kTemplate, narrow, "", 5);
      if (i % 50 == 0) Copy(CopyKind::kToDevice, 4096, 3);
      now_ns_ += 1000;
      if (i == 60 && Stalls()) {
        writer_.Flush();
        for (;;) pause();
      }
    }
    loop_end_ns_ = now_ns_;
    for (long i = 0; i < NumberOf("kernels", 0); ++i) Launch(("kernel_" + std::to_string(i)).c_str(), narrow, "", 3);
    Launch("gather_rows", narrow, "", 2);
    Launch(Has("rare") ? options["rare"] : "rare", narrow, "", 1);
    if (plan_.mode == TraceMode::kTime) writer_.LaunchesSeen(seen_);
    if (plan_.samples_counters && Has("denied")) writer_.Warn({kCountersDenied, "no counters were sampled: denied"});
    if (plan_.samples_counters && Has("held")) writer_.Warn({kCountersHeld, "no counters were sampled: held"});
    if (plan_.samples_counters) SampleCounters();
    if (plan_.mode == TraceMode::kSample && Has("not_sampled")) writer_.Warn({"not_sampled", "the driver says no"});
    if (plan_.mode == TraceMode::kSample && !Has("not_sampled"))
      for (const char* symbol : {"gather_rows", "helper"})
        writer_.Sampled({symbol,
                         {1 << plan_.sampling_period,
                          101,
                          60'000,
                          0,
                          {{symbol, 16, "long_scoreboard", 50'000, 45'000}, {symbol, 32, "selected", 10'000, 0}},
                          {{symbol, Digest(), {Encoded(0), Encoded(16), Encoded(32)}}}}});
    if (!Has("cut")) writer_.Complete();
  }

 private:
  bool Stalls() const {
    if (plan_.mode == TraceMode::kTime) return false;
    return Has("stall_child") || (Has("stall") && (options["stall"] == "exact") == (plan_.mode == TraceMode::kExact));
  }

  void Launch(const std::string& symbol, const LaunchGeometry& geometry, const std::string& range, int us) {
    const int kernel = writer_.KernelNumber(symbol), of_range = range.empty() ? -1 : writer_.RangeNumber(range);
    ++seen_;
    const std::int64_t nth = numbers_[{symbol, geometry}]++;
    if (plan_.mode == TraceMode::kTime) {
      writer_.Launch({kernel, geometry, 0, 1, 7, of_range, false, now_ns_, now_ns_ + 1000 * us});
      now_ns_ += 1000 * us;
      return;
    }
    for (const PlannedKernel& planned : plan_.kernels) {
      if (planned.symbol != symbol || planned.geometry != geometry) continue;
      if (std::set<std::int64_t>(planned.nth.begin(), planned.nth.end()).contains(nth))
        Count(symbol, {kernel, geometry, of_range, nth, {}, {}, ""});
    }
  }

  void Count(const std::string& symbol, CountedLaunch launch) {
    if (Has("hang") && options["hang"] == symbol) {
      launch.not_counted = "it did not come back within its limit: it waits for something outside of it";
      writer_.Counted(launch);
      writer_.Warn({kDidNotEnd, "a kernel did not end"});
      writer_.Flush();
      _exit(77);
    }
    if (plan_.mode == TraceMode::kExact) {
      const MetricDefinition exact{"sass_inst", "sass", "smsp__sass_inst_executed", "inst", "instructions of warps"};
      launch.readings = {{exact, 2000.0 + static_cast<double>(launch.nth), ReadingStatus::kOk}};
      launch.instructions = {{symbol, 32, "src/rows.cu", 18, {{"sass_inst", 500.0}}, "LDG"}};
      writer_.Counted(launch);
      return;
    }
    const MetricDefinition metric{"sm_inst_executed", "range", kMetric, "inst", "instructions of warps"};
    launch.readings = {{metric, 1000.0 + static_cast<double>(launch.nth), ReadingStatus::kOk}};
    writer_.Counted(launch);
  }

  // Of a GPU that executes as much in any microsecond. "brief": other lists than the first had no turn after the loop.
  void SampleCounters() {
    constexpr std::int64_t kRecords = 300;
    const std::span<const CounterTurn> lists = CounterTurnsOn(Gpu().chip);
    for (const CounterTurn& list : lists.first(static_cast<std::size_t>(NumberOf("lists", 0)))) {
      std::vector<MetricDefinition> metrics;
      for (const TurnCounter& counter : list.counters) metrics.push_back(SampledMetric(counter.id, counter.name));
      const bool is_brief = Has("brief") && &list != &lists.front();
      const std::int64_t number = writer_.Counters(0, metrics);
      const std::int64_t span_ns = (is_brief ? loop_end_ns_ : now_ns_) - kStartNs;
      for (std::int64_t i = 0; i < kRecords; ++i)
        writer_.Record(number, kStartNs + span_ns * i / kRecords, kStartNs + span_ns * (i + 1) / kRecords,
                       std::vector(metrics.size(), 1000.0));
    }
  }

  void Copy(CopyKind kind, std::int64_t bytes, int us) {
    if (plan_.mode == TraceMode::kTime) writer_.Copy({kind, 0, bytes, now_ns_, now_ns_ + 1000 * us});
    now_ns_ += 1000 * us;
  }

  TracePlan plan_;
  TraceWriter writer_;
  static constexpr std::int64_t kStartNs = 1'700'000'000'000'000'000;
  std::int64_t now_ns_ = kStartNs, loop_end_ns_ = kStartNs, seen_ = 0;
  std::map<std::pair<std::string, LaunchGeometry>, std::int64_t> numbers_;
};

// In a process of its own that nobody waits for.
void SignalAfterEnd(int signal) {
  const pid_t recorder = getppid(), program = getpid();
  if (fork() != 0) return;
  while (kill(program, 0) == 0) usleep(100);  // until it was waited for
  kill(recorder, signal);
  _exit(0);
}

// Two processes below this one, deaf to SIGTERM. False: we are the lower one.
bool Deaf() {
  if (fork() != 0) return true;
  std::signal(SIGTERM, SIG_IGN);
  const pid_t child = fork();
  if (child == 0) return false;
  std::ofstream(options["stall_child"]) << getpid() << ' ' << child << '\n';
  for (;;) pause();
}

}  // namespace

int main(int argc, char** argv) {
  const std::set<std::string> alone = {"echo",  "wait",    "no_gpu", "unused",      "watched", "broken", "cut",
                                       "brief", "changed", "input",  "not_sampled", "deaf",    "denied", "held"};
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    options[option] = alone.contains(option) || i + 1 == argc ? "" : argv[++i];
  }
  if (Has("print")) std::cout << options["print"] << std::endl;
  if (Has("print_error")) std::cerr << options["print_error"] << std::endl;
  if (Has("echo")) std::cout << std::cin.rdbuf() << std::flush;
  if (Has("input") && std::string(std::istreambuf_iterator<char>(std::cin), {}) != "words\n") return 5;
  if (const char* folder = std::getenv(kTraceFolderVariable); folder != nullptr && Has("serve")) {
    std::signal(SIGTERM, [](int) { told_to_end = 1; });
    if (Has("deaf")) std::signal(SIGINT, SIG_IGN);
    const std::vector<int> ranks = ReadPlan(folder).ranks;
    if (!ranks.empty() && std::ranges::find(ranks, RankOfThisProcess()) == ranks.end()) {
      std::ofstream(options["serve"], std::ios::app) << "untouched " << getpid() << std::endl;
      while (told_to_end == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      return 0;
    }
    Server server(folder);
    std::ofstream(options["serve"], std::ios::app) << "serving " << getpid() << std::endl;
    server.Run();
    std::ofstream(options["serve"], std::ios::app) << "ended " << getpid() << std::endl;
    return static_cast<int>(NumberOf("exit", 0));
  }
  if (const char* folder = std::getenv(kTraceFolderVariable); folder != nullptr && !Has("no_gpu")) {
    const bool counting = ReadPlan(folder).mode != TraceMode::kTime;
    if (counting && Has("fail")) {
      std::cerr << "out of memory\n";
      return static_cast<int>(NumberOf("fail", 1));
    }
    if (counting && Has("stall_child") && Deaf()) {
      for (;;) pause();
    }
    if (!counting && Has("after_end")) SignalAfterEnd(static_cast<int>(NumberOf("after_end", SIGTERM)));
    if (Has("broken")) {
      std::ofstream(std::filesystem::path(folder) / "1-0.trace") << "culprit-tr";
    } else if (Has("unused")) {
      TraceWriter writer(folder, getpid());
      if (Has("cut"))
        writer.AddDevice(0, {"GPU-1", Gpu()});
      else
        writer.Complete();
    } else if (Has("watched")) {
      TraceWriter writer(folder, getpid());
      writer.Warn({kNotRecorded, "another tool uses CUPTI"});
      writer.Complete();
    } else {
      Program(folder).Run();
      // As NoteLibraries does.
      if (Has("loads"))
        std::ofstream(std::filesystem::path(folder) / (std::to_string(getpid()) + ".libraries")) << options["loads"];
    }
  }
  if (Has("wait")) {
    std::signal(SIGTERM, [](int) { _exit(9); });
    std::cout << "waiting" << std::endl;
    for (;;) pause();
  }
  if (Has("kill")) std::raise(static_cast<int>(NumberOf("kill", SIGTERM)));
  return static_cast<int>(NumberOf("exit", 0));
}
