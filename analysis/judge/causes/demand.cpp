// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/demand.h"

#include <algorithm>
#include <array>

#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/machine.h"
#include "db/sampled_counters.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

constexpr double kWarp = 32;
// A pipe's instructions, computed from its share of the peak, are within this factor of the counted ones. Of 1,329 pipes
// that launches on H200s used for more than 2 %, 1,327 had 0.97 to 1.11 of it. Tools print shares with two digits.
constexpr double kPctSlack = 1.15, kPctRounding = 0.005;

constexpr double kLeastBytes = 1, kMostBytes = 16;
constexpr double kMostProductCycles = kWarpgroupMatrixProducts / FindChip("sm_90")->warpgroup_matrix;
// A matrix product of n columns reads at least 32 n bytes of shared memory and takes n / 2 cycles on each of four
// sub-partitions.
constexpr double kCyclesPerWavefront = kSubPartitions * 128 / 2 / 32;

Range NotNegative(const Range& r) { return Max(r, 0.0); }

bool WasSampled(const KernelView& k, std::string_view id) {
  return std::ranges::any_of(k.record().readings,
                             [&](const Reading& r) { return r.metric.id == id && r.metric.source == kSampledSource; });
}

bool IsCounted(const Measured& value) { return value || value.absence() == Absence::kUndefined; }

// True if CUPTI lists no counter because the chip has no such instruction. Then the count is 0.
bool HasNoSuchInstruction(const KernelView& k, std::string_view id) {
  if (k.Get(id).absence() != Absence::kUnsupported) return false;
  // On these chips the FMA pipe executes HFMA2. Volta has no LDSM.
  if (id == "tensor_hfma2_inst" || id == "shared_ldsm_inst") return true;
  // Hopper is the first chip with products of warpgroups. No counter has those of Blackwell.
  const auto& device = k.record().run.run.device;
  return id == "tensor_gmma_inst" && device && device->cc_major > 0 && device->cc_major < 9;
}

}  // namespace

// Reads counters and remembers the missing ones.
class Demand::Reader {
 public:
  Reader(const KernelView& kernel, std::set<std::string>& missing) : kernel_(kernel), missing_(missing) {}

  Range operator()(std::string_view id, double most = kUnbounded, double least = 0) {
    if (HasNoSuchInstruction(kernel_, id)) return 0.0;
    const Measured value = kernel_.Get(id);
    if (!IsCounted(value)) missing_.emplace(id);
    return Range::Of(value, least, std::max(least, most));
  }

  // For a number that is no counter itself: it is missing because `id` is.
  void Miss(std::string_view id) { missing_.emplace(id); }

  const KernelView& kernel() const { return kernel_; }

 private:
  const KernelView& kernel_;
  std::set<std::string>& missing_;
};

Demand::Demand(const KernelView& k, Splits splits, Swaps swaps) {
  Reader read(k, missing);
  const SwapDemand of_swaps = swaps == Swaps::kAtomics ? SwapDemandOf(k).value_or(SwapDemand{}) : SwapDemand{};
  ReadInstructions(read, of_swaps);
  ReadShared(read, splits, of_swaps);
  ReadMemory(read, splits);
  instruction_misses = read("icc_misses");
  immediate_misses = read("imc_misses");
  // Requests include replays, of which a warp's access has at most one per lane.
  const Range requests = read("idc_requests", issued.high);
  constant_requests =
      requests + read("idc_replays", IsCounted(k.Get("idc_requests")) ? requests.high : kWarp * issued.high);
}

