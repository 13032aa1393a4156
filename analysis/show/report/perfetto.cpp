// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/perfetto.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/judge/program/work_verdict.h"
#include "analysis/launch/name.h"
#include "analysis/show/report/run_header.h"
#include "analysis/timeline/bin_rates.h"
#include "analysis/timeline/range_slices.h"

namespace culprit {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerUs = 1000;
// Of a rate that counts all the time but for the ends of the program.
constexpr double kCoversAll = 0.95;

double Us(std::int64_t ns) { return static_cast<double>(ns) / kNsPerUs; }

// Four digits: as many as samples have.
double Rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::string Extents(unsigned x, unsigned y, unsigned z) { return fmt::format("{} x {} x {}", x, y, z); }

Json ArgsOf(const KernelRecord& kernel, const TimelineLaunch& launch) {
  const LaunchRecord& l = kernel.launch;
  Json args{{"name", kernel.program ? kernel.program->name : l.kernel},
            {"kernel", kernel.stage.id},
            {"grid", Extents(l.grid_x, l.grid_y, l.grid_z)},
            {"block", Extents(l.block_x, l.block_y, l.block_z)}};
  if (l.dynamic_shared_bytes > 0) args["dynamic shared bytes"] = l.dynamic_shared_bytes;
  for (const StaticAttribute& attribute : kernel.attributes)
    if (attribute.name == "registers" && attribute.value) args["registers"] = *attribute.value;
  if (!launch.range.empty()) args["NVTX"] = launch.range;
  if (launch.from_graph) args["from a CUDA graph"] = true;
  return args;
}

class Writer {
 public:
  Writer(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
         std::ostream& out)
      : run_(run), timeline_(timeline), out_(out) {
    for (const KernelRecord& kernel : kernels) kernels_[kernel.id] = &kernel;
  }

  void Write() {
    out_ << R"({"displayTimeUnit":"ns","otherData":)"
         << Text(Json{{"run", run_.run.uuid}, {"label", run_.run.label}, {"program", run_.run.command_line}})
         << ",\n\"traceEvents\":[";
    for (const int gpu : GpusOf(timeline_)) WriteGpu(gpu);
    out_ << "\n]}\n";
  }

 private:
  // Threads on which nothing overlaps.
  class Lanes {
   public:
    Lanes(Writer& writer, std::string name) : writer_(writer), name_(std::move(name)) {}
    int At(std::int64_t start_ns, std::int64_t end_ns) {
      std::size_t lane = 0;
      while (lane < ends_.size() && ends_[lane].second > start_ns) ++lane;
      if (lane == ends_.size())
        ends_.emplace_back(writer_.Thread(lane == 0 ? name_ : fmt::format("{} ({})", name_, lane + 1)), 0);
      ends_[lane].second = end_ns;
      return ends_[lane].first;
    }

   private:
    Writer& writer_;
    std::string name_;
    std::vector<std::pair<int, std::int64_t>> ends_;  // thread, until when it is busy
  };

