// SPDX-License-Identifier: Apache-2.0
// The trace of PyTorch's profiler (Kineto): export_chrome_trace(), tensorboard_trace_handler().
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "analysis/launch/machine.h"
#include "bench/foreign/builder.h"
#include "bench/foreign/chrome_events.h"
#include "bench/foreign/python_frames.h"
#include "bench/foreign/trace_builder.h"
#include "bench/foreign/traces.h"
#include "db/error.h"

namespace culprit {
namespace {

enum class EventKind { kKernel, kCopy, kSet, kCall, kRange, kFunction };

// By "cat". Versions before 2022 used the second name.
constexpr std::pair<std::string_view, EventKind> kKinds[] = {
    {"kernel", EventKind::kKernel},           {"Kernel", EventKind::kKernel},
    {"gpu_memcpy", EventKind::kCopy},         {"Memcpy", EventKind::kCopy},
    {"gpu_memset", EventKind::kSet},          {"Memset", EventKind::kSet},
    {"cuda_runtime", EventKind::kCall},       {"Runtime", EventKind::kCall},
    {"cuda_driver", EventKind::kCall},        {"cpu_op", EventKind::kRange},
    {"Operator", EventKind::kRange},          {"user_annotation", EventKind::kRange},
    {"python_function", EventKind::kFunction}};

// Members of a trace that state the version of a library. PyTorch writes that of NCCL alone, into "distributedInfo". The
// others are there if the program says prof.add_metadata("pytorch_version", torch.__version__).
constexpr std::pair<const char*, const char*> kLibraries[] = {{"pytorch_version", "torch"},
                                                              {"torch_version", "torch"},
                                                              {"triton_version", "triton"},
                                                              {"cudnn_version", "cudnn"},
                                                              {"nccl_version", "nccl"}};

constexpr std::size_t kMostVersion = 100;

bool LaunchesGraph(const std::string& call) {
  return call.starts_with("cudaGraphLaunch") || call.starts_with("cuGraphLaunch");
}

class Reader {
 public:
  explicit Reader(const ForeignFile& file) : file_(file) {}

  ForeignReport Read(std::string_view text) {
    const nlohmann::json document =
        ForEachChromeEvent(text, file_.name, [&](const ChromeEvent& event) { Take(event); });
    TraceBuilder builder(pid_.value_or(0));
    Describe(document, builder.trace());
    for (ForeignKernel& kernel : kernels_) {
      FindCall(kernel);
      builder.Add(std::move(kernel));
    }
    for (const TracedCopy& copy : copies_) builder.Add(copy);
    const auto first_ns = builder.first_ns();
    const auto base_ns = ChromeEvent::NumberIn(document, "baseTimeNanoseconds").value_or(0);
    std::vector<ProcessTrace> traces;
    traces.push_back(builder.Take(ranges_, [&](std::span<const std::size_t> calls) {
      std::vector<PythonFrames::Call> at;
      for (const std::size_t call : calls) at.push_back(places_[call]);
      return frames_.Around(at);
    }));
    ForeignReport report =
        ReportOf(ProgramSource::kPytorch, std::move(traces), StartedNs(base_ns, first_ns), text, file_);
    report.versions = VersionsIn(document);
    return report;
  }

 private:
  struct Call {
    std::size_t number;  // of OpenRanges
    bool is_graph;
  };

  // Times are relative to the base, in versions that state one, else to 1970.
  static std::int64_t StartedNs(double base_ns, std::optional<std::int64_t> first_ns) {
    const double at = base_ns + static_cast<double>(first_ns.value_or(0));
    return at > 0 && at < 9e18 ? static_cast<std::int64_t>(at) : 0;
  }

  void Take(const ChromeEvent& event) {
    const std::string category = event.Text("cat");
    const auto kind = std::ranges::find(kKinds, category, &std::pair<std::string_view, EventKind>::first);
    if (kind == std::end(kKinds) || event.Text("ph") != "X") return;
    switch (kind->second) {
      case EventKind::kKernel:
        return TakeKernel(event);
      case EventKind::kCopy:
        return TakeCopy(event, CopyKindOf(event.Text("name")));
      case EventKind::kSet:
        return TakeCopy(event, CopyKind::kSet);
      case EventKind::kCall:
      case EventKind::kRange:
      case EventKind::kFunction:
        return TakeOfThread(event, kind->second);
    }
  }

  // The number of an operator; -1: none. Versions before 2022 wrote it small at kernels.
  static std::int64_t OperatorOf(const ChromeEvent& event) {
    return event.WholeArgument("External id", event.WholeArgument("external id", -1));
  }