void Demand::ReadInstructions(Reader& read, const SwapDemand& swaps) {
  issued = read("inst_issued");
  const double most = issued.high;
  const auto instructions = [&](std::string_view id) { return read(id, most); };
  lanes = read("threads_per_inst", kWarp, 1);
  // Warp instructions from a count of threads, with the kernel's average number of active lanes.
  const auto of_threads = [&](std::string_view id) {
    const Range threads = read(id, kWarp * most);
    const double fewest = lanes.low > 0 ? lanes.low : kWarp, all = lanes.high > 0 ? lanes.high : kWarp;
    return Range(threads.low / all, threads.high / fewest);
  };
  local = instructions("local_load_inst") + instructions("local_store_inst");
  shared = NotNegative(instructions("shared_load_inst") - swaps.executions) + instructions("shared_store_inst") +
           instructions("shared_ldsm_inst");
  shared_atomic_inst = instructions("shared_atom_inst") + swaps.executions;
  global = instructions("global_load_inst") + instructions("global_store_inst");
  // Copies are requests of global loads, but the instruction counter does not include them.
  copies = NotNegative(read("global_load_requests", most) - instructions("global_load_inst"));
  atomics_returning = instructions("global_atom_requests");
  atomic = atomics_returning + instructions("global_red_requests");
  const Machine machine = MachineOf(read.kernel().record().run.run);
  // The instructions of a pipe. If they were not counted, their share of the pipe's peak tells them roughly.
  const auto in_pipe = [&](std::string_view id, std::string_view pct, double per_sm_and_cycle) {
    const Range counted = instructions(id);
    const Measured share = read.kernel().Get(pct), cycles = read.kernel().Get("smsp_cycles_active");
    if (counted.IsPoint() || !share || !cycles) return counted;
    const double per_pct = *cycles / 100 / Machine::CyclesOf(per_sm_and_cycle), rounding = kPctRounding * per_pct;
    return Range(std::max(0.0, *share * per_pct / kPctSlack - rounding),
                 std::min(most, *share * per_pct * kPctSlack + rounding));
  };
  fp64 = in_pipe("pipe_fp64_inst", "fp64_pipe_pct", machine.fp64);
  const Range special_pipe = in_pipe("pipe_xu_inst", "xu_pipe_pct", machine.xu);
  conversion = Min(of_threads("conversion_thread_inst"), special_pipe);
  special = NotNegative(special_pipe - conversion);
  // The count of single-precision instructions includes special functions: gaussian_exponentials on an H200 has 335.5 M
  // in this count, 270.5 M instructions of the FMA pipe and 67.1 M special functions.
  fp32 = Max(NotNegative(of_threads("fp32_thread_inst") - special), of_threads("ffma_thread_inst"));
  const Range matrix = instructions("tensor_hmma_inst");
  const Range pairs_of_halves = read("tensor_hfma2_inst", matrix.high);
  gmma = instructions("tensor_gmma_inst");
  // The count of warps' products includes products of warpgroups. On an H200 each counts once per warp (hgemm_wgmma).
  tensor = Max(NotNegative(matrix - pairs_of_halves), gmma);
  branch = instructions("branch_inst");
  barriers = instructions("barrier_inst");
  bulk_copies = read.kernel().Get("tma_load_inst").value();
  bulk_bytes = read.kernel().Get("tma_read_bytes").value();
  // The upper bound is the number of instructions of one thread that remain if all others have full warps.
  const auto of_one = [&](double all, double threads) {
    const double most_of_one = std::max(0.0, all * (kWarp - threads) / (kWarp - 1));
    return std::min(kBulkCopyInstructions * bulk_copies.value_or(0), most_of_one);
  };
  by_copying_thread = AtEnds(of_one, issued, lanes);
  const auto besides = [](double threads, double all, double of_one_thread) {
    return all > of_one_thread ? (threads * all - of_one_thread) / (all - of_one_thread) : threads;
  };
  lanes_besides = AtEnds(besides, lanes, issued, by_copying_thread);
  // The FMA pipe executes half precision. On some chips the tensor pipe does, too.
  in_fma_pipe = in_pipe("pipe_fma_inst", "fma_pipe_pct", machine.fp32);
  in_alu_pipe = in_pipe("pipe_alu_inst", "alu_pipe_pct", machine.alu);
  // This count includes matrix instructions (hgemm_mma on an H200: 524,288 of each; hgemm_wgmma: 1,048,576).
  fp16 = NotNegative(of_threads("fp16_thread_inst") - tensor);
  if (!fp16.IsPoint()) fp16 = Min(fp16, NotNegative(in_fma_pipe.high - fp32.low) + pairs_of_halves.high);

  // The upper bound of each kind: all instructions minus the other kinds.
  const std::array kinds = {&local, &shared,  &shared_atomic_inst, &global, &atomic, &fp32, &fp64,
                            &fp16,  &special, &conversion,         &tensor};
  // Integer instructions belong to no other kind. There are at least as many as with full warps.
  const double integer = read("integer_thread_inst", 0).low / kWarp;
  Range known = 0.0;
  for (const Range* kind : kinds) known += *kind;
  other = NotNegative(issued - known);
  other.low = std::max(other.low, std::min(other.high, integer));
  const double least = known.low + other.low;
  for (Range* kind : kinds)
    if (!kind->IsPoint()) kind->high = std::max(kind->low, std::min(kind->high, most - (least - kind->low)));
}

