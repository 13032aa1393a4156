// SPDX-License-Identifier: Apache-2.0
// What seeds/002 says: one factor taken back at a time, on an A10. Its figures are those of analysis/published.
#include <fmt/core.h>

#include "analysis/number/format.h"
#include "tests/evidence/seeds/criteria.h"
#include "tests/evidence/seeds/published.h"

namespace culprit::claims {
namespace {

using enum InstructionClass;

constexpr int kTileK = 8;
// float r_c[8][8]
constexpr double kSumsBytes = 256;

Claim FromStudy(std::string id, std::string text, std::string section, std::string published,
                std::vector<Criterion> criteria) {
  const PublishedTable& table = PublishedVStudy();
  return {std::move(id),        std::move(text),        std::string(table.document), std::move(section),
          std::move(published), std::string(table.gpu), std::move(criteria)};
}

double Gflops(const std::string& stage) { return PublishedVStudy().Find(stage, "gflops").value(); }

double ChangePct(const std::string& candidate, const std::string& base) {
  return 100 * (Gflops(candidate) / Gflops(base) - 1);
}

std::string Step(const std::string& candidate, const std::string& base) {
  return fmt::format("{} to {} ({})", Format(Gflops(base), Unit::kCount), Format(Gflops(candidate), Unit::kGflops, 0),
                     Format(ChangePct(candidate, base), Unit::kChangePercent));
}

Criterion AsPublished(const std::string& candidate, const std::string& base) {
  return Speed(candidate, base, LikePublished(ChangePct(candidate, base)));
}

// Shared stores of a thread per tile, each thread taking part in all of them.
Criterion StoresPerTile(const std::string& stage, InstructionClass which, const std::string& name, double expected) {
  return {Role::kClaim, fmt::format("{} per thread and tile of {}", name, stage),
          [=](Evidence& e) { return PerWarpAndTile(e.Sum(stage, which, "sass_inst"), e, stage, kTileK); },
          About(expected)};
}

Measured WideLoadsPct(Evidence& e, const std::string& stage) {
  const Measured loads = e.Get(stage, "sass_shared_load_inst"), narrow = e.Sum(stage, kLdsNarrow, "sass_inst");
  return Measured(100) * (loads - narrow) / loads;
}

Criterion WideLoads(const std::string& stage, Threshold threshold, Role role) {
  return {role, "share of LDS.128 among the shared loads of " + stage,
          [=](Evidence& e) { return WideLoadsPct(e, stage); }, std::move(threshold)};
}

// Throughput regained over throughput lost, in percent.
Criterion Recovers(const std::string& repaired, const std::string& broken, const std::string& whole,
                   Threshold threshold) {
  return {Role::kClaim, fmt::format("throughput that {} regains of what {} lost against {}", repaired, broken, whole),
          [=](Evidence& e) {
            const Measured regained = TimeRatio(e, {broken}, {repaired}) - Measured(1);
            const Measured lost = TimeRatio(e, {broken}, {whole}) - Measured(1);
            return Measured(100) * regained / lost;
          },
          std::move(threshold)};
}

Threshold Most() { return {"most", Unit::kPercent, {50, 125}, {20, kInfinity}}; }

std::vector<Claim> Starting() {
  return {
      FromStudy("v0_over_naive", "The first tiled version (V0) beats the naive kernel.", "background",
                Step("v0", "sgemm_naive"), {AsPublished("v0", "sgemm_naive")}),
      FromStudy("v1_slower_than_v0", "8x8 results per thread (V1) made it slower than one result per thread (V0).",
                "background", Step("v1", "v0"), {AsPublished("v1", "v0")}),
      FromStudy("v2_of_cublas", "Table: the version to start from (V2) reaches about 70 % of cuBLAS.",
                "performance table",
                fmt::format("{} of {}", Format(100 * Gflops("v2") / Gflops("cublas_sgemm"), Unit::kPercent),
                            Format(Gflops("cublas_sgemm"), Unit::kGflops, 0)),
                ShareOf("cublas_sgemm", "v2", {"about", Unit::kPercent, {60, 80}, {50, 90}})),
  };
}

std::vector<Claim> Moves() {
  return {
      FromStudy("v1_9",
                "Four single floats instead of a float4 between global and shared memory cost 12 %: the number of "
                "instructions matters.",
                "analysis, V2 to V1.9", Step("v1_9", "v2"),
                {AsPublished("v1_9", "v2"), RatioOf("inst_executed", "v1_9", "v2", More()),
                 RatioOf("global_load_inst", "v1_9", "v2", More())}),
      FromStudy("v1_9_memory_busy", "What float4 to four floats raises is mainly how busy memory is.",
                "analysis, V2 to V1.9: \"needs ncu to confirm\"", "",
                {RatioOf("l1_throughput_pct", "v1_9", "v2", More(), Role::kClaim),
                 RatioOf("memory_throughput_pct", "v1_9", "v2", More(), Role::kShown)}),
      FromStudy("v1_9_coalescing", "Four floats instead of a float4 put more pressure on coalescing.",
                "analysis, V2 to V1.9: \"needs ncu to confirm\"", "",
                {RatioOf("global_load_sectors", "v1_9", "v2", More(), Role::kClaim),
                 RatioOf("global_load_requests", "v1_9", "v2", More(), Role::kShown)}),
      FromStudy("v1_8", "Leaving out unroll has a small effect, 3 %.", "analysis, V1.9 to V1.8", Step("v1_8", "v1_9"),
                {AsPublished("v1_8", "v1_9")}),
      FromStudy("v1_7", "Moving single floats costs 28 %, because more shared-memory instructions are used.",
                "analysis, V1.8 to V1.7", Step("v1_7", "v1_8"),
                {AsPublished("v1_7", "v1_8"),
                 {Role::kReason, "shared loads and stores of v1_7 over v1_8",
                  [](Evidence& e) {
                    const auto all = [&](const char* stage) {
                      const Measured loads = e.Get(stage, "shared_load_inst"),
                                     stores = e.Get(stage, "shared_store_inst");
                      return loads + stores;
                    };
                    const Measured ours = all("v1_7"), theirs = all("v1_8");
                    return ours / theirs;
                  },
                  More()}}),
      FromStudy("v1_7_stores", "V1.8 writes a tile with 2 STS.128 per thread, V1.7 with 8 STS.",
                "analysis, V1.8 to V1.7", "2 STS.128, 8 STS",
                {StoresPerTile("v1_8", kSts128, "STS.128", 2), StoresPerTile("v1_7", kSts, "STS", 8)}),
      FromStudy(
          "v1_7_loads",
          "V1.8 reads shared memory with LDS.128 only, V1.7 with many narrow LDS, although that code is the same.",
          "analysis, V1.8 to V1.7", "all against not all",
          // The claim is a difference: if both are alike, it is false. The reason is how wide V1.8 reads.
          {{Role::kClaim,
            "LDS.128 among the shared loads, v1_8 less v1_7",
            [](Evidence& e) {
              const Measured wide = WideLoadsPct(e, "v1_8"), narrower = WideLoadsPct(e, "v1_7");
              return wide - narrower;
            },
            {"many fewer", Unit::kPercent, {10, 100}, {1, 100}}},
           WideLoads("v1_8", {"all", Unit::kPercent, {99, 100}, {90, 100}}, Role::kReason),
           WideLoads("v1_7", OnlyShown(Unit::kPercent), Role::kShown)}),
      FromStudy("v1_7_dram", "DRAM traffic of V1.7 and V1.8 is about the same.", "analysis, V1.8 to V1.7",
                "about equal",
                {RatioOf("dram_bytes", "v1_7", "v1_8", {"about equal", Unit::kTimes, {0.9, 1.1}, {0.8, 1.25}},
                         Role::kClaim)}),
      FromStudy("v1_7_1", "Table: volatile shared memory makes V1.7 collapse.", "performance table",
                Step("v1_7_1", "v1_7"),
                {AsPublished("v1_7_1", "v1_7"), RatioOf("shared_load_inst", "v1_7_1", "v1_7", More(), Role::kShown)}),
      FromStudy("v1_7_2", "Table: unroll back again gains 15 % over V1.7.", "performance table", Step("v1_7_2", "v1_7"),
                {AsPublished("v1_7_2", "v1_7")}),
  };
}

std::vector<Claim> LocalMemory() {
  return {
      FromStudy("v1_6",
                "Changing only the loop nest to m->n->k makes the performance collapse, because local memory appears.",
                "analysis, V1.7 to V1.6", Step("v1_6", "v1_7"),
                {AsPublished("v1_6", "v1_7"), ValueOf("v1_6", "local_sectors", Above(0, Unit::kCount)),
                 ValueOf("v1_7", "local_sectors", AtMost(0, Unit::kCount))}),
      FromStudy("stack_frame", "The stack frame (256 bytes: r_c[8][8]) shows the local memory; the spills do not.",
                "analysis, V1.7 to V1.6: ptxas", "256 B of stack, no spills",
                {ValueOf("v1_6", "stack_frame_bytes",
                         {"exactly", Unit::kCapacity, {kSumsBytes, kSumsBytes}, {1, kInfinity}}, Role::kClaim),
                 ValueOf("v1_6", "spill_store_bytes", AtMost(0, Unit::kCapacity)),
                 ValueOf("v1_6", "spill_load_bytes", AtMost(0, Unit::kCapacity))}),
      FromStudy("k_inside_caches",
                "With k inside the compiler caches A and B in registers, and r_c has to go to local memory.",
                "analysis, V1.7 to V1.6", "",
                {RatioOf("shared_load_inst", "v1_6", "v1_7", Fewer(), Role::kClaim),
                 ValueOf("v1_6", "local_sectors", Above(0, Unit::kCount), Role::kClaim)}),
      FromStudy("occupancy_choice", "The compiler stays at 128 registers, so that two blocks fit on an SM.",
                "analysis, V1.7 to V1.6", "128 registers, 2 blocks per SM",
                {ValueOf("v1_6", "registers", AtMost(128, Unit::kCount), Role::kClaim),
                 ValueOf("v1_6", "blocks_per_sm_by_registers", Exactly(2), Role::kClaim)}),
      FromStudy("local_raises_traffic", "Local memory shows as a surge of traffic to global memory.",
                "analysis, V1.7 to V1.6: ncu", "surges",
                {RatioOf("l2_sectors", "v1_6", "v1_7", AtLeast(2), Role::kClaim),
                 RatioOf("dram_bytes", "v1_6", "v1_7", AtLeast(2), Role::kClaim)}),
      FromStudy("v1_6_1", "Table: padding the rows of shared memory by 16 bytes changes nothing in V1.6.",
                "performance table", Step("v1_6_1", "v1_6"),
                {Speed("v1_6_1", "v1_6", Nothing()),
                 RatioOf("sass_shared_wavefronts", "v1_6_1", "v1_6", Unchanged(), Role::kShown)}),
      FromStudy("v1_6_3", "Table: volatile shared memory halves V1.6 once more.", "performance table",
                Step("v1_6_3", "v1_6"), {AsPublished("v1_6_3", "v1_6")}),
      FromStudy(
          "v1_6_4", "With r_c in shared memory most of the performance is back, because local memory is gone.",
          "analysis, V1.6.4",
          fmt::format(
              "{}, {} of the loss", Step("v1_6_4", "v1_6"),
              Format(100 * (Gflops("v1_6_4") - Gflops("v1_6")) / (Gflops("v1_7") - Gflops("v1_6")), Unit::kPercent)),
          {Recovers("v1_6_4", "v1_6", "v1_7", Most()), ValueOf("v1_6_4", "local_sectors", AtMost(0, Unit::kCount))}),
      FromStudy("v1_like_v1_6", "Table: V1 is about as fast as V1.6; it has the same defect, local memory.",
                "performance table", Step("v1", "v1_6"),
                {Speed("v1", "v1_6", AboutEqual()), ValueOf("v1", "local_sectors", Above(0, Unit::kCount))}),
  };
}

}  // namespace

std::vector<Claim> VStudyClaims() {
  std::vector<Claim> claims = Starting();
  for (const auto& more : {Moves(), LocalMemory()}) claims.insert(claims.end(), more.begin(), more.end());
  return claims;
}

}  // namespace culprit::claims
