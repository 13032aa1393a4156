// SPDX-License-Identifier: Apache-2.0
// A recorder tells a plan to the processes that measure for it. They tell it a trace. Both are lines of fields separated
// by tabs. A recorded program has them as files in a folder, with a trace for each process; our benchmarks have pipes.
// Readers leave out a last line without its end, and every line that no process writes or that holds a number which a
// database must not hold. A warning counts the latter.
#pragma once
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "db/code.h"
#include "db/nvtx_range.h"
#include "db/records.h"
#include "profiler/trace/capture.h"
#include "profiler/trace/trace_sums.h"

namespace culprit {

// The environment variable that names the folder of the plan and the traces.
inline constexpr const char* kTraceFolderVariable = "CULPRIT_TRACE_DIR";
inline constexpr const char* kPlanName = "plan";
inline constexpr const char* kTraceSuffix = ".trace";
// Stands before the suffix, followed by an errno, when a trace could not be written to its end. Renaming works on a full
// disk, too.
inline constexpr const char* kTraceTrouble = ".errno";
// Codes of warnings: such a trace; a trace with lines that could not be read; an execution that ended because the launch
// that it counted last did not come back; a process that could not be watched.
inline constexpr const char* kTraceCut = "trace_cut";
inline constexpr const char* kTraceDamaged = "trace_damaged";
inline constexpr const char* kDidNotEnd = "did_not_end";
inline constexpr const char* kNotRecorded = "not_recorded";
// Instructions were not sampled.
inline constexpr const char* kNotSampled = "not_sampled";

// What distinguishes launches of a kernel, besides the NVTX range.
struct LaunchGeometry {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  std::int64_t dynamic_shared_bytes = 0;
  auto operator<=>(const LaunchGeometry&) const = default;
};

// A launch with its time. Indices are into the vectors of ProcessTrace.
struct TracedLaunch {
  int kernel = 0;
  LaunchGeometry geometry;
  int device = 0;
  std::int64_t context = 0, stream = 0;
  int range = -1;  // NVTX; -1: none
  bool from_graph = false;
  std::int64_t start_ns = 0, end_ns = 0;  // of one clock for all processes of a machine
};

struct TracedCopy {
  CopyKind kind = CopyKind::kOther;
  int device = 0;
  std::int64_t bytes = 0;
  std::int64_t start_ns = 0, end_ns = 0;
};

// A process writes this many launches and copies one by one and sums the rest (TraceSums). So a program that runs for
// hours fills neither the disk nor the memory of who reads its trace. A line takes some 40 bytes on the disk, and 150 in
// memory while the timeline is shared out.
inline constexpr std::int64_t kMostAlone = 2'000'000;

// `like` has no stream and no time.
struct SummedLaunches {
  TracedLaunch like;
  Summed sum;
};
struct SummedCopies {
  TracedCopy like;
  Summed sum;
};

// A launch with its counters, or why there are none.
struct CountedLaunch {
  int kernel = 0;
  LaunchGeometry geometry;
  int range = -1;
  std::int64_t nth = 0;                              // of its kernel and geometry in this process: 0, 1, ...
  std::vector<Reading> readings = {};                // empty where there are none
  std::vector<InstructionRecord> instructions = {};  // TraceMode::kExact: those worth keeping
  std::string not_counted = {};                      // one sentence
};

// `about`: the symbol of a program's kernel, or a benchmark's name of its launch.
struct TracedSampling {
  std::string about;
  SamplingRecord sampling;
};

// A timed launch of a benchmark.
struct TracedTiming {
  std::string about;    // the name that the benchmark gives the launch
  LaunchRecord record;  // without its stage, which the recorder knows
  std::int64_t kernels = 0;
  std::vector<StaticAttribute> launched;  // of the kernel as CUDA loaded it
  std::vector<Sample> samples;            // the recorder knows their process
};

// What one GPU counted while the program ran (sampled_counters.h). Row r of `values` has the values of all metrics
// between start_ns[r] and end_ns[r], for the whole GPU.
struct TracedCounters {
  int device = 0;
  std::vector<MetricDefinition> metrics;
  std::vector<std::int64_t> start_ns, end_ns;  // ascending
  std::vector<double> values;
};

// Where Python first launched a kernel with this geometry and range. The symbol need not be of a launch that ran, since
// those that are captured into a graph have a stack, too.
struct TracedStack {
  std::string symbol;
  LaunchGeometry geometry;
  std::string range;                // as NormalRange() has it; empty: none
  std::vector<PythonFrame> frames;  // as in ProgramLaunch
};

struct TracedDevice {
  std::string uuid;  // tells one GPU from another of its model
  Device device;
};

// A time in which the window of the capture was open in a process, by the clock of TracedLaunch. What is launched in a
// window may run later, even after the next one opens.
struct TracedWindow {
  std::int64_t open_ns = 0, close_ns = 0;
  // From the first start to the last end of kernels that were launched in it. Equal to the above where there are none, or
  // where the process did not tell.
  std::int64_t first_ns = 0, last_ns = 0;
};

struct ProcessTrace {
  std::int64_t pid = 0, parent = 0;
  std::string command_line;
  std::optional<int> rank;            // in its job, see rank.h
  std::vector<TracedWindow> windows;  // ascending; empty without a capture, or if the window never opened
  Toolchain toolchain;
  std::map<int, TracedDevice> devices;        // by CUDA's ordinal in that process
  std::vector<std::string> kernels;           // symbols
  std::vector<std::string> ranges;            // "outer/inner"
  std::vector<BuildRecord> builds;            // without their stage; a symbol may occur twice, with other code
  std::map<std::string, SourceFrame> places;  // by symbol: where the kernel is in the source, if its module has lines
  std::vector<TracedStack> stacks;
  std::vector<TracedLaunch> launches;
  std::vector<TracedCopy> copies;
  // Beyond kMostAlone, block by block, with ranges as NormalRange() has them.
  std::vector<SummedLaunches> summed_launches;
  std::vector<SummedCopies> summed_copies;
  std::vector<CountedLaunch> counted;
  std::vector<TracedCounters> counters;  // a turn of the hardware's counters each
  std::vector<TracedTiming> timed;
  std::vector<TracedSampling> sampled;
  double counting_s = 0;          // wall time that counting took
  std::int64_t memory_bytes = 0;  // the most memory of a GPU that was seen in use; 0: nobody looked
  std::vector<Warning> warnings;
  // Outside graphs, with and without a time; 0 when the process ended without telling.
  std::int64_t launches_seen = 0;
  std::int64_t peak_bytes = 0;  // of the recorder's buffers in the process, beside CUPTI's; 0: not told
  bool complete = false;        // the process ended normally and wrote everything
};

inline const std::string& SymbolOf(const ProcessTrace& trace, const CountedLaunch& launch) {
  return trace.kernels[static_cast<std::size_t>(launch.kernel)];
}

// What an execution of a program measures: times of all launches, hardware counters of some, exact counts of the first
// planned one, or samples of the instructions of all.
enum class TraceMode { kTime, kCount, kExact, kSample };

struct PlannedKernel {
  std::string symbol;
  LaunchGeometry geometry;
  std::vector<std::int64_t> nth;  // which of its launches are counted, ascending
  double limit_s = 0;             // the longest wait for a launch
};

struct TracePlan {
  TraceMode mode = TraceMode::kTime;
  std::string profile = "core";             // "core" | "full": which metrics
  std::vector<PlannedKernel> kernels = {};  // kCount, kExact
  int sampling_period = 14;                 // kSample: log2 of the cycles between two samples of an SM
  std::vector<std::string> jobs = {};       // launches of a benchmark to count or sample
  bool is_verified = false;                 // kTime: another process has compared the results
  bool samples_counters = false;            // kTime: also sample the GPU's counters
  bool ends_when_counted = false;           // kCount, kExact: each process is done when all its kernels were counted
  Capture capture = {};
  std::vector<int> ranks = {};  // of processes that are recorded; empty: all processes
  std::int64_t began_ns = 0;    // when the program began, by std::chrono::steady_clock
};

// Has no empty line.
std::string PlanText(const TracePlan& plan);
// Throws culprit::Error when it is not a plan.
TracePlan ParsePlan(std::string_view text, std::string_view name);

void WritePlan(const std::filesystem::path& folder, const TracePlan& plan);
// Throws culprit::Error when there is no plan.
TracePlan ReadPlan(const std::filesystem::path& folder);

// Appends lines. Keeps some in memory until Flush, or until they are many. Not thread-safe.
class TraceWriter {
  using LaunchKind = std::tuple<int, LaunchGeometry, int, std::int64_t, std::int64_t, int, bool>;

