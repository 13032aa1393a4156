// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel/kernel_view.h"

#include <algorithm>
#include <stdexcept>

#include "analysis/kernel/recording.h"
#include "profiler/occupancy.h"

namespace culprit {
namespace {

// 0 is how a record says "not stated" for quantities that cannot be 0.
Measured Stated(double value) { return value > 0 ? Measured(value) : Measured::Missing(Absence::kUndefined); }

// Facts about the kernel that was loaded, recorded as readings of the launch.
constexpr std::string_view kLaunchPrefix = "launch_";

std::vector<StaticAttribute> AllAttributes(const KernelRecord& record) {
  std::vector<StaticAttribute> attributes = record.attributes;
  for (const Reading& r : record.readings)
    if (r.metric.id.starts_with(kLaunchPrefix))
      attributes.push_back({r.metric.id.substr(kLaunchPrefix.size()), "launch", r.value, r.status});
  return attributes;
}

// A kernel of a recorded program comes with its own facts alone: how many of its blocks fit an SM follows from them and
// from the launch. What a recording says itself stands, be it that nobody knows.
StaticView FactsOf(const KernelRecord& record) {
  const LaunchRecord& launch = record.launch;
  StaticView facts(AllAttributes(record));
  const auto threads = static_cast<int>(launch.block_x * launch.block_y * launch.block_z);
  // Of several kernels that one launch starts, the facts would be of any.
  const bool one_kernel = facts.Get("kernels").value_or(1) == 1;
  const bool stated = facts.Has("theoretical_occupancy") || facts.Has("blocks_per_sm_by_registers");
  if (stated || threads == 0 || !one_kernel) return facts;
  if (!facts.Get("registers") || !facts.Get("static_shared_bytes")) return facts;
  BuildRecord build{launch.stage, launch.arch, launch.kernel, "", AllAttributes(record)};
  AddOccupancy(build, threads, static_cast<int>(launch.dynamic_shared_bytes));
  return StaticView(build.attributes);
}

}  // namespace

KernelView::KernelView(const KernelRecord& record)
    : record_(record), time_(Summarize(record.samples)), statics_(FactsOf(record)) {
  known_.reserve(record.readings.size() + statics_.Facts().size());
  for (const Reading& reading : record.readings)
    known_.try_emplace(reading.metric.id, Known{Measured(reading.value, reading.status), &reading});
  for (const StaticFact& fact : statics_.Facts()) known_.try_emplace(fact.name, Known{fact.value});
  // A kernel that ran had warps: without any, nothing was seen of it, and no state has a share of them.
  if (const auto warps = known_.find("warps_active"); warps != known_.end() && warps->second.value.value() == 0.0)
    warps->second.value = Measured::Missing(Absence::kUndefined);
}

Measured KernelView::Get(std::string_view id) const {
  const auto known = known_.find(id);
  return known == known_.end() ? Derived(id) : known->second.value;
}

Measured KernelView::Derived(std::string_view id) const {
  const LaunchRecord& launch = record_.launch;
  if (id == "stack_frame_bytes" && statics_.Has("local_bytes")) return statics_.Get("local_bytes");
  if (id == "time_us") return time_.time_us ? Measured(time_.time_us->median) : Measured();
  if (id == "flop") return Stated(launch.flop);
  if (id == "min_bytes") return Stated(launch.min_bytes);
  if (id == "blocks") return Stated(1.0 * launch.grid_x * launch.grid_y * launch.grid_z);
  if (id == "clock_mhz") return time_.clock_mhz ? Measured(*time_.clock_mhz) : Measured();
  if (id == "shared_access_bytes" || id == "global_access_bytes") {
    const auto bytes = record_.access_bytes.find(std::string(id.substr(0, 6)));
    if (bytes != record_.access_bytes.end()) return Measured(bytes->second);
    // Where instructions were counted there is no such access; else nobody knows.
    return record_.barriers ? Measured::Missing(Absence::kUndefined) : Measured();
  }
  for (const char* memory : {"shared", "global"})
    if (id.starts_with("sass_") && id.substr(5).starts_with(memory)) return Accesses(memory, id.substr(12));
  if (id == "shared_excess_wavefronts") return Get("sass_shared_wavefronts") - Get("sass_shared_wavefronts_ideal");
  if (id == "copied_wavefronts")
    return Get("shared_wavefronts") - Get("shared_load_wavefronts") - Get("shared_store_wavefronts") -
           Get("shared_atom_wavefronts");
  if (id == "global_excess_sectors") return Get("sass_global_sectors") - Get("sass_global_sectors_ideal");
  if (id == "barrier_inst") return record_.barriers ? Measured(*record_.barriers) : Measured();
  if (id == "dram_bytes") return Get("dram_read_bytes") + Get("dram_write_bytes");
  if (id == "local_sectors") return Get("local_load_sectors") + Get("local_store_sectors");
  if (id == "global_sectors") return Get("global_load_sectors") + Get("global_store_sectors");
  if (id == "waves") {
    const auto limit = statics_.Limit();
    if (!limit) return {};
    return Get("blocks") / (Get("sm_count") * Measured(limit->blocks_per_sm));
  }
  const auto& device = record_.run.run.device;
  if (!device) return {};
  if (id == "sm_count") return Stated(device->sm_count);
  if (id == "fp32_lanes_per_sm") return Stated(device->fp32_lanes_per_sm);
  if (id == "dram_bytes_per_s") return Stated(device->dram_bytes_per_s);
  return {};
}

Measured KernelView::Accesses(const std::string& memory, std::string_view which) const {
  if (which != "width_inst" && which != "narrow_inst" && which != "spared_inst") return {};
  constexpr int kNarrow = 4, kWidest = 16;  // bytes
  // What is 0 for an instruction has no row, so only the launch's own reading says whether a width was counted.
  for (const char* width : {"8b", "16b", "32b", "64b", "128b"})
    if (const Measured whole = Get("sass_memory_" + std::string(width) + "_inst"); !whole) return whole;
  const auto accesses = record_.accesses.find(memory);
  if (accesses == record_.accesses.end()) return {};
  double sum = 0;
  for (const auto& [bytes, count] : accesses->second) {
    if (which == "width_inst") sum += count;
    if (which == "narrow_inst" && bytes <= kNarrow) sum += count;
    if (which == "spared_inst" && bytes <= kNarrow) sum += count * (1 - 1.0 * bytes / kWidest);
  }
  return sum;
}

double KernelView::At(std::string_view id) const {
  const Measured value = Get(id);
  if (!value) throw std::logic_error("a rule read '" + std::string(id) + "' without naming it in its needs");
  return *value;
}

bool KernelView::NeedsFullProfile(std::string_view id) const {
  const Measured value = Get(id);
  return !value && value.absence() == Absence::kNotAsked && record_.run.run.profile == "core" &&
         (id.starts_with("sass_") || id.ends_with("_throughput_pct") || id.ends_with("_pipe_pct"));
}

bool KernelView::WasCounted() const {
  return std::any_of(record_.readings.begin(), record_.readings.end(),
                     [](const Reading& r) { return r.metric.source != "launch"; });
}

std::string KernelView::WhyNotCounted() const {
  std::string why = "counters of " + record_.stage.id + " were not read in run " + ShortUuid(record_.run.run);
  if (record_.program && !record_.program->not_counted.empty()) return why + " (" + record_.program->not_counted + ").";
  // Reports of these tools have times alone.
  if (const auto& program = record_.run.run.program;
      program && (program->source == ProgramSource::kGoogleBenchmark || program->source == ProgramSource::kNvbench))
    return why + ", which was imported and has times alone: record its program with culprit record.";
  return why + " (profile " + record_.run.run.profile + "): record it with --profile=full.";
}

std::string KernelView::UnitOf(std::string_view id) const {
  if (const auto known = known_.find(id); known != known_.end() && known->second.reading)
    return known->second.reading->metric.unit;
  if (id == "time_us") return "us";
  if (id.ends_with("_inst")) return "inst";
  if (id == "clock_mhz") return "MHz";
  if (id == "theoretical_occupancy") return "fraction";
  if (id == "waves") return "ratio";
  if (id == "dram_bytes_per_s") return "byte/s";
  if (id == "dram_bytes" || id == "min_bytes" || id.ends_with("_bytes")) return "byte";
  return "count";
}

Measured KernelView::StallShare(std::string_view reason) const {
  return Get("stall_" + std::string(reason)) / Get("warps_active");
}

Measured KernelView::StallUs(std::string_view reason) const { return Get("time_us") * StallShare(reason); }

}  // namespace culprit
