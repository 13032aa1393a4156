// SPDX-License-Identifier: Apache-2.0
// Local memory is device memory with a private address per thread. The compiler puts two things there: arrays that it
// could not keep in registers (a stack frame without spills) and registers that it ran out of (spills). The remedies
// differ, so the causes do.
#include <fmt/core.h>

#include "analysis/findings/rules.h"
#include "analysis/format.h"

namespace culprit {
namespace {

// A stack frame that is used now and then (a printf, an error path) costs nothing. Below 1 % of the sectors that pass
// through L1 we could not see local memory in any stall reason.
constexpr double kMinSectorShare = 0.01;

double LocalShare(const KernelView& k) {
  const double local = k.At("local_sectors");
  return local == 0 ? 0 : local / (local + k.At("global_sectors"));
}

// Local and global loads wait in the same two states, so their time is shared out by the sectors that each asked for.
double LocalWait(const KernelView& k, double share) {
  return share * (*k.StallUs("long_scoreboard") + *k.StallUs("lg_throttle"));
}

double Spilled(const KernelView& k) { return k.At("spill_store_bytes") + k.At("spill_load_bytes"); }

const std::vector<std::string_view> kNeeds = {
    "stack_frame_bytes", "spill_store_bytes", "spill_load_bytes", "local_sectors",
    "global_sectors",    "local_load_inst",   "local_store_inst", "stall_long_scoreboard",
    "stall_lg_throttle", "warps_active",      "time_us"};
const std::vector<std::string_view> kAlso = {"registers", "l2_sectors", "dram_write_bytes"};

std::optional<Opinion> JudgeArray(const KernelView& k) {
  const double share = LocalShare(k);
  if (k.At("stack_frame_bytes") == 0 || Spilled(k) > 0 || !(share >= kMinSectorShare)) return std::nullopt;
  const double wait = LocalWait(k, share);
  return Opinion{fmt::format("An array of {} per thread lives in local memory although nothing was spilled: {} local "
                             "loads and stores make "
                             "{} of the sectors at L1, and {} of the time waits for them.",
                             Format(k.At("stack_frame_bytes"), Unit::kCapacity),
                             Format(k.At("local_load_inst") + k.At("local_store_inst"), Unit::kCount),
                             Format(100 * share, Unit::kPercent), Format(wait, Unit::kTimeUs)),
                 wait};
}

std::optional<Opinion> JudgeSpill(const KernelView& k) {
  const double share = LocalShare(k);
  if (Spilled(k) == 0 || !(share >= kMinSectorShare)) return std::nullopt;
  const double wait = LocalWait(k, share);
  return Opinion{
      fmt::format(
          "Registers are spilled to local memory ({} of stores and {} of loads in the code): {} local loads and stores "
          "make {} of the sectors at L1, and {} of the time waits for them.",
          Format(k.At("spill_store_bytes"), Unit::kCapacity), Format(k.At("spill_load_bytes"), Unit::kCapacity),
          Format(k.At("local_load_inst") + k.At("local_store_inst"), Unit::kCount), Format(100 * share, Unit::kPercent),
          Format(wait, Unit::kTimeUs)),
      wait};
}

}  // namespace

FindingRule LocalMemoryArrayRule() { return {"local_memory_array", kNeeds, JudgeArray, kAlso}; }
FindingRule LocalMemorySpillRule() { return {"local_memory_spill", kNeeds, JudgeSpill, kAlso}; }

}  // namespace culprit
