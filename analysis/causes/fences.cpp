// SPDX-License-Identifier: Apache-2.0
// A fence (__threadfence, MEMBAR) holds a warp until what it stored can be seen by others. No counter counts fences:
// the waiting at them is their evidence.
#include <fmt/core.h>

#include "analysis/causes/rooms.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// A twentieth of the time: in kernels without fences the state is empty.
constexpr double kMinShare = 0.05;

std::optional<Opinion> Judge(const Sharing& k) {
  const double share = *k.StallShare("membar"), wait = *k.StallUs("membar");
  if (!(share >= kMinShare)) return std::nullopt;
  const std::string percent = Format(100 * share, Unit::kPercent);
  return Opinion{fmt::format("{} ({}) waits at memory fences until stores can be seen by other threads.",
                             Format(wait, Unit::kTimeUs), percent),
                 wait, fmt::format("{} waits at memory fences", percent)};
}

std::vector<RestShare> TakesRest(const Askers&, const Decomposition&) { return {{"membar", 1.0}}; }
std::optional<Removal> WithoutFences(const Sharing&) { return WithoutWaiting("membar"); }
Measured FenceWaiting(const KernelView& k) { return k.Get("stall_membar"); }

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
      .gain = {"no warp waited at a fence", WithoutFences, "warp-cycles waiting at fences", FenceWaiting},
  };
}

}  // namespace culprit