void Demand::ReadShared(Reader& read, Splits splits, const SwapDemand& swaps) {
  const KernelView& k = read.kernel();
  const double most_instructions = shared.high + shared_atomic_inst.high;
  // 32 lanes of 16 bytes, all in the same bank.
  const double most = most_instructions * kWarp * kMostBytes / 4;
  shared_atomic = read("shared_atom_wavefronts", most) + swaps.wavefronts;
  const Range all = NotNegative(read("shared_wavefronts", most) - shared_atomic);
  shared_all = all;
  ReadProducts(read, swaps);
  ReadConflicts(read, splits, swaps);
  if (copies.high > 0 && gmma.high == 0) {
    const auto useful = [](double of, double whole, double useful_of) {
      return whole > 0 ? of * std::min(1.0, useful_of / whole) : 0.0;
    };
    shared_by_copies = AtEnds(useful, NotNegative(all - SharedByThreads(read, swaps)), all, shared_useful);
  }
  const auto width = [&](std::string_view id) -> Range {
    const Measured bytes = k.Get(id);
    if (bytes) return *bytes;
    if (IsCounted(bytes)) return 0.0;
    read.Miss(id);
    return {kLeastBytes, kMostBytes};
  };
  shared_width = width("shared_access_bytes");
  if (shared_width.IsPoint() && swaps.executions.high > 0) {
    // Without the loops' loads, of which the atomic decides the width.
    const auto besides = [&](double accesses, double loops) {
      return accesses > 0 ? std::clamp((shared_width.low * (accesses + loops) - swaps.bytes * loops) / accesses,
                                       kLeastBytes, kMostBytes)
                          : 0.0;
    };
    shared_width = AtEnds(besides, shared, swaps.executions);
  }
  global_width = width("global_access_bytes");
}

// Loads and stores.
Range Demand::SharedByThreads(Reader& read, const SwapDemand& swaps) const {
  return NotNegative(read("shared_load_wavefronts", shared_all.high + swaps.wavefronts.high) - swaps.wavefronts) +
         read("shared_store_wavefronts", shared_all.high);
}

