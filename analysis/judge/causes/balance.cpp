// SPDX-License-Identifier: Apache-2.0
// Warps that wait for other warps, SMs that have run out of blocks, and the costs of launch and clock.
#include <fmt/core.h>

#include "analysis/judge/causes/rooms.h"
#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/instruction_counts.h"
#include "analysis/number/format.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

// Reported if the least busy SM is active for a tenth less than the busiest one. That is about one block in ten.
constexpr double kMinImbalance = 0.10;
// Tiling needs barriers. Above a tenth of the time, they cost more than tiling explains.
constexpr double kMinBarrierShare = 0.10;

bool IsOneKernel(const Sharing& k) { return k.At("launch_kernels") <= 1; }

// Elapsed cycles in which a sub-partition had no warp at all.
double IdleShare(const Sharing& k) { return 1 - k.At("smsp_cycles_active") / k.At("smsp_cycles_elapsed"); }

// Between the kernels of one launch, no SM has work.
std::optional<Opinion> JudgeLaunch(const Sharing& k) {
  const double kernels = k.At("launch_kernels"), idle = IdleShare(k);
  if (IsOneKernel(k) || !(idle >= kMinIdleShare)) return std::nullopt;
  const double wait = idle * k.At("time_us");
  const std::string share = Format(100 * idle, Unit::kPercent), count = Format(kernels, Unit::kCount);
  return Opinion{fmt::format("{} kernels make one launch: SMs without a warp, between them and at their ends, make {} "
                             "of the time, {}.",
                             count, share, Format(wait, Unit::kTimeUs)),
                 wait, fmt::format("{} kernels in a launch: {} of the time without a warp", count, share)};
}

std::optional<Opinion> JudgeTail(const Sharing& k) {
  // If a launch has several kernels, so much idle time comes from launching.
  if (!IsOneKernel(k) && IdleShare(k) >= kMinIdleShare) return std::nullopt;
  const double most = k.At("sm_cycles_active_max"), least = k.At("sm_cycles_active_min");
  if (!(most - least >= kMinImbalance * most) || most == 0) return std::nullopt;
  const double idle = IdleShare(k);
  const double wait = idle * k.At("time_us");
  const std::string share = Format(100 * idle, Unit::kPercent);
  const Measured blocks = k.Get("blocks"), sms = k.Get("sm_count"), waves = k.Get("waves");
  std::string grid, brief;
  if (blocks && sms) {
    brief = fmt::format("{} blocks on {} SMs", Format(*blocks, Unit::kCount), Format(*sms, Unit::kCount));
    grid = " (" + brief + (waves ? fmt::format(", {} waves)", Format(*waves, Unit::kRatio)) : ")");
    brief += ": ";
  }
  brief += fmt::format("{} of the time without a warp", share);
  return Opinion{
      fmt::format("The idlest SM works {} of the cycles of the busiest{}; SMs without a warp make {} of the time, {}.",
                  Format(100 * least / most, Unit::kPercent), grid, share, Format(wait, Unit::kTimeUs)),
      wait, std::move(brief)};
}

// Counters include warps at wgmma.wait_group in `barrier`.
bool MayAwaitProducts(const Sharing& k) { return k.Get("tensor_gmma_inst").value_or(0) > 0; }

std::optional<Opinion> JudgeBarrier(const Sharing& k) {
  if (MayAwaitProducts(k))
    return WaitsIn(
        "barrier", k, kMinBarrierShare,
        "waits at barriers for warps that are late, or for matrix products of warpgroups, which the hardware "
        "counts together; samples of instructions tell them apart",
        "waits at barriers or for matrix products");
  return WaitsIn("barrier", k, kMinBarrierShare,
                 "waits at barriers for warps that are late: their reasons are in the other findings",
                 "waits at barriers");
}

Range AsksBarriers(Wait wait, const Asker& a) { return wait == Wait::kBarrier ? a.demand.barriers : 0.0; }

// Neither the compiler nor a warp moves instructions across a barrier, and after the barrier all warps issue the same
// instructions at once. So latencies no longer overlap there. A visit costs at most the longest latency that would
// overlap, which is that of shared memory. Barriers that were planted on an H200 cost at most 18 cycles a visit, most
// of them 7 to 13.
constexpr double kAnewCycles = h200::kSharedCycles;
constexpr std::array<std::string_view, 4> kMixed = {"short_scoreboard", "mio_throttle", "wait", "math_pipe_throttle"};
std::vector<RestShare> TakesAnew(const Askers& pair, const Decomposition& d) {
  const double sign = d.DeltaUs() < 0 ? -1 : 1;
  const Range most = Max((pair.candidate.demand.barriers - pair.base.demand.barriers) * (sign * kAnewCycles), 0.0);
  double grew = 0;
  for (const std::string_view state : kMixed)
    if (const StallDifference* stall = d.Find(state))
      grew += std::max(0.0, sign * (stall->candidate_cycles - stall->base_cycles));
  if (!(grew > 0) || !(most.high > 0)) return {};
  std::vector<RestShare> shares;
  for (const std::string_view state : kMixed) shares.push_back({state, Min(most * (1 / grew), 1.0)});
  return shares;
}

