// SPDX-License-Identifier: Apache-2.0
// The trace of JAX's profiler: *.trace.json.gz and perfetto_trace.json.gz, which jax.profiler.trace() writes.
#include <fmt/format.h>
#include <re2/re2.h>

#include <map>
#include <set>

#include "bench/foreign/chrome_events.h"
#include "bench/foreign/trace_builder.h"
#include "bench/foreign/traces.h"
#include "db/error.h"

namespace culprit {
namespace {

// "jit(step)/dot_general:..." ends at its colon; "::" is part of a name.
std::size_t SingleColon(std::string_view text) {
  std::size_t at = text.find(':');
  while (at < text.size() && text.substr(at + 1).starts_with(':')) at = text.find(':', at + 2);
  return at;
}

class Reader {
 public:
  explicit Reader(const ForeignFile& file) : file_(file) {}

  ForeignReport Read(std::string_view text) {
    ForEachChromeEvent(text, file_.name, [&](const ChromeEvent& event) { Take(event); });
    TraceBuilder builder(0);
    for (Work& work : work_) {
      const auto device = devices_.find(work.pid);
      // XLA's own rows repeat the work of the streams.
      if (device == devices_.end() || other_rows_.contains({work.pid, work.tid})) continue;
      if (work.is_copy) {
        work.copy.device = device->second;
        builder.Add(work.copy);
      } else {
        work.kernel.launch.device = device->second;
        builder.Add(std::move(work.kernel));
      }
    }
    std::vector<ProcessTrace> traces;
    traces.push_back(builder.Take({}));
    return ReportOf(ProgramSource::kJax, std::move(traces), 0, text, file_);
  }

 private:
  struct Work {
    std::int64_t pid, tid;
    bool is_copy = false;
    ForeignKernel kernel = {};
    TracedCopy copy = {};
  };

  void Take(const ChromeEvent& event) {
    const std::string phase = event.Text("ph"), name = event.Text("name");
    const std::int64_t pid = event.Whole("pid", 0), tid = event.Whole("tid", 0);
    if (phase == "M") {
      static const RE2 kGpu(R"(.*/device:GPU:(\d+).*)");
      int device = 0;
      const std::string called = event.Argument("name");
      if (name == "process_name" && RE2::FullMatch(called, kGpu, &device)) devices_[pid] = device;
      if (name == "thread_name" && !called.starts_with("Stream")) other_rows_.insert({pid, tid});
      return;
    }
    if (phase != "X") return;
    if (event.HasArgument("kernel_details")) {
      work_.push_back({pid, tid});
      TakeKernel(event, work_.back().kernel);
    } else if (event.HasArgument("memcpy_details") || event.HasArgument("memset_details")) {
      work_.push_back({pid, tid, true});
      TakeCopy(event, work_.back().copy);
    }
  }

  // "regs:32 static_shared:0 dynamic_shared:0 grid:132,1,1 block:128,1,1 occ_pct:100"
  static void TakeKernel(const ChromeEvent& event, ForeignKernel& kernel) {
    static const RE2 kRegisters(R"(\bregs:(\d+))"), kStatic(R"(\bstatic_shared:(\d+))"),
        kDynamic(R"(\bdynamic_shared:(\d+))"), kGrid(R"(\bgrid:(\d+),(\d+),(\d+))"),
        kBlock(R"(\bblock:(\d+),(\d+),(\d+))");
    const std::string details = event.Argument("kernel_details");
    TracedLaunch& launch = kernel.launch;
    LaunchGeometry& g = launch.geometry;
    std::int64_t number = 0;
    if (RE2::PartialMatch(details, kRegisters, &number)) kernel.registers = static_cast<double>(number);
    if (RE2::PartialMatch(details, kStatic, &number)) kernel.static_shared_bytes = static_cast<double>(number);
    if (RE2::PartialMatch(details, kDynamic, &number) && number < 1'000'000'000) g.dynamic_shared_bytes = number;
    LaunchGeometry said;
    if (RE2::PartialMatch(details, kGrid, &said.grid_x, &said.grid_y, &said.grid_z))
      g.grid_x = said.grid_x, g.grid_y = said.grid_y, g.grid_z = said.grid_z;
    if (RE2::PartialMatch(details, kBlock, &said.block_x, &said.block_y, &said.block_z))
      g.block_x = said.block_x, g.block_y = said.block_y, g.block_z = said.block_z;
    kernel.name = event.Text("name");
    kernel.range = RangeOf(event);
    launch.stream = event.Whole("tid", 0);
    launch.start_ns = event.StartNs();
    launch.end_ns = event.EndNs();
    launch.from_graph = event.HasArgument("cuda_graph_id");
  }

  // "kind_src:pinned kind_dst:device size:64 dest:0 async:1"
  static void TakeCopy(const ChromeEvent& event, TracedCopy& copy) {
    static const RE2 kBytes(R"(\b(?:size|num_bytes):(\d+))");
    const bool is_set = event.HasArgument("memset_details");
    copy.kind = is_set ? CopyKind::kSet : CopyKindOf(event.Text("name"));
    std::int64_t bytes = 0;
    if (RE2::PartialMatch(event.Argument(is_set ? "memset_details" : "memcpy_details"), kBytes, &bytes) &&
        bytes < 1'000'000'000'000'000)
      copy.bytes = bytes;
    copy.start_ns = event.StartNs();
    copy.end_ns = event.EndNs();
  }

  // The operation's place in the program, "jit(step)/forward/dot_general", or else the compiled function.
  static std::string RangeOf(const ChromeEvent& event) {
    for (const char* key : {"name", "tf_op"})
      if (std::string place = event.Argument(key); place.find('/') != place.npos)
        return place.substr(0, SingleColon(place));
    return event.Argument("hlo_module");
  }

  const ForeignFile& file_;
  std::vector<Work> work_;
  std::map<std::int64_t, int> devices_;                         // by process of the trace
  std::set<std::pair<std::int64_t, std::int64_t>> other_rows_;  // process and thread
};

}  // namespace

ForeignReport ReadJaxTrace(std::string_view text, const ForeignFile& file) { return Reader(file).Read(text); }

ForeignReport ReadChromeTrace(std::string_view text, const ForeignFile& file) {
  // Both tools begin with members of their own.
  constexpr std::size_t kBeginning = 4096;
  const bool is_pytorch = text.substr(0, kBeginning).find("\"schemaVersion\"") != text.npos;
  return !is_pytorch && text.find("\"kernel_details\"") != text.npos ? ReadJaxTrace(text, file)
                                                                     : ReadPytorchTrace(text, file);
}

}  // namespace culprit
