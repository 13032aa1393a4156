// SPDX-License-Identifier: Apache-2.0
// What the library inside a recorded program tells culprit, and what culprit tells it: text files in a folder that both
// know, one for each process, lines of fields separated by tabs. A last line that was cut off, by a kill or a full
// disk, is left out when read. Other lines that are not what a process writes, or hold a number that a database must
// not hold, are left out too, and counted in a warning.
#pragma once
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "db/code.h"
#include "db/nvtx_range.h"
#include "db/records.h"
#include "db/trace_sums.h"

namespace culprit {

// The environment variable that names the folder; the plan lies in it, and each process writes its trace there.
inline constexpr const char* kTraceFolderVariable = "CULPRIT_TRACE_DIR";
inline constexpr const char* kPlanName = "plan";
inline constexpr const char* kTraceSuffix = ".trace";
// Before the suffix, with its errno: of a trace that could not be written to its end. A name changes on a full disk,
// too.
inline constexpr const char* kTraceTrouble = ".errno";
// Code of the warning that a trace that was read has then.
inline constexpr const char* kTraceCut = "trace_cut";
// Code of the warning that lines of a trace, or all of it, could not be read.
inline constexpr const char* kTraceDamaged = "trace_damaged";

// What launches of a kernel are told apart by, besides the NVTX range.
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

// So many launches and copies of a process are written one by one; what comes later is summed (TraceSums): a program
// that runs for hours fills neither the disk nor the memory of who reads its trace. A line takes some 20 bytes on the
// disk, and 170 in memory while the timeline is shared out.
inline constexpr std::int64_t kMostAlone = 2'000'000;

// Of `like` no stream and no time is known, and of its range and geometry all.
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

// What sampling saw. `about`: the symbol of a program's kernel, or what a benchmark calls its launch.
struct TracedSampling {
  std::string about;
  SamplingRecord sampling;
};

struct TracedDevice {
  std::string uuid;  // tells one GPU from another of its model
  Device device;
};

struct ProcessTrace {
  std::int64_t pid = 0, parent = 0;
  std::string command_line;
  Toolchain toolchain;
  std::map<int, TracedDevice> devices;  // by CUDA's ordinal in that process
  std::vector<std::string> kernels;     // symbols
  std::vector<std::string> ranges;      // "outer/inner"
  // What the code of kernels is; BuildRecord::stage is empty. A symbol may occur twice, with other code.
  std::vector<BuildRecord> builds;
  // By symbol: where the kernel begins in the source, where its module has lines.
  std::map<std::string, std::pair<std::string, int>> places;
  std::vector<TracedLaunch> launches;
  std::vector<TracedCopy> copies;
  // Beyond kMostAlone, block by block. Their ranges are normal.
  std::vector<SummedLaunches> summed_launches;
  std::vector<SummedCopies> summed_copies;
  std::vector<CountedLaunch> counted;
  std::vector<TracedSampling> sampled;
  std::vector<Warning> warnings;
  // By callbacks, outside graphs, with and without a time; 0 where the process ended without telling.
  std::int64_t launches_seen = 0;
  bool complete = false;  // the process ended as processes do, and wrote everything
};

// Code of the warning that an execution was ended because a launch did not come back: the last that it counted.
inline constexpr const char* kDidNotEnd = "did_not_end";

// Code of the warning that a process could not be watched at all, and why.
inline constexpr const char* kNotRecorded = "not_recorded";

inline const std::string& SymbolOf(const ProcessTrace& trace, const CountedLaunch& launch) {
  return trace.kernels[static_cast<std::size_t>(launch.kernel)];
}

// One execution of a program: with times of all launches, hardware counters of some, exact counts of the first that is
// planned, or samples of the instructions of all.
enum class TraceMode { kTime, kCount, kExact, kSample };

struct PlannedKernel {
  std::string symbol;
  LaunchGeometry geometry;
  std::vector<std::int64_t> nth;  // which of its launches are counted, ascending
  double limit_s = 0;             // longer than this no launch is waited for
};

struct TracePlan {
  TraceMode mode = TraceMode::kTime;
  std::string profile = "core";             // "core" | "full": which metrics
  std::vector<PlannedKernel> kernels = {};  // kCount, kExact
  int sampling_period = 14;                 // kSample: 2 to the power of it are the cycles between two samples of an SM
};

void WritePlan(const std::filesystem::path& folder, const TracePlan& plan);
// Throws where there is none, or it is not a plan.
TracePlan ReadPlan(const std::filesystem::path& folder);

// Appends lines. What it keeps in memory goes to the file with Flush, and by itself now and then. Not thread-safe.
class TraceWriter {
  using LaunchKind = std::tuple<int, LaunchGeometry, int, std::int64_t, std::int64_t, int, bool>;

 public:
  // Makes a new file in `folder`. Throws culprit::Error where that cannot be done.
  TraceWriter(const std::filesystem::path& folder, std::int64_t pid, std::int64_t most_alone = kMostAlone);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void Process(std::int64_t pid, std::int64_t parent, std::string_view command_line, const Toolchain& toolchain);
  void AddDevice(int ordinal, const TracedDevice& device);
  // Their number, which launches name: of an equal one it is that of the first.
  int KernelNumber(const std::string& symbol);
  // Beyond the launches that are written one by one, that of its normal range.
  int RangeNumber(const std::string& range);
  void Build(const BuildRecord& build);
  void Place(std::string_view symbol, std::string_view file, int line);
  void Launch(const TracedLaunch& launch);
  void Copy(const TracedCopy& copy);
  // The instructions' metrics are those of its readings.
  void Counted(const CountedLaunch& launch);
  void Sampled(const TracedSampling& sampled);
  void Warn(const Warning& warning);
  void LaunchesSeen(std::int64_t launches);
  void Complete();
  void Flush();

 private:
  int MetricNumber(const MetricDefinition& metric);
  int KindNumber(const TracedLaunch& launch);
  bool IsAlone(int device, std::int64_t end_ns);
  void Sum(TraceSums::Key key, int device, std::int64_t start_ns, std::int64_t end_ns, std::int64_t bytes);
  void CloseSums();
  void Line(std::string_view what, const std::vector<std::string>& fields);

  std::filesystem::path path_;
  int file_ = -1;
  int trouble_ = 0;  // errno: nothing more is written
  std::string buffer_;
  std::map<std::string, int> kernels_, ranges_, metrics_;
  std::map<LaunchKind, int> kinds_;
  std::int64_t last_start_ns_ = 0;  // what launches are written from
  std::int64_t left_alone_;
  TraceSums sums_;
};

// What a process that samples tells its parent without a file: a head, then any of the others, whole lines each. A
// sampling that was not written to its end is left out when read.
std::string TraceHead();
std::string SamplingLines(const TracedSampling& sampled);
std::string WarningLine(const Warning& warning);

// Throws culprit::Error where the file cannot be read or is no trace.
ProcessTrace ReadTrace(const std::filesystem::path& file);
ProcessTrace ParseTrace(std::string_view text, std::string_view name);
// All traces of a folder, by process id and file name. A file that is no trace is one without anything in it.
std::vector<ProcessTrace> ReadTraces(const std::filesystem::path& folder);

}  // namespace culprit
