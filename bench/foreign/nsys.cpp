// SPDX-License-Identifier: Apache-2.0
// What Nsight Systems exports: `nsys export --type sqlite REPORT.nsys-rep`. Its documentation has the schema. Tables and
// columns come and go with versions and with what was traced.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/foreign/builder.h"
#include "bench/foreign/nsys_target.h"
#include "bench/foreign/trace_builder.h"
#include "bench/foreign/traces.h"
#include "db/error.h"

namespace culprit {
namespace {

using Row = ForeignSqlite::Row;

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

// A globalTid has the process in these bits, above those of the thread. A globalPid has the thread 0.
constexpr int kThreadBits = 24;
constexpr std::int64_t kThreadMask = (std::int64_t{1} << kThreadBits) - 1;
std::int64_t ProcessOf(std::int64_t global_tid) { return global_tid & ~kThreadMask; }
std::int64_t PidOf(std::int64_t global_pid) { return global_pid >> kThreadBits & kThreadMask; }

// NVTX_EVENTS.eventType of ranges. The latter two come from a text file that nsys was given.
constexpr std::pair<std::int64_t, OpenRanges::Kind> kRanges[] = {{59, OpenRanges::Kind::kPushPop},
                                                                 {60, OpenRanges::Kind::kStartEnd},
                                                                 {70, OpenRanges::Kind::kPushPop},
                                                                 {71, OpenRanges::Kind::kStartEnd}};

// PyTorch numbers its operators in the names of their ranges (emit_nvtx): "aten::mm, seq = 17, op_id = 423".
std::string WithoutNumbers(const std::string& range) {
  return range.substr(0, std::min(range.find(", seq = "), range.find(", op_id = ")));
}

// CUPTI's CUpti_ActivityMemcpyKind.
CopyKind KindOfCopy(std::int64_t kind) {
  switch (kind) {
    case 1:
    case 3:
      return CopyKind::kToDevice;
    case 2:
    case 4:
      return CopyKind::kToHost;
    case 5:
    case 6:
    case 7:
    case 8:
      return CopyKind::kOnDevice;
    case 10:
      return CopyKind::kBetweenDevices;
    default:
      return CopyKind::kOther;
  }
}

class Reader {
 public:
  Reader(std::string_view bytes, const ForeignFile& file) : bytes_(bytes), file_(file), sqlite_(bytes, file.name) {}

  ForeignReport Read() {
    ReadStrings();
    ReadRanges();
    ReadCalls();
    ReadKernels();
    ReadGraphs();
    ReadCopies(kCopies);
    ReadCopies(kSets);
    ReadNames();
    std::vector<ProcessTrace> traces;
    for (auto& [process, builder] : processes_) {
      builder.trace().toolchain = target_.toolchain;
      traces.push_back(builder.Take(ranges_));
    }
    ForeignReport report = ReportOf(ProgramSource::kNsys, std::move(traces), target_.started_ns, bytes_, file_);
    if (!target_.command_line.empty()) report.run.command_line = target_.command_line;
    if (graphs_ > 0)
      report.warnings.push_back(
          {"graphs_whole",
           fmt::format("{} launches of CUDA graphs were traced as a whole, so their kernels are not known; "
                       "nsys profile --cuda-graph-trace=node traces them.",
                       graphs_)});
    return report;
  }

 private:
  TraceBuilder& BuilderOf(std::int64_t process) {
    const auto known = processes_.find(process);
    if (known != processes_.end()) return known->second;
    TraceBuilder& builder = processes_.try_emplace(process, PidOf(process)).first->second;
    for (const auto& [place, device] : target_.devices)
      if (place.first == PidOf(process)) builder.trace().devices[place.second] = device;
    // Older exports do not say which process has which GPU.
    if (builder.trace().devices.empty()) builder.trace().devices = target_.gpus;
    return builder;
  }

