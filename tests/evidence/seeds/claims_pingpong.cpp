// SPDX-License-Identifier: Apache-2.0
// What seeds/001 says of a 128x128x16 kernel with two buffers. It names no GPU.
#include "tests/evidence/seeds/criteria.h"

namespace culprit::claims {
namespace {

using enum InstructionClass;

constexpr int kTileK = 16;
constexpr double kLanes = 32, kFloatsOfWideLoad = 4;

Claim FromPingpong(std::string id, std::string text, std::string section, std::string published,
                   std::vector<Criterion> criteria) {
  return {std::move(id),        std::move(text), "seeds/001",        std::move(section),
          std::move(published), "not named",     std::move(criteria)};
}

// FFMA of a thread for each float that it loads from shared memory. Loads are 128 or 32 bits wide in these stages.
Measured Intensity(Evidence& e, const std::string& stage) {
  const Measured ffma = e.Get(stage, "ffma_thread_inst");
  const Measured loads = e.Get(stage, "sass_shared_load_inst"), narrow = e.Sum(stage, kLdsNarrow, "sass_inst");
  return ffma / (Measured(kLanes) * (narrow + Measured(kFloatsOfWideLoad) * (loads - narrow)));
}

Criterion IntensityOf(const std::string& stage, Threshold threshold) {
  return {Role::kClaim, "FFMA per float loaded from shared memory of " + stage,
          [=](Evidence& e) { return Intensity(e, stage); }, std::move(threshold)};
}

}  // namespace

std::vector<Claim> PingpongClaims() {
  return {
      FromPingpong("intensity_of_one", "One result per thread reads two elements for each multiply-add: 1/2.",
                   "accesses of shared memory", "1/2", {IntensityOf("sgemm_smem", About(0.5))}),
      WithNote(
          FromPingpong("intensity_of_tile",
                       "4x4 results per thread read 8 elements for 16 multiply-adds: 16/8 = 2, four times as much.",
                       "accesses of shared memory", "16/8, 4 times",
                       {IntensityOf("sgemm_pingpong", {"at least", Unit::kRatio, {1.95, kInfinity}, {1, kInfinity}}),
                        {Role::kClaim, "that of sgemm_pingpong over that of sgemm_smem",
                         [](Evidence& e) {
                           const Measured tile = Intensity(e, "sgemm_pingpong"), one = Intensity(e, "sgemm_smem");
                           return tile / one;
                         },
                         AtLeast(3.9)}}),
          "Asked is at least that: the document's own kernel, and no stage, computes 4x4 alone; its four 4x4 parts "
          "share "
          "their elements, 64 results from 16."),
      FromPingpong("one_barrier", "With two buffers one barrier per tile is enough.",
                   "code: \"use double buffer, only need one sync\"", "1",
                   {ValueOf("sgemm_pingpong", "error_over_bound", AtMost(1, Unit::kRatio), Role::kClaim),
                    {Role::kClaim, "barriers per warp and tile of sgemm_pingpong",
                     [](Evidence& e) { return BarriersPerTile(e, "sgemm_pingpong", kTileK); }, About(1)}}),
      FromPingpong(
          "prefetch_hides",
          "Prefetching hides the latency of global and shared memory, so that arithmetic stalls less.", "prefetch", "",
          {Speed("sgemm_pingpong", "sgemm_double_buffer", Gains()),
           {Role::kReason,
            "share of long_scoreboard + short_scoreboard in the warp time of sgemm_pingpong over sgemm_double_buffer",
            [](Evidence& e) {
              const auto share = [&](const char* stage) {
                const Measured far = e.Get(stage, "stall_long_scoreboard"),
                               near = e.Get(stage, "stall_short_scoreboard");
                return (far + near) / e.Get(stage, "warps_active");
              };
              const Measured ours = share("sgemm_pingpong"), theirs = share("sgemm_double_buffer");
              return ours / theirs;
            },
            Fewer()}}),
  };
}

}  // namespace culprit::claims
