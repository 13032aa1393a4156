// SPDX-License-Identifier: Apache-2.0
// What Nsight Systems exports: `nsys export --type sqlite REPORT.nsys-rep`. Its documentation has the schema. Tables and
// columns come and go with versions and with what was traced.
#include <fmt/format.h>

#include <map>
#include <set>

#include "analysis/launch/machine.h"
#include "bench/foreign/builder.h"
#include "bench/foreign/trace_builder.h"
#include "bench/foreign/traces.h"
#include "db/error.h"
#include "db/foreign_sqlite.h"

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

// NVTX_EVENTS.eventType of a range that a thread pushed and popped.
constexpr std::int64_t kPushPop = 59;

std::optional<double> NumberIn(const Value& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

std::int64_t WholeIn(const Value& cell, std::int64_t otherwise = 0) {
  const auto* whole = std::get_if<std::int64_t>(&cell);
  return whole != nullptr ? *whole : otherwise;
}

std::string TextIn(const Value& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : "";
}

// 0 outside of the range.
double Within(const Value& cell, double most) {
  const double value = NumberIn(cell).value_or(0);
  return value >= 0 && value <= most ? value : 0;
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
    ReadGpus();
    ReadRanges();
    ReadCalls();
    ReadKernels();
    ReadGraphs();
    ReadCopies(kCopies);
    ReadCopies(kSets);
    ReadNames();
    std::vector<ProcessTrace> traces;
    for (auto& [process, builder] : processes_) {
      traces.push_back(builder.Take(ranges_));
    }
    ForeignReport report = ReportOf(ProgramSource::kNsys, std::move(traces), StartedNs(), bytes_, file_);
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
    for (const auto& [place, device] : devices_)
      if (place.first == PidOf(process)) builder.trace().devices[place.second] = device;
    // Older exports do not say which process has which GPU.
    if (builder.trace().devices.empty()) builder.trace().devices = gpus_;
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

  void ReadGpus() {
    constexpr const char* kGpu[] = {"id",
                                    "name",
                                    "chipName",
                                    "computeMajor",
                                    "computeMinor",
                                    "smCount",
                                    "totalMemory",
                                    "l2CacheSize",
                                    "clockRate",
                                    "memoryBandwidth",
                                    "maxShmemPerSm",
                                    "maxRegistersPerSm",
                                    "maxWarpsPerSm",
                                    "maxBlocksPerSm",
                                    "uuid"};
    sqlite_.ForEach("TARGET_INFO_GPU", kGpu, [&](Row row) {
      const std::int64_t id = WholeIn(row[0], -1);
      if (id < 0 || id > 1'000'000) return;
      TracedDevice& gpu = gpus_[static_cast<int>(id)];
      Device& device = gpu.device;
      device.name = Storable(TextIn(row[1]));
      device.chip = Storable(TextIn(row[2]));
      device.cc_major = static_cast<int>(Within(row[3], 1000));
      device.cc_minor = static_cast<int>(Within(row[4], 1000));
      device.sm_count = static_cast<int>(Within(row[5], 1e6));
      device.memory_bytes = static_cast<std::int64_t>(Within(row[6], 1e18));
      device.l2_bytes = static_cast<std::int64_t>(Within(row[7], 1e18));
      device.sm_clock_mhz = Within(row[8], 1e12) / 1e6;  // Hz
      device.dram_bytes_per_s = Within(row[9], 1e18);
      device.shared_bytes_per_sm = static_cast<std::int64_t>(Within(row[10], 1e18));
      device.registers_per_sm = static_cast<std::int64_t>(Within(row[11], 1e18));
      device.max_threads_per_sm = 32 * static_cast<int>(Within(row[12], 1e5));
      device.max_blocks_per_sm = static_cast<int>(Within(row[13], 1e6));
      device.fp32_lanes_per_sm = static_cast<int>(KnownMachine(device).fp32);
      gpu.uuid = Storable(TextIn(row[14]));
    });
    constexpr const char* kDevice[] = {"gpuId", "cudaId", "pid", "uuid"};
    sqlite_.ForEach("TARGET_INFO_CUDA_DEVICE", kDevice, [&](Row row) {
      const std::int64_t gpu = WholeIn(row[0], -1), ordinal = WholeIn(row[1], -1);
      if (gpu < 0 || ordinal < 0 || ordinal > 1'000'000) return;
      const auto known = gpus_.find(static_cast<int>(gpu));
      if (gpu > 1'000'000 || known == gpus_.end()) return;
      TracedDevice device = known->second;
      if (std::string uuid = TextIn(row[3]); !uuid.empty()) device.uuid = Storable(uuid);
      devices_[{WholeIn(row[2]), static_cast<int>(ordinal)}] = std::move(device);
    });
  }

  void ReadRanges() {
    constexpr const char* kColumns[] = {"start", "end", "eventType", "text", "textId", "globalTid"};
    sqlite_.ForEach("NVTX_EVENTS", kColumns, [&](Row row) {
      const std::int64_t start = WholeIn(row[0], -1), end = WholeIn(row[1], -1), thread = WholeIn(row[5]);
      if (WholeIn(row[2]) != kPushPop || start < 0 || end < start) return;
      std::string text = TextIn(row[3]);
      if (text.empty()) text = StringOf(row[4]);
      if (!text.empty()) ranges_.Add({ProcessOf(thread), thread & kThreadMask}, start, end, Storable(text));
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

  // The processes' names are all that the file says of the command line.
  void ReadNames() {
    constexpr const char* kColumns[] = {"globalPid", "name"};
    sqlite_.ForEach("PROCESSES", kColumns, [&](Row row) {
      const auto process = processes_.find(ProcessOf(WholeIn(row[0])));
      if (process != processes_.end()) process->second.trace().command_line = Storable(TextIn(row[1]));
    });
  }

  // When the session began; 0: not stated.
  std::int64_t StartedNs() const {
    constexpr const char* kColumns[] = {"utcEpochNs"};
    std::int64_t started_ns = 0;
    sqlite_.ForEach("TARGET_INFO_SESSION_START_TIME", kColumns, [&](Row row) { started_ns = WholeIn(row[0]); });
    return started_ns;
  }

  using Correlation = std::pair<std::int64_t, std::int64_t>;  // process and number

  std::string_view bytes_;
  const ForeignFile& file_;
  const ForeignSqlite sqlite_;
  std::map<std::int64_t, std::string> strings_;
  std::map<int, TracedDevice> gpus_;                              // by nsys' number
  std::map<std::pair<std::int64_t, int>, TracedDevice> devices_;  // by process id and CUDA's ordinal
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