  void ReadStrings() {
    constexpr const char* kColumns[] = {"id", "value"};
    sqlite_.ForEach("StringIds", kColumns, [&](Row row) { strings_[WholeIn(row[0], -1)] = TextIn(row[1]); });
  }

  std::string StringOf(const Value& id) const {
    const auto found = strings_.find(WholeIn(id, -1));
    return found == strings_.end() ? "" : found->second;
  }

  void ReadRanges() {
    constexpr const char* kColumns[] = {"start", "end", "eventType", "text", "textId", "globalTid"};
    sqlite_.ForEach("NVTX_EVENTS", kColumns, [&](Row row) {
      const std::int64_t start = WholeIn(row[0], -1), end = WholeIn(row[1], -1), thread = WholeIn(row[5]);
      const auto kind = std::ranges::find(kRanges, WholeIn(row[2]), &std::pair<std::int64_t, OpenRanges::Kind>::first);
      if (kind == std::end(kRanges) || start < 0 || end < start) return;
      std::string text = TextIn(row[3]);
      if (text.empty()) text = StringOf(row[4]);
      text = WithoutNumbers(text);
      if (text.empty()) return;
      // A range from start to end counts for the thread that began it.
      ranges_.Add({ProcessOf(thread), thread & kThreadMask}, start, end, Storable(text), kind->second);
    });
  }

  void ReadCalls() {
    constexpr const char* kColumns[] = {"start", "globalTid", "correlationId"};
    sqlite_.ForEach("CUPTI_ACTIVITY_KIND_RUNTIME", kColumns, [&](Row row) {
      const std::int64_t thread = WholeIn(row[1]), start = WholeIn(row[0], -1);
      if (start < 0 || !calls_.try_emplace({ProcessOf(thread), WholeIn(row[2])}, 0).second) return;
      calls_[{ProcessOf(thread), WholeIn(row[2])}] = ranges_.AddCall({ProcessOf(thread), thread & kThreadMask}, start);
    });
  }

  std::optional<std::size_t> CallOf(std::int64_t process, const Value& correlation) const {
    const auto call = calls_.find({process, WholeIn(correlation)});
    return call == calls_.end() ? std::nullopt : std::optional(call->second);
  }

  int DeviceOf(const Value& cell) const {
    const std::int64_t device = WholeIn(cell);
    if (device < 0 || device > 1'000'000)
      throw Error(fmt::format("{}: device {} is none; nothing was imported", file_.name, device));
    return static_cast<int>(device);
  }

  unsigned Dimension(const Value& cell) const {
    const std::int64_t value = WholeIn(cell, 1);
    if (value < 1 || value > 2147483647)
      throw Error(fmt::format("{}: {} has a grid or block of {}; nothing was imported", file_.name, kKernels, value));
    return static_cast<unsigned>(value);
  }

  void ReadKernels() {
    constexpr const char* kColumns[] = {"start",
                                        "end",
                                        "deviceId",
                                        "contextId",
                                        "streamId",
                                        "correlationId",
                                        "globalPid",
                                        "mangledName",
                                        "demangledName",
                                        "shortName",
                                        "gridX",
                                        "gridY",
                                        "gridZ",
                                        "blockX",
                                        "blockY",
                                        "blockZ",
                                        "dynamicSharedMemory",
                                        "staticSharedMemory",
                                        "registersPerThread",
                                        "graphNodeId"};
    sqlite_.ForEach(kKernels, kColumns, [&](Row row) {
      ForeignKernel kernel;
      TracedLaunch& launch = kernel.launch;
      const std::int64_t process = ProcessOf(WholeIn(row[6]));
      launch.start_ns = WholeIn(row[0], -1);
      launch.end_ns = WholeIn(row[1], -1);
      launch.device = DeviceOf(row[2]);
      launch.context = WholeIn(row[3]);
      launch.stream = WholeIn(row[4]);
      kernel.call = CallOf(process, row[5]);
      // Of these names the first that is there. A file may have mangled names for some kernels only.
      for (const std::size_t name : {7, 8, 9})
        if (kernel.name.empty()) kernel.name = StringOf(row[name]);
      launch.geometry = {Dimension(row[10]),
                         Dimension(row[11]),
                         Dimension(row[12]),
                         Dimension(row[13]),
                         Dimension(row[14]),
                         Dimension(row[15]),
                         static_cast<std::int64_t>(Within(row[16], 1e12))};
      kernel.static_shared_bytes = NumberIn(row[17]) ? std::optional(Within(row[17], 1e12)) : std::nullopt;
      kernel.registers = NumberIn(row[18]) ? std::optional(Within(row[18], 1024)) : std::nullopt;
      launch.from_graph = WholeIn(row[19]) != 0;
      BuilderOf(process).Add(std::move(kernel));
    });
  }

