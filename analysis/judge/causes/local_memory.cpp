// SPDX-License-Identifier: Apache-2.0
// Local memory is device memory with a private address per thread. The compiler puts two things there: arrays that it
// cannot keep in registers (a stack frame without spills), and values for which it has no register (spills). They are
// two causes, because their remedies differ.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/judge/causes/rooms.h"
#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/instruction_counts.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// A stack frame that is used now and then (a printf, an error path) costs nothing. Below 1 % of the sectors that pass
// through L1, no stall reason showed local memory.
constexpr double kMinSectorShare = 0.01;

double SectorShare(const Sharing& k) {
  return PartOf(k.At("local_sectors"), k.At("local_sectors") + k.At("global_sectors"));
}

double Spilled(const Sharing& k) { return k.At("spill_store_bytes") + k.At("spill_load_bytes"); }

const std::vector<std::string_view> kFindingNeeds = {
    "stack_frame_bytes", "spill_store_bytes",  "spill_load_bytes",       "local_sectors",     "global_sectors",
    "local_load_inst",   "local_store_inst",   "shared_load_inst",       "shared_store_inst", "stall_long_scoreboard",
    "stall_lg_throttle", "stall_mio_throttle", "stall_short_scoreboard", "warps_active",      "time_us"};
const std::vector<std::string_view> kAlso = {"registers", "l1_throughput_pct", "l2_throughput_pct", "l2_sectors",
                                             "dram_write_bytes"};

// `what`: the beginning of the sentence.
Opinion Speak(const Sharing& k, const std::string& what, const std::string& brief_what) {
  const double wait = k.WaitUs({"long_scoreboard", "lg_throttle", "mio_throttle", "short_scoreboard"}, kLocalCauses);
  const LevelShare level = LargestShare(k, &BusyTime::local_us);
  const std::string share = Format(100 * SectorShare(k), Unit::kPercent);
  std::string text = fmt::format(
      "{}: {} local loads and stores make {} of the sectors at L1, and {} of the time waits for them", what,
      Format(k.At("local_load_inst") + k.At("local_store_inst"), Unit::kCount), share, Format(wait, Unit::kTimeUs));
  text += level.name.empty() ? "."
                             : fmt::format("; {} works at {} of its peak, and they keep it busy for {}.", level.name,
                                           Format(level.pct, Unit::kPercent), Format(level.time_us, Unit::kTimeUs));
  return {std::move(text), std::max(wait, level.time_us), fmt::format("{}: {} of L1's sectors", brief_what, share)};
}

std::optional<Opinion> JudgeArray(const Sharing& k) {
  if (k.At("stack_frame_bytes") == 0 || LocalOf(k.kernel()) != LocalMemory::kArray) return std::nullopt;
  if (!(SectorShare(k) >= kMinSectorShare)) return std::nullopt;
  const std::string size = Format(k.At("stack_frame_bytes"), Unit::kCapacity);
  return Speak(k,
               fmt::format("An array of {} per thread lives in local memory {}", size,
                           Spilled(k) > 0 ? "beside spilled registers" : "although nothing was spilled"),
               fmt::format("a {} array in local memory", size));
}

std::optional<Opinion> JudgeSpill(const Sharing& k) {
  if (LocalOf(k.kernel()) != LocalMemory::kSpill || !(SectorShare(k) >= kMinSectorShare)) return std::nullopt;
  return Speak(k,
               fmt::format("Registers are spilled to local memory ({} of stores and {} of loads in the code)",
                           Format(k.At("spill_store_bytes"), Unit::kCapacity),
                           Format(k.At("spill_load_bytes"), Unit::kCapacity)),
               "spilled registers");
}

// The demand of all local accesses on each unit.
Range Asks(Wait wait, const Asker& a) {
  const Demand& d = a.demand;
  const auto levels = [&] {
    return a.OfCaches(d.local_l1, d.local_l2, d.local_dram) + a.OfDram(d.local_l1, d.local_dram);
  };
  switch (wait) {
    case Wait::kMemory:
      return levels() + a.local_request * d.local_requests;
    case Wait::kResult:
      return levels() * a.HeldUp();
    case Wait::kQueue:
      return levels() * a.HeldUp() + d.local;
    default:
      return AsInstructions(wait, a, d.local);
  }
}
template <LocalMemory kind>
Range AsksOf(Wait wait, const Asker& asker) {
  if (!asker.arrays) return asker.local == kind ? Asks(wait, asker) : 0.0;
  if (kind == LocalMemory::kUnknown) return 0.0;
  return Asks(wait, asker) * (kind == LocalMemory::kArray ? *asker.arrays : 1 - *asker.arrays);
}