  static int DeviceOf(const ChromeEvent& event) {
    const std::int64_t process = event.Whole("pid", 0);
    const std::int64_t device = event.WholeArgument("device", event.WholeArgument("inDevice", process));
    if (device < 0 || device > 1'000'000) event.Complain("has a device that is none");
    return static_cast<int>(device);
  }

  // A list of three numbers of at least 1; ones where it is missing.
  static std::array<unsigned, 3> DimensionsOf(const ChromeEvent& event, const char* key) {
    std::array<unsigned, 3> dimensions{1, 1, 1};
    const auto list = event.Arguments().find(key);
    if (list == event.Arguments().end()) return dimensions;
    for (std::size_t i = 0; i < 3; ++i) {
      const double value =
          list->is_array() && i < list->size() && (*list)[i].is_number() ? (*list)[i].get<double>() : 0;
      if (!(value >= 1 && value <= 2147483647)) event.Complain(fmt::format("has a {} of less than 1 or too many", key));
      dimensions[i] = static_cast<unsigned>(value);
    }
    return dimensions;
  }

  void TakeKernel(const ChromeEvent& event) {
    ForeignKernel& kernel = kernels_.emplace_back();
    correlations_.push_back(event.WholeArgument("correlation", -1));
    operators_.push_back(OperatorOf(event));
    kernel.name = event.Text("name");
    TracedLaunch& launch = kernel.launch;
    const auto grid = DimensionsOf(event, "grid"), block = DimensionsOf(event, "block");
    // PyTorch states the sum of static and dynamic shared memory.
    const double shared = event.NumberArgument("shared memory").value_or(0);
    if (!(shared >= 0 && shared < 1e12)) event.Complain("has no valid shared memory");
    launch.geometry = {grid[0], grid[1], grid[2], block[0], block[1], block[2], static_cast<std::int64_t>(shared)};
    launch.device = DeviceOf(event);
    launch.context = event.WholeArgument("context", 0);
    launch.stream = event.WholeArgument("stream", event.Whole("tid", 0));
    launch.start_ns = event.StartNs();
    launch.end_ns = event.EndNs();
    kernel.registers = event.NumberArgument("registers per thread");
    if (kernel.registers && !(*kernel.registers >= 0 && *kernel.registers <= 1024)) kernel.registers.reset();
  }

  void TakeCopy(const ChromeEvent& event, CopyKind kind) {
    const double bytes = event.NumberArgument("bytes").value_or(0);
    copies_.push_back({kind, DeviceOf(event), bytes >= 0 && bytes < 9e15 ? static_cast<std::int64_t>(bytes) : 0,
                       event.StartNs(), event.EndNs()});
  }

  void TakeOfThread(const ChromeEvent& event, EventKind kind) {
    const std::int64_t pid = event.Whole("pid", 0), start_ns = event.StartNs(), end_ns = event.EndNs();
    const OpenRanges::Thread thread{pid, event.Whole("tid", 0)};
    if (start_ns < 0 || end_ns < 0) return;
    if (!pid_ && pid >= 0) pid_ = pid;
    if (kind == EventKind::kFunction) return frames_.Add(thread, start_ns, end_ns, event.Text("name"));
    const std::int64_t external = OperatorOf(event);
    if (kind == EventKind::kRange) {
      ranges_.Add(thread, start_ns, end_ns, event.Text("name"));
      if (external >= 0) starts_.try_emplace(external, thread, start_ns);
      return;
    }
    const std::int64_t correlation = event.WholeArgument("correlation", -1);
    if (correlation >= 0)
      calls_.try_emplace(correlation, Call{AddCall(thread, start_ns), LaunchesGraph(event.Text("name"))});
  }

  std::size_t AddCall(const OpenRanges::Thread& thread, std::int64_t at_ns) {
    places_.push_back({thread, at_ns});
    return ranges_.AddCall(thread, at_ns);
  }

  // By the number of the call that launched it. Without that call, by the operator that was running.
  void FindCall(ForeignKernel& kernel) {
    const auto at = static_cast<std::size_t>(&kernel - kernels_.data());
    if (const auto call = calls_.find(correlations_[at]); call != calls_.end()) {
      kernel.call = call->second.number;
      kernel.launch.from_graph = call->second.is_graph;
    } else if (const auto start = starts_.find(operators_[at]); start != starts_.end()) {
      kernel.call = AddCall(start->second.first, start->second.second);
    }
  }