  // A graph that was traced as a whole is one piece of work.
  void ReadGraphs() {
    constexpr const char* kColumns[] = {"start", "end", "deviceId", "streamId", "correlationId", "globalPid"};
    sqlite_.ForEach(kGraphs, kColumns, [&](Row row) {
      ForeignKernel kernel;
      const std::int64_t process = ProcessOf(WholeIn(row[5]));
      kernel.name = "cuda_graph";
      kernel.launch.start_ns = WholeIn(row[0], -1);
      kernel.launch.end_ns = WholeIn(row[1], -1);
      kernel.launch.device = DeviceOf(row[2]);
      kernel.launch.stream = WholeIn(row[3]);
      kernel.launch.from_graph = true;
      kernel.call = CallOf(process, row[4]);
      BuilderOf(process).Add(std::move(kernel));
      ++graphs_;
    });
  }

  void ReadCopies(const char* table) {
    constexpr const char* kColumns[] = {"start", "end", "deviceId", "globalPid", "bytes", "copyKind"};
    sqlite_.ForEach(table, kColumns, [&](Row row) {
      TracedCopy copy;
      copy.kind = table == kSets ? CopyKind::kSet : KindOfCopy(WholeIn(row[5]));
      copy.device = DeviceOf(row[2]);
      copy.bytes = static_cast<std::int64_t>(Within(row[4], 9e15));
      copy.start_ns = WholeIn(row[0], -1);
      copy.end_ns = WholeIn(row[1], -1);
      BuilderOf(ProcessOf(WholeIn(row[3]))).Add(copy);
    });
  }

  // The names of processes are not all of their command lines.
  void ReadNames() {
    constexpr const char* kColumns[] = {"globalPid", "name"};
    sqlite_.ForEach("PROCESSES", kColumns, [&](Row row) {
      const auto process = processes_.find(ProcessOf(WholeIn(row[0])));
      if (process != processes_.end()) process->second.trace().command_line = Storable(TextIn(row[1]));
    });
  }

  using Correlation = std::pair<std::int64_t, std::int64_t>;  // process and number

  std::string_view bytes_;
  const ForeignFile& file_;
  const ForeignSqlite sqlite_;
  const NsysTarget target_ = ReadNsysTarget(sqlite_);
  std::map<std::int64_t, std::string> strings_;
  OpenRanges ranges_;
  std::map<Correlation, std::size_t> calls_;  // the first of each number
  std::map<std::int64_t, TraceBuilder> processes_;
  std::int64_t graphs_ = 0;
};

}  // namespace

bool IsNsysExport(std::string_view bytes, const ForeignFile& file) {
  const ForeignSqlite sqlite(bytes, file.name);
  for (const char* table : {kKernels, kCopies, kSets, kGraphs, "TARGET_INFO_SESSION_START_TIME", "META_DATA_EXPORT"})
    if (sqlite.Has(table)) return true;
  return false;
}

ForeignReport ReadNsysExport(std::string_view bytes, const ForeignFile& file) { return Reader(bytes, file).Read(); }

}  // namespace culprit