// The exact counts include the loads of atomics' loops.
void Demand::ReadConflicts(Reader& read, Splits splits, const SwapDemand& swaps) {
  const KernelView& k = read.kernel();
  const Range& all = shared_all;
  const Measured counted = k.Get("sass_shared_wavefronts");
  const Measured excess = counted - k.Get("sass_shared_wavefronts_ideal");
  const Measured share = ConflictShare(k);
  if (share && swaps.wavefronts.high > 0 && !swaps.conflicts) {
    shared_conflicts = Range(0, std::min(all.high, *excess));
    shared_useful = NotNegative(all - shared_conflicts);
  } else if (IsCounted(share)) {
    const double others = share ? *counted - swaps.wavefronts.low : 0;
    const double part = others > 0 ? std::clamp((*excess - swaps.conflicts.value_or(0)) / others, 0.0, 1.0) : 0;
    shared_conflicts = all * part;
    shared_useful = all.IsPoint() ? all - shared_conflicts : all * (1 - part);
  } else if (splits == Splits::kMerged) {
    shared_useful = all;
  } else {
    for (const char* id : {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal"}) read(id);
    // The hardware's counter also includes lost arbitration.
    shared_conflicts = Range(0, std::min(all.high, read("shared_conflicts_hw").high));
    shared_useful = NotNegative(all - shared_conflicts);
  }
}

// The time of a warpgroup's product depends on its shape, which no counter has. The time of all products follows from
// the use of the pipe, or from the bytes that they read of shared memory, because one of their matrices is always
// there.
void Demand::ReadProducts(Reader& read, const SwapDemand& swaps) {
  if (!(gmma.high > 0)) return;
  shared_by_products = NotNegative(shared_all - SharedByThreads(read, swaps));
  const Measured used = read.kernel().Get("tensor_pipe_pct"), active = read.kernel().Get("smsp_cycles_active");
  const bool alone = gmma.low > 0 && gmma.low >= tensor.high;
  gmma_cycles = used && active && alone
                    ? Range(*used / 100 * *active)
                    : Range(0, std::min(gmma.high * kMostProductCycles, shared_by_products.high * kCyclesPerWavefront));
}

namespace {

// The sectors of each kind of access at each level.
struct Levels {
  double local_l2, local_dram, useful_l1, useful_l2, useful_dram, excess_l1, excess_l2, excess_dram;
};

// The levels below L1 do not distinguish local from global accesses, so both are assumed to have the same miss rate.
Levels Down(double local_l1, double global_l1, double excess_part, double l2, double dram) {
  const double all_l1 = local_l1 + global_l1;
  const double local_part = all_l1 > 0 ? local_l1 / all_l1 : 0;
  Levels d{};
  d.excess_l1 = global_l1 * excess_part;
  d.useful_l1 = global_l1 - d.excess_l1;
  d.local_l2 = l2 * local_part;
  d.local_dram = dram * local_part;
  d.excess_l2 = std::clamp(l2 - d.local_l2 - d.useful_l1, 0.0, d.excess_l1);
  d.excess_dram = std::clamp(dram - d.local_dram - d.useful_l1, 0.0, d.excess_l1);
  d.useful_l2 = l2 - d.local_l2 - d.excess_l2;
  d.useful_dram = dram - d.local_dram - d.excess_dram;
  return d;
}

// Slices of L2 that get more than this many times the average share requests unevenly. Kernels whose blocks read data of
// their own have at most 1.5.
constexpr double kEvenSlices = 2;

// A link or a slice that is busy for a smaller share of the time slows nothing. Without these, a few requests of a small
// kernel would take all of its waiting, because each costs as much as hundreds of sectors at L1. The link's share can be
// small because the latency of the host delays a kernel long before its link is full.
constexpr double kHardlyBusyLink = 0.01, kHardlyBusySlice = 0.1;

}  // namespace

void Demand::ReadPlaces(const KernelView& k) {
  const Measured cycles = k.Get("sm_cycles_elapsed_max"), sms = k.Get("sm_count");
  const auto unless_idle = [&](double units, const Measured& busy_cycles, double least) {
    const Measured share = busy_cycles / cycles;
    return share ? std::optional(*share >= least ? units : 0) : std::nullopt;
  };
  // On a GPU without memory of its own, the host's memory is no farther than any other.
  const bool has_own = k.Get("dram_read_bytes").absence() != Absence::kUnsupported;
  if (const Measured sectors = k.Get("host_sectors"); sectors && has_own) {
    const Measured rate = Measured(MachineOf(k.record().run.run).host_bytes) * sms;
    host_sectors = unless_idle(*sectors, Measured(kSectorBytes * *sectors) / rate, kHardlyBusyLink);
  }
  const Measured busiest = k.Get("l2_slice_requests_max"), average = k.Get("l2_slice_requests_avg");
  if (busiest && average && sms && atomic_sectors.IsPoint()) {
    // All atomics could meet in that slice.
    const double camped = std::max(0.0, *busiest - kEvenSlices * *average - atomic_sectors.high);
    camped_requests = unless_idle(camped, Measured(camped / kOneLineRequests), kHardlyBusySlice);
  }
}

void Demand::ReadMemory(Reader& read, Splits splits) {
  const KernelView& k = read.kernel();
  // Asynchronous copies to shared memory (LDGSTS) are requests of global loads, but are not in the instruction counter.
  // If their instructions were not counted, no request is used.
  const auto both = [&](std::string_view kind, const char* what, double most) {
    return read(std::string(kind) + "_load_" + what, most) + read(std::string(kind) + "_store_" + what, most);
  };
  const bool no_local = local.high == 0;
  local_requests = both("local", "requests", no_local ? 0 : kUnbounded);
  global_requests = both("global", "requests", kUnbounded);
  // A request has 32 lanes of at most 16 bytes.
  local_l1 = both("local", "sectors", kWarp * local_requests.high);
  // Sectors that were sampled may be a neighbour's.
  if (no_local && WasSampled(k, "local_load_sectors")) local_l1 = local_requests = 0.0;
  Range global_l1 = both("global", "sectors", std::min(kUnbounded, kWarp * global_requests.high));
  atomic_sectors = read("global_atom_sectors", kWarp * atomic.high) + read("global_red_sectors", kWarp * atomic.high);
  atomic_l2_cycles = read("l2_atomic_cycles", atomic.high > 0 ? kUnbounded : 0);

  // L1 looks up exactly these sectors.
  const Range hits = read("l1_sectors_hit"), misses = read("l1_sectors_miss");
  if (const Range looked_up = hits + misses; looked_up.IsPoint()) {
    const double rest = looked_up.high * 1.01;
    if (!local_l1.IsPoint()) local_l1 = Max(Min(local_l1, std::max(0.0, rest - global_l1.low)), local_l1.low);
    if (!global_l1.IsPoint()) global_l1 = Max(Min(global_l1, std::max(0.0, rest - local_l1.low)), global_l1.low);
  }
  const Range all_l1 = local_l1 + global_l1 + atomic_sectors;

  // Sectors that L2's halves and device memory exchange are no demand of the kernel. Older recordings did not separate
  // them. Misses that L1 merges also wait for L2.
  const Range at_l2 = read("l2_sectors", std::max(all_l1.high, kUnbounded));
  // Each sector of an atomic passes L1 and belongs to the atomic.
  const Range from_l1 = Max(read("l2_sectors_from_l1", at_l2.high), Min(misses, Max(all_l1, misses.low)));
  const Range l2 = NotNegative(from_l1 - atomic_sectors);
  // Dirty lines of L2 are also written back.
  const auto& device = k.record().run.run.device;
  const double dirty = device ? static_cast<double>(device->l2_bytes) : kUnbounded;
  const double most_bytes = std::min(kUnbounded, kSectorBytes * at_l2.high + dirty);
  const Range dram =
      (read("dram_read_bytes", most_bytes) + read("dram_write_bytes", most_bytes)) * (1.0 / kSectorBytes);

  sectors_l1 = local_l1 + global_l1;
  sectors_l2 = l2;
  sectors_dram = dram;

  ReadPlaces(k);

  const Measured share = ExcessShare(k);
  Range excess_part = share ? std::clamp(*share, 0.0, 1.0) : 0.0;
  if (!IsCounted(share) && splits == Splits::kOpen) {
    for (const char* id : {"sass_global_sectors", "sass_global_sectors_ideal"}) read(id);
    // A request needs at least one sector. The exact counts include atomics, so with these the share can be larger.
    const double needed = atomic.high > 0 || global_l1.high <= 0 ? 0 : global_requests.low / global_l1.high;
    excess_part = {0, std::max(0.0, 1 - needed)};
  }

  bool first = true;
  for (const double local_end : local_l1.Ends())
    for (const double global_end : global_l1.Ends())
      for (const double part : excess_part.Ends())
        for (const double l2_end : l2.Ends())
          for (const double dram_end : dram.Ends()) {
            const Levels d = Down(local_end, global_end, part, l2_end, dram_end);
            const std::pair<Range*, double> all[] = {{&local_l2, d.local_l2},       {&local_dram, d.local_dram},
                                                     {&useful_l1, d.useful_l1},     {&useful_l2, d.useful_l2},
                                                     {&useful_dram, d.useful_dram}, {&excess_l1, d.excess_l1},
                                                     {&excess_l2, d.excess_l2},     {&excess_dram, d.excess_dram}};
            for (const auto& [range, value] : all) *range = first ? Range(value) : Hull(*range, value);
            first = false;
          }
}

}  // namespace culprit