  void WriteGpu(int gpu) {
    gpu_ = gpu;
    threads_ = 0;
    Meta("process_name", 0, {{"name", fmt::format("GPU {}: {}", gpu, GpuName(run_.run))}});
    Meta("process_sort_index", 0, {{"sort_index", gpu}});
    WriteUnlisted();
    std::map<std::int64_t, std::vector<const TimelineLaunch*>> streams;
    for (const TimelineLaunch& launch : timeline_.launches)
      if (launch.gpu == gpu) streams[launch.stream].push_back(&launch);
    for (const auto& [stream, launches] : streams) {
      const std::vector<RangeSlice> slices = SlicesOf(launches);
      if (!slices.empty()) {
        const int thread = Thread(fmt::format("NVTX of stream {}", stream));
        for (const RangeSlice& s : slices) Slice(thread, s.name, s.start_ns, s.end_ns - s.start_ns, {{"path", s.path}});
      }
      Lanes lanes(*this, fmt::format("Stream {}", stream));
      for (const TimelineLaunch* launch : launches) {
        const auto kernel = kernels_.find(launch->launch);
        if (kernel == kernels_.end()) continue;
        const KernelRecord& k = *kernel->second;
        Slice(lanes.At(launch->start_ns, launch->start_ns + launch->duration_ns),
              k.program ? ShortName(k.program->name) : k.stage.id, launch->start_ns, launch->duration_ns,
              ArgsOf(k, *launch));
      }
    }
    Lanes lanes(*this, "Copies and memsets");
    for (const TimelineCopy& copy : timeline_.copies)
      if (copy.gpu == gpu)
        Slice(lanes.At(copy.start_ns, copy.start_ns + copy.duration_ns), CopyWords(copy.kind), copy.start_ns,
              copy.duration_ns, {{"bytes", copy.bytes}});
    if (run_.run.device) WriteCounters(*run_.run.device);
  }

  // Where nothing is shown because nothing is listed, the GPU may have been busy.
  void WriteUnlisted() {
    if (timeline_.left_out == 0) return;
    const int thread = Thread("Not listed");
    std::int64_t from = 0;
    const auto until = [&](std::int64_t end) {
      if (end > from) Slice(thread, "launches are not listed", from, end - from, Json::object());
    };
    for (const TimelineWindow& window : timeline_.windows) {
      until(window.start_ns);
      from = std::max(from, window.end_ns);
    }
    until(timeline_.span_ns);
  }

  void WriteCounters(const Device& device) {
    for (const RateSeries& series : RatesOf(timeline_, gpu_, device)) {
      const UnitRate& rate = *series.rate;
      std::string_view unit = "";
      double scale = 1;
      if (rate.unit == Unit::kPercent) unit = " (%)";
      if (rate.unit == Unit::kBytesPerSecond) unit = " (GB/s)", scale = 1e-9;
      if (rate.unit == Unit::kMhz) unit = " (MHz)";
      const std::string name = fmt::format("{}{}{}", rate.title, unit,
                                           series.covered < kCoversAll ? ", in turns: keeps its last value" : "");
      for (std::size_t b = 0; b < series.bins.size(); ++b)
        if (series.bins[b])
          Event({{"ph", "C"},
                 {"name", name},
                 {"pid", gpu_},
                 {"ts", Us(static_cast<std::int64_t>(b) * timeline_.bin_ns)},
                 {"args", {{"value", Rounded(*series.bins[b] * scale)}}}});
    }
  }

  int Thread(const std::string& name) {
    const int thread = ++threads_;
    Meta("thread_name", thread, {{"name", name}});
    Meta("thread_sort_index", thread, {{"sort_index", thread}});
    return thread;
  }

  void Meta(const char* what, int thread, Json args) {
    Event({{"ph", "M"}, {"name", what}, {"pid", gpu_}, {"tid", thread}, {"args", std::move(args)}});
  }

  void Slice(int thread, std::string_view name, std::int64_t start_ns, std::int64_t duration_ns, Json args) {
    Event({{"ph", "X"},
           {"name", name},
           {"pid", gpu_},
           {"tid", thread},
           {"ts", Us(start_ns)},
           {"dur", Us(duration_ns)},
           {"args", std::move(args)}});
  }

  static std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  void Event(const Json& event) {
    out_ << (is_first_ ? "\n" : ",\n") << Text(event);
    is_first_ = false;
  }

  const RunSummary& run_;
  const TimelineRecord& timeline_;
  std::ostream& out_;
  std::map<LaunchId, const KernelRecord*> kernels_;
  int gpu_ = 0, threads_ = 0;
  bool is_first_ = true;
};

}  // namespace

void WritePerfetto(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
                   std::ostream& out) {
  Writer(run, timeline, kernels, out).Write();
}

}  // namespace culprit
