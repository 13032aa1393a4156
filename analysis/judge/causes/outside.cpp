// SPDX-License-Identifier: Apache-2.0
// Memory of the host, and requests that meet in one slice of L2. Both depend on where data lies, so the same machine code
// can be fast or slow.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/judge/causes/rooms.h"
#include "analysis/number/format.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

// Reported if the link or the slice is busy for at least a tenth of the time, as for barriers.
constexpr double kMinBusyShare = 0.10;

constexpr std::array<std::string_view, 1> kHost = {"host_memory"}, kCamping = {"l2_camping"};

Range AsksHost(Wait wait, const Asker& a) { return wait == Wait::kMemory ? a.OfHost() : 0.0; }
Range AsksSlice(Wait wait, const Asker& a) { return wait == Wait::kMemory ? a.OfSlice() : 0.0; }

// Runs of programs have no clock, so the counted execution says what a cycle is.
double InUs(double cycles, const Sharing& k) { return cycles / k.At("sm_cycles_elapsed_max") * k.At("time_us"); }

std::optional<Opinion> JudgeHost(const Sharing& k) {
  const double bytes = kSectorBytes * k.demand().host_sectors.value_or(0), time = k.At("time_us");
  const double us = InUs(bytes / (MachineOf(k.kernel().record().run.run).host_bytes * k.At("sm_count")), k);
  if (!(us >= kMinBusyShare * time)) return std::nullopt;
  const std::string percent = Format(100 * us / time, Unit::kPercent);
  return Opinion{
      fmt::format("{} are read from or written to memory of the host. The link to it needs at least {} for them, {} "
                  "of the time.",
                  Format(bytes, Unit::kBytes), Format(us, Unit::kTimeUs), percent),
      std::min(us, time), fmt::format("{} by the link to the host", Format(bytes, Unit::kBytes))};
}

std::optional<Opinion> JudgeCamping(const Sharing& k) {
  const double busiest = k.At("l2_slice_requests_max"), average = k.At("l2_slice_requests_avg"), time = k.At("time_us");
  const double us = InUs(k.demand().camped_requests.value_or(0) / kOneLineRequests, k);
  if (!(us >= kMinBusyShare * time)) return std::nullopt;
  const std::string times = Format(busiest / average, Unit::kRatio);
  return Opinion{fmt::format("One slice of L2 gets {} requests, {} times the average of all slices: they wait for each "
                             "other there.",
                             Format(busiest, Unit::kCount), times),
                 std::min(us, time), fmt::format("one slice of L2 gets {} times the average", times)};
}

std::optional<Removal> WithoutHost(const Sharing& k) { return WithoutMemory(k, kHost); }
std::optional<Removal> WithoutCamping(const Sharing& k) { return WithoutMemory(k, kCamping); }

}  // namespace

Cause HostMemory() {
  return {
      .id = "host_memory",
      .title = "memory of the host",
      .saves = "less memory of the host",
      .explains = "long_scoreboard, lg_throttle and drain",
      .moves = "sectors that the kernel reads from or writes to memory of the host (zero-copy)",
      .remedy = "copy the data to the GPU before the kernel, or read each byte of it once, in whole lines",
      .needs = {"host_sectors"},
      .evidence = {"host_sectors"},
      .rises = {"host_sectors"},
      .loads = units::kMemory,
      .asks = AsksHost,
      .symptom = {"sectors of the host's memory", "host_sectors"},
      .sampled = SampledAt{kGlobalAccesses},
      .finding = {{"host_sectors", "time_us", "sm_cycles_elapsed_max", "sm_count"}, JudgeHost},
      .gain = {"no warp waited for memory of the host", WithoutHost, "sectors of the host's memory", "host_sectors",
               true},
  };
}

Cause L2Camping() {
  return {
      .id = "l2_camping",
      .title = "requests that meet in one slice of L2",
      .saves = "requests that are spread over the slices of L2",
      .explains = "long_scoreboard, lg_throttle and drain",
      .moves = "requests of the busiest slice of L2, beyond twice the average and beyond atomics",
      .remedy = "keep what all blocks read in L1, shared or constant memory, or give each block a copy of its own",
      .needs = {"l2_slice_requests_max", "l2_slice_requests_avg", "global_atom_sectors", "global_red_sectors"},
      .evidence = {"l2_slice_requests_max", "l2_slice_requests_avg"},
      .rises = {"l2_slice_requests_max"},
      .loads = units::kMemory,
      .asks = AsksSlice,
      .symptom = {"requests of the busiest slice of L2", "l2_slice_requests_max"},
      .sampled = SampledAt{kGlobalAccesses},
      .finding = {{"l2_slice_requests_max", "l2_slice_requests_avg", "global_atom_sectors", "global_red_sectors",
                   "time_us", "sm_cycles_elapsed_max"},
                  JudgeCamping},
      .gain = {"requests shared the slices of L2 evenly", WithoutCamping, "requests of the busiest slice of L2",
               "l2_slice_requests_max", true},
  };
}

}  // namespace culprit