std::optional<Removal> WithoutLocal(const Sharing& k) {
  const double local = k.At("local_load_inst") + k.At("local_store_inst");
  Removal r;
  const double memory = k.Of(Wait::kMemory, kLocalCauses);
  r.waiting = {{"long_scoreboard", memory},
               {"lg_throttle", memory},
               {"mio_throttle", k.Of(Wait::kQueue, kLocalCauses)},
               {"short_scoreboard", k.Of(Wait::kResult, kLocalCauses)}};
  r.instructions = (Measured(local) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, local, "pipe_lsu_inst");
  r.l1 = PartOf(L1Busy(k), &BusyTime::local_us);
  r.l2 = PartOf(L2Busy(k), &BusyTime::local_us);
  r.dram = PartOf(DramBusy(k), &BusyTime::local_us);
  return r;
}

double Local(const InstructionRecord& i) {
  return CountOf(i, "sass_local_load_inst") + CountOf(i, "sass_local_store_inst");
}

// True for an array of a thread, unless the value says that it is in shared memory or registers.
bool MayBeLocal(std::string_view v) {
  return !topic::IsNone(v) && !topic::Has(v, "shared") && !topic::Has(v, "register");
}

constexpr std::string_view kAssumption = "the local accesses went away and nothing else took their place";
constexpr unsigned kLoads = units::kIssue | units::kMemory;
constexpr Symptom kSymptom = {"local sectors", "local_sectors"};
constexpr SourceCount kSource = {"local loads and stores", Local};
const GainRule kGain = {kAssumption, WithoutLocal, "local sectors", "local_sectors", true};

}  // namespace

Cause LocalMemoryArray() {
  return {
      .id = "local_memory_array",
      .title = "an array in local memory",
      .saves = "less of an array in local memory",
      .explains = "waiting for memory (long_scoreboard, lg_throttle, mio_throttle) and the instructions LDL and STL",
      .moves = "local sectors and instructions grow without spilled registers",
      .remedy = "index the array with constants: unroll the loops around it, or keep it in shared memory",
      .needs = {"local_load_inst", "local_store_inst", "local_load_sectors", "local_store_sectors"},
      .evidence = {"stack_frame_bytes", "spill_store_bytes", "local_load_inst", "local_store_inst",
                   "local_load_sectors", "local_store_sectors", "l2_sectors", "dram_write_bytes"},
      .rises = {"local_load_inst", "local_store_inst", "local_load_sectors", "local_store_sectors",
                "stack_frame_bytes"},
      .loads = kLoads,
      .asks = AsksOf<LocalMemory::kArray>,
      .symptom = kSymptom,
      .source = kSource,
      .sampled = SampledAt{kLocalAccesses},
      .topics = {{"accumulator storage", MayBeLocal, true}, {"intermediate results", MayBeLocal, true}},
      .finding = {kFindingNeeds, JudgeArray, kAlso},
      .gain = kGain,
  };
}

Cause LocalMemorySpill() {
  return {
      .id = "local_memory_spill",
      .title = "registers spilled to local memory",
      .saves = "fewer registers spilled to local memory",
      .explains = "waiting for memory (long_scoreboard, lg_throttle, mio_throttle) and the instructions LDL and STL",
      .moves = "local sectors and instructions grow, and the code holds spills",
      .remedy = "give the kernel more registers (launch bounds), or keep fewer values alive",
      .needs = {"local_load_inst", "local_store_inst", "local_load_sectors", "local_store_sectors", "spill_store_bytes",
                "stack_frame_bytes"},
      .evidence = {"spill_store_bytes", "spill_load_bytes", "registers", "local_load_inst", "local_store_inst",
                   "local_load_sectors", "local_store_sectors", "l2_sectors"},
      .rises = {"local_load_inst", "local_store_inst", "local_load_sectors", "local_store_sectors", "spill_store_bytes",
                "spill_load_bytes"},
      .loads = kLoads,
      .asks = AsksOf<LocalMemory::kSpill>,
      .symptom = kSymptom,
      .source = kSource,
      .sampled = SampledAt{.operations = kLocalAccesses, .instead = {"spill_store_bytes", "stack_frame_bytes"}},
      .finding = {kFindingNeeds, JudgeSpill, kAlso},
      .gain = kGain,
  };
}

Cause LocalMemoryUnknown() {
  return {
      .id = "local_memory_unknown",
      .title = "local memory, array or spill not known",
      .saves = "less local memory, array or spill not known",
      .explains = "waiting for memory (long_scoreboard, lg_throttle, mio_throttle) and the instructions LDL and STL",
      .moves = "local sectors and instructions grow, and nothing says what the local memory holds",
      .remedy = "build with -Xptxas -v: spills want more registers, an array wants constant indices",
      .needs = {"local_load_inst", "local_store_inst", "local_load_sectors", "local_store_sectors"},
      .evidence = {"stack_frame_bytes", "registers", "local_load_inst", "local_store_inst", "local_load_sectors",
                   "local_store_sectors", "l2_sectors", "dram_write_bytes"},
      .rises = {"local_load_inst", "local_store_inst", "local_load_sectors", "local_store_sectors"},
      .loads = kLoads,
      .asks = AsksOf<LocalMemory::kUnknown>,
      .symptom = kSymptom,
      .source = kSource,
      .sampled = SampledAt{kLocalAccesses},
  };
}

}  // namespace culprit
