// SPDX-License-Identifier: Apache-2.0
// A fence (__threadfence, MEMBAR) delays a warp until its stores are visible to others. No counter counts fences, so
// the waiting at them is the evidence.
#include "analysis/judge/causes/rooms.h"

namespace culprit {
namespace {

// Reported if warps wait at least a twentieth of the time. Kernels without fences spend no time in this state.
constexpr double kMinFenceShare = 0.05;

std::optional<Opinion> Judge(const Sharing& k) {
  return WaitsIn("membar", k, kMinFenceShare, "waits at memory fences until stores can be seen by other threads",
                 "waits at memory fences");
}

std::vector<RestShare> TakesRest(const Askers&, const Decomposition&) { return {{"membar", 1.0}}; }
std::optional<Removal> WithoutFences(const Sharing&) { return WithoutWaiting("membar"); }

}  // namespace

Cause MemoryFence() {
  return {
      .id = "memory_fence",
      .title = "memory fences",
      .saves = "fewer or shorter memory fences",
      .explains = "membar",
      .moves = "the stall membar: fences themselves are not counted",
      .remedy = "fence once for many stores, for a block alone (__threadfence_block), or not at all",
      .needs = {"stall_membar"},
      .evidence = {"stall_membar", "global_store_inst", "stall_drain"},
      .rises = {"stall_membar"},
      .takes_rest = TakesRest,
      .sampled = SampledAt{{Operation::kFence}},
      .finding = {{"stall_membar", "warps_active", "time_us"}, Judge, {"global_store_inst"}},
      .gain = {"no warp waited at a fence", WithoutFences, "warp-cycles waiting at fences", "stall_membar"},
  };
}

}  // namespace culprit
