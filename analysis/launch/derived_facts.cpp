// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/derived_facts.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "analysis/launch/kernel_view.h"

namespace culprit {
namespace {

using View = const KernelView&;

// 0 is how a record says "not stated" for quantities that cannot be 0.
Measured Stated(double value) { return value > 0 ? Measured(value) : Measured::Missing(Absence::kUndefined); }

template <auto Field>
Measured OfLaunch(View k) {
  return Stated(k.record().launch.*Field);
}

template <auto Field>
Measured OfDevice(View k) {
  const auto& device = k.record().run.run.device;
  return device ? Stated((*device).*Field) : Measured();
}

Measured Blocks(View k) {
  const LaunchRecord& launch = k.record().launch;
  return Stated(1.0 * launch.grid_x * launch.grid_y * launch.grid_z);
}

Measured Waves(View k) {
  const auto limit = k.statics().Limit();
  return limit ? k.Get("blocks") / (k.Get("sm_count") * Measured(limit->blocks_per_sm)) : Measured();
}

Measured AccessBytes(View k, const char* memory) {
  const KernelRecord& record = k.record();
  if (const auto bytes = record.access_bytes.find(memory); bytes != record.access_bytes.end()) return bytes->second;
  // Where instructions were counted there is no such access; else nobody knows.
  return record.barriers ? Measured::Missing(Absence::kUndefined) : Measured();
}

// Loads and stores of a memory, each times its `weight` by the bytes that a thread names in it.
Measured Accesses(View k, const char* memory, double (*weight)(int bytes)) {
  // What is 0 for an instruction has no row, so only the launch's own reading says whether a width was counted.
  for (const char* id : {"sass_memory_8b_inst", "sass_memory_16b_inst", "sass_memory_32b_inst", "sass_memory_64b_inst",
                         "sass_memory_128b_inst"})
    if (const Measured whole = k.Get(id); !whole) return whole;
  const auto accesses = k.record().accesses.find(memory);
  if (accesses == k.record().accesses.end()) return {};
  double sum = 0;
  for (const auto& [bytes, count] : accesses->second) sum += count * weight(bytes);
  return sum * k.weights().OfExact();
}

Measured SwapWavefronts(View k) {
  if (const Measured atomics = k.Get("shared_atom_inst"); atomics && *atomics == 0) return 0;
  const std::optional<SwapLoads>& loads = k.record().swap_loads;
  if (!loads) return {};
  if (loads->is_exact) return loads->wavefronts * k.weights().OfExact();
  // The share is of LDS. The counter has LDSM, too.
  return Measured(loads->wavefronts) * (k.Get("shared_load_wavefronts") - k.Get("shared_ldsm_wavefronts"));
}

// Shares of what an SM can do, where CUPTI's own were not read, as by samples. They are within 1 % of CUPTI's for 9 of 10
// recorded launches, and within 7 % for nearly all (564 planted and 92 blind kernels on H100 and H200, replayed).
constexpr double kSubPartitions = 4, kPercent = 100, kWarp = 32;

Measured CyclesOfBusySms(View k) { return k.Get("smsp_cycles_active") / Measured(kSubPartitions); }

// `most`: in a cycle of an SM.
Measured WhileBusy(View k, const char* count, double most) {
  const Measured pct = Measured(kPercent / most) * k.Get(count) / CyclesOfBusySms(k);
  return pct ? Measured(std::min(*pct, kPercent)) : pct;
}
Measured SharedPct(View k, const char* wavefronts) {
  const Measured pct = Measured(kPercent * kSubPartitions) * k.Get(wavefronts) / k.Get("smsp_cycles_elapsed");
  return pct ? Measured(std::min(*pct, kPercent)) : pct;
}
Measured OccupancyPct(View k) {
  const Measured threads = OfDevice<&Device::max_threads_per_sm>(k);
  return threads ? WhileBusy(k, "warps_active", *threads / kWarp) : threads;
}
Measured FmaPct(View k) {
  const Measured lanes = OfDevice<&Device::fp32_lanes_per_sm>(k);
  return lanes ? WhileBusy(k, "pipe_fma_inst", *lanes / kWarp) : lanes;
}

constexpr int kNarrow = 4, kWidest = 16;
double Any(int) { return 1; }
template <auto Weight>
Measured OfShared(View k) {
  return Accesses(k, "shared", Weight);
}
template <auto Weight>
Measured OfGlobal(View k) {
  return Accesses(k, "global", Weight);
}

constexpr DerivedFact kFacts[] = {
    {"time_us", "us", "median of the kept samples",
     [](View k) { return k.time().time_us ? Measured(k.time().time_us->median) : Measured(); }},
    {"clock_mhz", "MHz", "median SM clock of the kept samples", [](View k) { return Measured(k.time().clock_mhz); }},
    {"flop", "count", "stated by the launch", OfLaunch<&LaunchRecord::flop>},
    {"min_bytes", "byte", "stated by the launch", OfLaunch<&LaunchRecord::min_bytes>},
    {"blocks", "count", "grid size", Blocks},
    {"waves", "ratio", "blocks / (SMs x blocks that fit an SM)", Waves},
    {"sm_count", "count", "of the device", OfDevice<&Device::sm_count>},
    {"fp32_lanes_per_sm", "count", "of the device", OfDevice<&Device::fp32_lanes_per_sm>},
    {"dram_bytes_per_s", "byte/s", "of the device", OfDevice<&Device::dram_bytes_per_s>},
    {"stack_frame_bytes", "byte", "local memory of the loaded kernel, where no cubin was read",
     [](View k) { return k.statics().Get("local_bytes"); }},
    {"shared_access_bytes", "byte", "that a thread names in a load or store, on average; undefined where it makes none",
     [](View k) { return AccessBytes(k, "shared"); }},
    {"global_access_bytes", "byte", "the same of global memory", [](View k) { return AccessBytes(k, "global"); }},
    {"sass_shared_width_inst", "inst", "loads and stores of which the width was counted", OfShared<Any>},
    {"sass_global_width_inst", "inst", "the same of global memory", OfGlobal<Any>},
    {"sass_shared_narrow_inst", "inst", "those of them that move 32 bits per thread or less", OfShared<NarrowAccess>},
    {"sass_global_narrow_inst", "inst", "the same of global memory", OfGlobal<NarrowAccess>},
    {"sass_shared_spared_inst", "inst", "by how much fewer the narrow ones would be, moving 128 bits each",
     OfShared<SparedAccess>},
    {"sass_global_spared_inst", "inst", "the same of global memory", OfGlobal<SparedAccess>},
    {"shared_excess_wavefronts", "count", "beyond those that the same bytes need, counted exactly",
     [](View k) { return k.Get("sass_shared_wavefronts") - k.Get("sass_shared_wavefronts_ideal"); }},
    {"global_excess_sectors", "count", "beyond those that the same bytes need, counted exactly",
     [](View k) { return k.Get("sass_global_sectors") - k.Get("sass_global_sectors_ideal"); }},
    {"copied_wavefronts", "count", "of shared memory, without loads, stores and atomics",
     [](View k) {
       return k.Get("shared_wavefronts") - k.Get("shared_load_wavefronts") - k.Get("shared_store_wavefronts") -
              k.Get("shared_atom_wavefronts");
     }},
    {"shared_swap_wavefronts", "count", "of shared loads in the loops that ptxas writes for atomics, from the code",
     SwapWavefronts},
    {"barrier_inst", "inst", "executions of BAR by warps, from the instructions' counts and opcodes",
     [](View k) { return Measured(k.record().barriers) * Measured(k.weights().OfExact()); }},
    {"dram_bytes", "byte", "dram_read_bytes + dram_write_bytes",
     [](View k) { return k.Get("dram_read_bytes") + k.Get("dram_write_bytes"); }},
    {"local_sectors", "count", "loads + stores, at L1",
     [](View k) { return k.Get("local_load_sectors") + k.Get("local_store_sectors"); }},
    {"global_sectors", "count", "loads + stores, at L1",
     [](View k) { return k.Get("global_load_sectors") + k.Get("global_store_sectors"); }},
    {"cache_sectors", "count", "of global memory at L1, and all at L2",
     [](View k) { return k.Get("global_sectors") + k.Get("l2_sectors"); }},
    {"shared_needed_wavefronts", "count", "without conflicts, where these were counted exactly; else all",
     [](View k) {
       const Measured ideal = k.Get("sass_shared_wavefronts_ideal");
       return ideal ? ideal : k.Get("shared_wavefronts");
     }},
    {"global_inst", "inst", "loads + stores",
     [](View k) { return k.Get("global_load_inst") + k.Get("global_store_inst"); }},
    {"atomic_inst", "inst", "requests to global memory and instructions to shared memory",
     [](View k) { return k.Get("global_atom_requests") + k.Get("global_red_requests") + k.Get("shared_atom_inst"); }},
    {"not_ffma_inst", "inst", "all but FFMA",
     [](View k) { return k.Get("inst_executed") - k.Get("ffma_thread_inst") / Measured(32); }},
    {"threads_asleep_per_inst", "ratio", "32 - threads_per_inst",
     [](View k) { return Measured(32) - k.Get("threads_per_inst"); }},
    {"smsp_cycles_idle", "count", "of the elapsed ones, those without a warp",
     [](View k) { return k.Get("smsp_cycles_elapsed") - k.Get("smsp_cycles_active"); }},
    {"empty_warp_slots", "ratio", "for each resident warp: 3 at a quarter of the warps, 0 at all of them",
     [](View k) { return Measured(1) / k.Get("theoretical_occupancy") - Measured(1); }},
    {"issue_slot_pct", "%", "inst_issued / smsp_cycles_active",
     [](View k) { return WhileBusy(k, "inst_issued", kSubPartitions); }},
    {"achieved_occupancy_pct", "%", "4 x warps_active / (smsp_cycles_active x warps that an SM holds)", OccupancyPct},
    {"shared_wavefronts_pct", "%", "4 x shared_wavefronts / smsp_cycles_elapsed",
     [](View k) { return SharedPct(k, "shared_wavefronts"); }},
    {"shared_load_wavefronts_pct", "%", "4 x shared_load_wavefronts / smsp_cycles_elapsed",
     [](View k) { return SharedPct(k, "shared_load_wavefronts"); }},
    {"shared_store_wavefronts_pct", "%", "4 x shared_store_wavefronts / smsp_cycles_elapsed",
     [](View k) { return SharedPct(k, "shared_store_wavefronts"); }},
    {"fma_pipe_pct", "%", "128 x pipe_fma_inst / (smsp_cycles_active x fp32_lanes_per_sm)", FmaPct},
    {"alu_pipe_pct", "%", "2 x pipe_alu_inst / smsp_cycles_active",
     [](View k) { return WhileBusy(k, "pipe_alu_inst", 2); }},
    {"xu_pipe_pct", "%", "8 x pipe_xu_inst / smsp_cycles_active",
     [](View k) { return WhileBusy(k, "pipe_xu_inst", 0.5); }},
    {"lsu_pipe_pct", "%", "4 x pipe_lsu_inst / smsp_cycles_active",
     [](View k) { return WhileBusy(k, "pipe_lsu_inst", 1); }},
    {"global_long_scoreboard", "count", "stall_long_scoreboard times the share of global memory in the sectors at L1",
     [](View k) {
       const Measured global = k.Get("global_sectors");
       return k.Get("stall_long_scoreboard") * global / (global + k.Get("local_sectors"));
     }},
};

}  // namespace

double NarrowAccess(int bytes) { return bytes <= kNarrow ? 1 : 0; }
double SparedAccess(int bytes) { return bytes <= kNarrow ? 1 - 1.0 * bytes / kWidest : 0; }

std::span<const DerivedFact> DerivedFacts() { return kFacts; }

const DerivedFact* FindDerivedFact(std::string_view id) {
  // Hashed: causes look up thousands of facts of each kernel.
  static const auto by_id = [] {
    std::unordered_map<std::string_view, const DerivedFact*> facts;
    for (const DerivedFact& fact : kFacts) facts.emplace(fact.id, &fact);
    return facts;
  }();
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : found->second;
}

}  // namespace culprit