  void Describe(const nlohmann::json& document, ProcessTrace& trace) const {
    const auto version = [&](const char* key) {
      return CudaVersionOf(ChromeEvent::NumberIn(document, key).value_or(0));
    };
    trace.toolchain.cuda_runtime = version("cuda_runtime_version");
    trace.toolchain.cuda_driver_api = version("cuda_driver_version");
    if (const auto cupti = ChromeEvent::NumberIn(document, "cupti_version"); cupti && *cupti > 0 && *cupti < 1e9)
      trace.toolchain.cupti = fmt::format("{:.0f}", *cupti);
    if (const auto info = document.find("distributedInfo"); info != document.end() && info->is_object())
      if (const auto rank = ChromeEvent::NumberIn(*info, "rank"); rank && *rank >= 0 && *rank < 1e9)
        trace.rank = static_cast<int>(*rank);
    const auto devices = document.find("deviceProperties");
    if (devices == document.end() || !devices->is_array()) return;
    const bool is_cuda = !document.contains("hip_runtime_version") && !document.contains("roctracer_version");
    std::set<std::string> models;
    for (const nlohmann::json& properties : *devices) {
      if (!properties.is_object()) continue;
      const auto id = ChromeEvent::NumberIn(properties, "id");
      Device device = DeviceWith(properties, is_cuda);
      if (device.name.empty()) continue;
      models.insert(device.name);
      if (id && *id >= 0 && *id < 1e6) trace.devices[static_cast<int>(*id)].device = std::move(device);
    }
    // ROCm counts the GPUs of kernels from another number. It does not matter which one it is if all are of one model.
    if (models.size() != 1 || trace.devices.empty()) return;
    const TracedDevice any = trace.devices.begin()->second;
    for (const ForeignKernel& kernel : kernels_) trace.devices.try_emplace(kernel.launch.device, any);
    for (const TracedCopy& copy : copies_) trace.devices.try_emplace(copy.device, any);
  }

  static std::vector<LibraryVersion> VersionsIn(const nlohmann::json& document) {
    std::map<std::string, std::string> versions;
    if (const std::string cuda = CudaVersionOf(ChromeEvent::NumberIn(document, "cuda_runtime_version").value_or(0));
        !cuda.empty())
      versions["cuda"] = cuda;
    const auto info = document.find("distributedInfo");
    for (const auto& [key, name] : kLibraries) {
      std::string version = ChromeEvent::TextIn(document, key);
      if (version.empty() && info != document.end() && info->is_object()) version = ChromeEvent::TextIn(*info, key);
      if (!version.empty()) versions.try_emplace(name, Storable(version.substr(0, kMostVersion)));
    }
    std::vector<LibraryVersion> list;
    for (const auto& [name, value] : versions) list.push_back({name, value});
    return list;
  }

  // Compute capabilities of other makers' GPUs are not those of CUDA: their 9.0 is no H100.
  static Device DeviceWith(const nlohmann::json& properties, bool is_cuda) {
    const auto number = [&](const char* key, double most) {
      const double value = ChromeEvent::NumberIn(properties, key).value_or(0);
      return value >= 0 && value <= most ? value : 0;
    };
    Device device;
    device.name = Storable(ChromeEvent::TextIn(properties, "name"));
    if (is_cuda) {
      device.cc_major = static_cast<int>(number("computeMajor", 1000));
      device.cc_minor = static_cast<int>(number("computeMinor", 1000));
    }
    device.sm_count = static_cast<int>(number("numSms", 1e6));
    device.memory_bytes = static_cast<std::int64_t>(number("totalGlobalMem", 1e18));
    device.shared_bytes_per_sm = static_cast<std::int64_t>(number("sharedMemPerMultiprocessor", 1e18));
    device.registers_per_sm = static_cast<std::int64_t>(number("regsPerMultiprocessor", 1e18));
    device.max_threads_per_sm = static_cast<int>(number("maxThreadsPerMultiprocessor", 1e6));
    device.fp32_lanes_per_sm = static_cast<int>(KnownMachine(device).fp32);
    return device;
  }

  const ForeignFile& file_;
  std::vector<ForeignKernel> kernels_;
  std::vector<std::int64_t> correlations_, operators_;  // by kernel
  std::vector<TracedCopy> copies_;
  OpenRanges ranges_;
  std::vector<PythonFrames::Call> places_;  // of the calls, by number
  PythonFrames frames_;
  std::map<std::int64_t, Call> calls_;                                          // by correlation; the first counts
  std::map<std::int64_t, std::pair<OpenRanges::Thread, std::int64_t>> starts_;  // of operators, by external id
  std::optional<std::int64_t> pid_;
};

}  // namespace

ForeignReport ReadPytorchTrace(std::string_view text, const ForeignFile& file) { return Reader(file).Read(text); }

}  // namespace culprit
