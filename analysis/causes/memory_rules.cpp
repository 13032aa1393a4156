// SPDX-License-Identifier: Apache-2.0
// What goes away with causes that are about memory. A share that was not counted stays: nothing is promised for it.
#include <algorithm>

#include "analysis/causes/access_shares.h"
#include "analysis/causes/gain_rules.h"

namespace culprit {
namespace {

// Four accesses of 32 bits become one of 128, and their four wavefronts become 2 where lanes share words throughout, 4
// where none do. Measured on the recorded H100 runs: 2 in sgemm_zorder and nearest_centre_16_bytes, 3 in the stages of
// 8x8 tiles around them.
constexpr double kWiderSavesWavefronts = 0.25;

double Part(double one, double all) { return all > 0 ? one / all : 0; }

double PartOf(const std::optional<BusyTime>& busy, double BusyTime::*part) {
  return busy ? Part((*busy).*part, busy->total_us) : 0;
}

double ShareOfPipe(const KernelView& k, const Measured& instructions, std::string_view pipe) {
  return std::min(1.0, (instructions / k.Get(pipe)).value_or(0));
}

std::optional<Removal> WithoutLocal(const KernelView& k) {
  const double sectors = LocalSectorShare(k);
  const double local = k.At("local_load_inst") + k.At("local_store_inst");
  Removal r;
  r.waiting = {{"long_scoreboard", sectors}, {"lg_throttle", sectors}, {"mio_throttle", LocalQueueShare(k)}};
  r.instructions = (Measured(local) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, local, "pipe_lsu_inst");
  r.l1 = PartOf(L1Busy(k), &BusyTime::local_us);
  r.l2 = PartOf(L2Busy(k), &BusyTime::local_us);
  r.dram = PartOf(DramBusy(k), &BusyTime::local_us);
  return r;
}

// `share` of the shared-memory wavefronts, with their waiting.
Removal WithoutWavefronts(const KernelView& k, double share) {
  Removal r;
  r.waiting = {{"short_scoreboard", share * SharedResultShare(k)}, {"mio_throttle", share * SharedQueueShare(k)}};
  r.shared = share;
  r.l1 = share * PartOf(L1Busy(k), &BusyTime::shared_us);
  return r;
}

std::optional<Removal> WithoutConflicts(const KernelView& k) {
  return WithoutWavefronts(k, ConflictShare(k).value_or(0));
}
std::optional<Removal> WithoutSharedTraffic(const KernelView& k) {
  const double accesses = SharedInstructions(k);
  Removal r = WithoutWavefronts(k, 1 - ConflictShare(k).value_or(0));
  r.instructions = (Measured(accesses) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, accesses, "pipe_lsu_inst");
  return r;
}

// What narrow accesses of a memory are of its accesses, and what these would be fewer with as many bytes in accesses of
// 128 bits: three of four that move 32 bits, more of those that move less.
struct Width {
  double narrow = 0, spared = 0;
  double spared_inst = 0;
};
std::optional<Width> WidthOf(const KernelView& k, const std::string& memory) {
  const Measured all = k.Get("sass_" + memory + "_width_inst");
  const Measured narrow = k.Get("sass_" + memory + "_narrow_inst"), spared = k.Get("sass_" + memory + "_spared_inst");
  if (!all || !narrow || !spared) return std::nullopt;
  return Width{Part(*narrow, *all), Part(*spared, *all), *spared};
}

// The wavefronts or sectors that the bytes need stay.
std::optional<Removal> WithWiderShared(const KernelView& k) {
  const auto width = WidthOf(k, "shared");
  if (!width) return std::nullopt;
  const double kept = 1 - ConflictShare(k).value_or(0);
  Removal r;
  r.waiting = {{"mio_throttle", width->spared * SharedQueueShare(k) * kept}};
  r.instructions = (Measured(width->spared_inst) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, width->spared_inst, "pipe_lsu_inst");
  r.shared = kWiderSavesWavefronts * width->narrow * kept;
  r.l1 = r.shared * PartOf(L1Busy(k), &BusyTime::shared_us);
  return r;
}
std::optional<Removal> WithWiderGlobal(const KernelView& k) {
  const auto width = WidthOf(k, "global");
  if (!width) return std::nullopt;
  Removal r;
  r.waiting = {{"lg_throttle", width->spared * GlobalSectorShare(k) * (1 - ExcessShare(k).value_or(0))}};
  r.instructions = (Measured(width->spared_inst) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, width->spared_inst, "pipe_lsu_inst");
  return r;
}

// `share` of the waiting for global memory.
std::optional<Removal> WithoutGlobal(const KernelView& k, double share) {
  const Measured global = k.Get("global_sectors"), local = k.Get("local_sectors");
  if (!global || !local) return std::nullopt;
  // Atomics wait for themselves. They count among the sectors touched, but not as loads or stores.
  const Measured atomics = k.Get("global_atom_sectors") + k.Get("global_red_sectors");
  share *= Part(*global, *global + *local + atomics.value_or(0));
  Removal r;
  r.waiting = {{"long_scoreboard", share}, {"lg_throttle", share}, {"drain", share}};
  // Where nothing of its own passes the queue of the memory input/output unit, what waits there waits for a memory
  // that takes no more.
  const Measured others = k.Get("shared_load_inst") + k.Get("shared_store_inst") + k.Get("pipe_xu_inst");
  if (others && *others == 0 && *local == 0) r.waiting["mio_throttle"] = r.waiting["short_scoreboard"] = share;
  return r;
}

std::optional<Removal> WithoutExcess(const KernelView& k) {
  auto r = WithoutGlobal(k, ExcessShare(k).value_or(0));
  if (!r) return r;
  r->l1 = PartOf(L1Busy(k), &BusyTime::excess_us);
  r->l2 = PartOf(L2Busy(k), &BusyTime::excess_us);
  r->dram = PartOf(DramBusy(k), &BusyTime::excess_us);
  return r;
}

// All but local memory.
double GlobalPart(const std::optional<BusyTime>& busy) {
  return PartOf(busy, &BusyTime::excess_us) + PartOf(busy, &BusyTime::rest_us);
}

// Of L2's sectors, those that device memory fills and that are written back: what is beyond those that L1 asked for.
double FillShare(const KernelView& k) {
  const Measured asked = k.Get("l1_sectors_miss") / k.Get("l2_sectors");
  return asked ? std::clamp(1 - *asked, 0.0, 1.0) : 0;
}

// The traffic of a level takes that of the levels below it along, excess and all.
std::optional<Removal> WithoutDram(const KernelView& k) {
  auto r = WithoutGlobal(k, 1);
  if (!r) return r;
  r->dram = GlobalPart(DramBusy(k));
  r->l2 = r->dram * FillShare(k);
  return r;
}
std::optional<Removal> WithoutL2(const KernelView& k) {
  auto r = WithoutDram(k);
  if (r) r->l2 = GlobalPart(L2Busy(k));
  return r;
}
std::optional<Removal> WithoutL1(const KernelView& k) {
  auto r = WithoutL2(k);
  if (r) r->l1 = GlobalPart(L1Busy(k));
  return r;
}

Measured LocalSectors(const KernelView& k) { return k.Get("local_sectors"); }
Measured Conflicts(const KernelView& k) {
  return k.Get("sass_shared_wavefronts") - k.Get("sass_shared_wavefronts_ideal");
}
Measured Wavefronts(const KernelView& k) {
  const Measured ideal = k.Get("sass_shared_wavefronts_ideal");
  return ideal ? ideal : k.Get("shared_wavefronts");
}
Measured NarrowShared(const KernelView& k) { return k.Get("sass_shared_narrow_inst"); }
Measured NarrowGlobal(const KernelView& k) { return k.Get("sass_global_narrow_inst"); }
Measured Excess(const KernelView& k) { return k.Get("sass_global_sectors") - k.Get("sass_global_sectors_ideal"); }
Measured DramBytes(const KernelView& k) { return k.Get("dram_bytes"); }
Measured L2Sectors(const KernelView& k) { return k.Get("l2_sectors"); }
Measured GlobalSectors(const KernelView& k) { return k.Get("global_sectors"); }

}  // namespace

std::vector<GainRule> MemoryGainRules() {
  constexpr std::string_view local = "the local accesses went away and nothing else took their place";
  return {
      {"local_memory_array", local, WithoutLocal, "local sectors", LocalSectors},
      {"local_memory_spill", local, WithoutLocal, "local sectors", LocalSectors},
      {"shared_traffic", "the shared accesses went away and what waits for them but for bank conflicts",
       WithoutSharedTraffic, "shared wavefronts but for conflicts", Wavefronts},
      {"shared_bank_conflicts", "no two lanes of an access met in a bank", WithoutConflicts,
       "wavefronts of bank conflicts", Conflicts},
      {"shared_access_width",
       "shared accesses of 32 bits and less were as few as with 128 bits each, with three quarters of the wavefronts",
       WithWiderShared, "shared accesses of 32 bits and less", NarrowShared},
      {"global_uncoalesced", "global accesses touched no more sectors than their bytes fill", WithoutExcess,
       "excess global sectors", Excess},
      {"global_access_width",
       "global accesses of 32 bits and less were as few as with 128 bits each, with as many sectors", WithWiderGlobal,
       "global accesses of 32 bits and less", NarrowGlobal},
      {"dram_traffic", "no warp waited for global memory and device memory carried no global accesses", WithoutDram,
       "bytes of device memory", DramBytes},
      {"l2_traffic", "no warp waited for global memory and L2 carried no global accesses", WithoutL2, "L2 sectors",
       L2Sectors},
      {"l1_traffic", "no warp waited for global memory and L1 carried no global accesses", WithoutL1, "global sectors",
       GlobalSectors},
  };
}

}  // namespace culprit