 public:
  // Makes a new file in `folder`. Throws culprit::Error when that fails.
  TraceWriter(const std::filesystem::path& folder, std::int64_t pid, std::int64_t most_alone = kMostAlone);
  // Writes to a pipe of the caller.
  explicit TraceWriter(int descriptor);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void Process(std::int64_t pid, std::int64_t parent, std::string_view command_line, const Toolchain& toolchain);
  void AddDevice(int ordinal, const TracedDevice& device);
  // The numbers by which launches name a kernel and a range. Beyond kMostAlone a range has the number of its
  // NormalRange().
  int KernelNumber(const std::string& symbol);
  int RangeNumber(const std::string& range);
  void Build(const BuildRecord& build);
  void Place(std::string_view symbol, const SourceFrame& place);
  void Stack(const TracedStack& stack);
  void Launch(const TracedLaunch& launch);
  void Copy(const TracedCopy& copy);
  // Its instructions have the metrics of its readings.
  void Counted(const CountedLaunch& launch);
  void Timed(const TracedTiming& timed);
  // Readers leave it out unless it was written to its end.
  void Sampled(const TracedSampling& sampled);
  // Begins a turn of sampled counters. Returns the number for Record.
  std::int64_t Counters(int device, std::span<const MetricDefinition> metrics);
  void Record(std::int64_t counters, std::int64_t start_ns, std::int64_t end_ns, std::span<const double> values);
  // Whether launches are no longer written one by one.
  bool IsSumming() const { return left_alone_ <= 0; }
  void CountingTook(double seconds);
  void Warn(const Warning& warning);
  void LaunchesSeen(std::int64_t launches);
  void MemoryUsed(std::int64_t bytes);
  void Rank(int rank);
  void OwnMemory(std::int64_t peak_bytes);
  // In turns.
  void WindowOpens(std::int64_t ns);
  void WindowCloses(std::int64_t ns);
  // The work of the n-th window.
  void WindowWorked(std::size_t n, std::int64_t first_ns, std::int64_t last_ns);
  void Complete();
  void Flush();

