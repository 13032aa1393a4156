// SPDX-License-Identifier: Apache-2.0
// Local memory is device memory with a private address per thread. The compiler puts two things there: arrays that it
// could not keep in registers (a stack frame without spills) and registers that it ran out of (spills). The remedies
// differ, so the causes do.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/causes/access_shares.h"
#include "analysis/causes/finding_rules.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// A stack frame that is used now and then (a printf, an error path) costs nothing. Below 1 % of the sectors that pass
// through L1 we could not see local memory in any stall reason.
constexpr double kMinSectorShare = 0.01;

double Spilled(const KernelView& k) { return k.At("spill_store_bytes") + k.At("spill_load_bytes"); }

const std::vector<std::string_view> kNeeds = {"stack_frame_bytes", "spill_store_bytes",
                                              "spill_load_bytes",  "local_sectors",
                                              "global_sectors",    "local_load_inst",
                                              "local_store_inst",  "shared_load_inst",
                                              "shared_store_inst", "stall_long_scoreboard",
                                              "stall_lg_throttle", "stall_mio_throttle",
                                              "warps_active",      "time_us"};
const std::vector<std::string_view> kAlso = {"registers", "l1_throughput_pct", "l2_throughput_pct", "l2_sectors",
                                             "dram_write_bytes"};

// `what` is the beginning of the sentence.
Opinion Speak(const KernelView& k, const std::string& what, const std::string& brief_what) {
  const double wait = LocalWaitUs(k);
  const LevelShare level = LargestShare(k, &BusyTime::local_us);
  const std::string share = Format(100 * LocalSectorShare(k), Unit::kPercent);
  std::string text = fmt::format(
      "{}: {} local loads and stores make {} of the sectors at L1, and {} of the time waits for them", what,
      Format(k.At("local_load_inst") + k.At("local_store_inst"), Unit::kCount), share, Format(wait, Unit::kTimeUs));
  text += level.name.empty()
              ? "."
              : fmt::format("; they fill {}, which works at {} of its peak, and need {} there.", level.name,
                            Format(level.pct, Unit::kPercent), Format(level.time_us, Unit::kTimeUs));
  return {std::move(text), std::max(wait, level.time_us), fmt::format("{}: {} of L1's sectors", brief_what, share)};
}

std::optional<Opinion> JudgeArray(const KernelView& k) {
  if (k.At("stack_frame_bytes") == 0 || Spilled(k) > 0 || !(LocalSectorShare(k) >= kMinSectorShare))
    return std::nullopt;
  const std::string size = Format(k.At("stack_frame_bytes"), Unit::kCapacity);
  return Speak(k, fmt::format("An array of {} per thread lives in local memory although nothing was spilled", size),
               fmt::format("a {} array in local memory", size));
}

std::optional<Opinion> JudgeSpill(const KernelView& k) {
  if (Spilled(k) == 0 || !(LocalSectorShare(k) >= kMinSectorShare)) return std::nullopt;
  return Speak(k,
               fmt::format("Registers are spilled to local memory ({} of stores and {} of loads in the code)",
                           Format(k.At("spill_store_bytes"), Unit::kCapacity),
                           Format(k.At("spill_load_bytes"), Unit::kCapacity)),
               "spilled registers");
}

}  // namespace

FindingRule LocalMemoryArrayRule() { return {"local_memory_array", kNeeds, JudgeArray, kAlso}; }
FindingRule LocalMemorySpillRule() { return {"local_memory_spill", kNeeds, JudgeSpill, kAlso}; }

}  // namespace culprit