std::optional<Removal> WithoutIdleSms(const Sharing&) {
  Removal r;
  r.idle_sms = 1;
  return r;
}
std::optional<Removal> WithoutLateWarps(const Sharing& k) {
  if (MayAwaitProducts(k)) return std::nullopt;
  return WithoutWaiting("barrier");
}

double Barriers(const InstructionRecord& i) { return i.opcode == "BAR" ? CountOf(i, "sass_inst") : 0; }

}  // namespace

Cause ImbalanceTail() {
  return {
      .id = "imbalance_tail",
      .title = "SMs short of work",
      .saves = "SMs less short of work",
      .explains = "the factors imbalance_tail and, where occupancy is not what limits, parallelism",
      .moves =
          "elapsed over active cycles; or resident warps at equal theoretical occupancy, or with a grid too small "
          "for it",
      .remedy = "more and smaller blocks, evened out, in a grid that fills whole waves",
      .needs = {"smsp_cycles_active", "smsp_cycles_elapsed", "warps_active"},
      .evidence = {"smsp_cycles_active", "smsp_cycles_elapsed", "sm_cycles_active_min", "sm_cycles_active_max",
                   "blocks", "waves", "achieved_occupancy_pct"},
      .factor = Factor::kImbalance,
      .finding = {{"launch_kernels", "sm_cycles_active_max", "sm_cycles_active_min", "smsp_cycles_active",
                   "smsp_cycles_elapsed", "time_us"},
                  JudgeTail,
                  {"blocks", "sm_count", "waves"}},
      .gain = {"all SMs had work from start to end", WithoutIdleSms, "cycles without a warp", "smsp_cycles_idle"},
  };
}

Cause Barrier() {
  return {
      .id = "barrier",
      .title = "more barriers",
      .saves = "fewer barriers",
      .explains =
          "the stall barrier; wait, math_pipe_throttle, short_scoreboard and mio_throttle beyond what is asked for",
      .moves = "barriers executed, also where there were none before",
      .remedy = "leave out the barriers that order nothing",
      .needs = {"barrier_inst", "stall_barrier"},
      .evidence = {"barrier_inst", "stall_barrier"},
      .rises = {"barrier_inst"},
      .loads = units::kIssue,
      .asks = AsksBarriers,
      .takes_rest = TakesAnew,
      .source = {"barriers", Barriers},
      .sampled = SampledAt{{Operation::kBarrier}, {"barrier"}},
      .finding = {{"stall_barrier", "warps_active", "time_us"}, JudgeBarrier},
      .gain = {"no warp came late to a barrier", WithoutLateWarps, "warp-cycles waiting at barriers", "stall_barrier"},
  };
}

// Longer cycles slow down all units.
Cause Clock() {
  return {
      .id = "clock",
      .title = "a lower clock",
      .saves = "a higher clock",
      .explains = "the factor clock",
      .moves = "the SM clock during the timed samples",
      .remedy = "compare cycles; look for the power limit",
      .needs = {"clock_mhz"},
      .evidence = {"clock_mhz", "time_us"},
      .loads = units::kEvery,
      .factor = Factor::kClock,
  };
}

Cause Launch() {
  return {
      .id = "launch",
      .title = "launching",
      .saves = "less launching",
      .explains = "the factors launch and imbalance_tail",
      .moves = "the number of kernels in a launch",
      .remedy = "launch less often: fuse kernels, or use a graph",
      .needs = {"launch_kernels"},
      .evidence = {"launch_kernels", "smsp_cycles_active", "smsp_cycles_elapsed", "time_us"},
      .rises = {"launch_kernels"},
      .loads = units::kEvery,
      .factor = Factor::kLaunch,
      .finding = {{"launch_kernels", "smsp_cycles_active", "smsp_cycles_elapsed", "time_us"}, JudgeLaunch},
      .gain = {"one kernel did the work of all without a pause", WithoutIdleSms, "kernels in a launch",
               "launch_kernels"},
  };
}

}  // namespace culprit