 private:
  int KindNumber(const TracedLaunch& launch);
  int MetricNumber(const MetricDefinition& metric);
  bool IsAlone(int device, std::int64_t end_ns);
  void Sum(TraceSums::Key key, int device, std::int64_t start_ns, std::int64_t end_ns, std::int64_t bytes);
  void CloseSums();
  void Put(std::string_view line);
  template <class... Values>
  void Line(std::string_view what, const Values&... values);
  template <class Key, class... Values>
  int NumberOf(std::map<Key, int>& known, const Key& key, std::string_view what, const Values&... values);

  std::filesystem::path path_;  // empty: a pipe
  int file_ = -1;
  int trouble_ = 0;  // errno: nothing more is written
  std::string buffer_;
  std::map<std::string, int> kernels_, ranges_, metrics_;
  std::map<LaunchKind, int> kinds_;
  std::int64_t left_alone_;
  std::int64_t counted_ = 0, sampled_ = 0, counters_ = 0;
  TraceSums sums_;
};

// Throws culprit::Error when the file cannot be read or is no trace.
ProcessTrace ReadTrace(const std::filesystem::path& file);
ProcessTrace ParseTrace(std::string_view text, std::string_view name);
// All traces of a folder, by process id and file name. A file that is no trace gives an empty one.
std::vector<ProcessTrace> ReadTraces(const std::filesystem::path& folder);

}  // namespace culprit
