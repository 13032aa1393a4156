// SPDX-License-Identifier: Apache-2.0
// Every claim in a world where it holds and in one where it does not: no verdict is a constant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <sstream>

#include "db/error.h"
#include "tests/evidence/claim_world.h"
#include "tests/evidence/claims_report.h"
#include "tests/evidence/seeds/retest.h"

namespace culprit::claims {
namespace {

using culprit::testing::ClaimWorld;
using ::testing::HasSubstr;

const Claim& Named(const std::string& id) {
  for (const Claim& claim : AllClaims())
    if (claim.id == id) return claim;
  throw Error("no claim " + id);
}

RetestedClaim In(const ClaimWorld& world, const std::string& id) { return Retest(Named(id), world.Recording()); }

constexpr Holds kHolds = Holds::kYes, kInPart = Holds::kInPart, kNot = Holds::kNo;

struct Perturbed {
  const char* claim;
  Holds holds;
  std::function<void(ClaimWorld&)> change;
};

void PrintTo(const Perturbed& p, std::ostream* out) { *out << p.claim << ": " << ToText(p.holds); }

std::function<void(ClaimWorld&)> Gflops(std::string stage, double gflops) {
  return [=](ClaimWorld& w) { w.Gflops(stage, gflops); };
}

std::function<void(ClaimWorld&)> Ms(std::string stage, double ms, std::vector<int> sizes) {
  return [=](ClaimWorld& w) {
    for (const int size : sizes) w.Ms(stage, ms, size);
  };
}

std::function<void(ClaimWorld&)> Set(std::string stage, std::string metric, double value) {
  return [=](ClaimWorld& w) { w.Set(stage, metric, value); };
}

std::function<void(ClaimWorld&)> Shared(std::string stage, std::string kind, int bits, double executed, double each,
                                        double ideal) {
  return [=](ClaimWorld& w) { w.Shared(stage, kind, bits, executed, each, ideal); };
}

std::function<void(ClaimWorld&)> Barriers(std::string stage, double executed) {
  return [=](ClaimWorld& w) { w.Barriers(stage, executed); };
}

constexpr double kLoads = 134217728, kStores32 = 16777216, kStores128 = 4194304, kFragments = 16777216;

const std::vector<Perturbed>& Perturbations() {
  static const std::vector<Perturbed> table = {
      // seeds/000
      {"swap_xy", kNot, Gflops("sgemm_naive_swapped", 1890)},
      {"swap_xy", kInPart, Gflops("sgemm_naive_swapped", 1500)},
      {"swap_xy", kInPart, Set("sgemm_naive_swapped", "global_load_sectors", 400)},
      {"one_warp_at_a_time", kNot, Set("sgemm_naive", "warps_active", 2.0 * 132 * 1e6)},
      {"shared_memory_gains", kNot, Gflops("sgemm_smem", 1800)},
      {"shared_memory_gains", kInPart, Set("sgemm_smem", "global_load_inst", 3e9)},
      {"swap_tx_ty", kNot, Gflops("sgemm_smem_swapped", 2990)},
      {"swap_tx_ty", kInPart, Gflops("sgemm_smem_swapped", 2400)},
      {"swap_tx_ty", kNot, Gflops("sgemm_smem_swapped", 300)},
      {"smem_unroll", kNot, Gflops("sgemm_smem_no_unroll", 1500)},
      {"smem_unroll", kInPart, Gflops("sgemm_smem_no_unroll", 2750)},
      {"tile_1d", kNot, Gflops("sgemm_tile_1d", 2900)},
      {"tile_1d", kInPart, Set("sgemm_tile_1d", "shared_load_inst", 16e9)},
      {"tile_2d", kNot, Gflops("sgemm_tile_2d", 4400)},
      {"tile_2d", kInPart, Set("sgemm_tile_2d", "shared_load_inst", 8e9)},
      {"k_inside", kNot, Gflops("sgemm_tile_2d_kinner", 6100)},
      {"k_inside", kInPart, Gflops("sgemm_tile_2d_kinner", 4500)},
      {"register_cache", kNot, Gflops("sgemm_tile_2d_reg", 6000)},
      {"register_cache", kInPart, Set("sgemm_tile_2d_reg", "shared_load_inst", 2e9)},
      {"waits_for_memory", kNot,
       [](ClaimWorld& w) {
         w.Set("sgemm_tile_2d_reg", "warps_active", 9000).Set("sgemm_tile_2d_reg", "fma_pipe_pct", 90);
       }},
      {"waits_for_memory", kInPart, Set("sgemm_tile_2d_reg", "fma_pipe_pct", 90)},
      {"float4_gains", kNot, Gflops("sgemm_float4", 7400)},
      {"float4_gains", kInPart, Set("sgemm_float4", "global_load_inst", 4e6)},
      {"float4_indices", kNot, Set("sgemm_float4", "integer_thread_inst", 5e9)},
      {"float4_sizes", kNot,
       [](ClaimWorld& w) {
         w.At("sgemm_float4").record.stage.constraint = "any size";
         w.At("sgemm_tile_2d_reg").record.stage.constraint = "m % 8 == 0";
       }},
      {"float4_sizes", kInPart, [](ClaimWorld& w) { w.At("sgemm_float4").record.stage.constraint = "k % 6 == 0, m % 8 == 0"; }},
      {"transposed_a", kNot,
       [](ClaimWorld& w) {
         w.Shared("sgemm_float4", "lds", 32, kLoads, 1, 1);
       }},
      {"transposed_a", kInPart, Shared("sgemm_float4", "sts", 32, 1e6, 2, 1)},
      {"double_buffer", kNot, Gflops("sgemm_double_buffer", 8900)},
      {"double_buffer", kInPart, Barriers("sgemm_double_buffer", 2 * 8192 * 512)},
      {"tiling_counts", kNot,
       [](ClaimWorld& w) {
         for (const char* stage : {"sgemm_padded", "sgemm_zorder"})
           w.Set(stage, "shared_load_inst", kLoads + 1e3).Set(stage, "shared_store_inst", 1e3);
       }},
      {"tiling_counts", kInPart, Set("sgemm_padded", "shared_load_inst", kLoads + 1e3)},
      {"store_a_conflicts", kNot, Shared("sgemm_float4", "sts", 32, kStores32, 1, 1)},
      {"padding_frees_store_a", kNot, Shared("sgemm_padded", "sts", 32, kStores32, 2, 1)},
      {"store_b_four_wavefronts", kNot, Shared("sgemm_padded", "sts", 128, kStores128, 8, 4)},
      {"store_b_four_wavefronts", kInPart, Shared("sgemm_padded", "sts", 128, kStores128, 2, 2)},
      {"padding_frees_stores_only", kNot,
       [](ClaimWorld& w) {
         w.Shared("sgemm_padded", "sts", 32, kStores32, 2, 1).Shared("sgemm_padded", "lds", 128, kLoads, 2, 2);
       }},
      {"padding_frees_stores_only", kInPart, Shared("sgemm_padded", "lds", 128, kLoads, 2, 2)},
      {"padded_three_wavefronts", kNot, Shared("sgemm_padded", "lds", 128, kLoads, 5, 3)},
      {"zorder_two_wavefronts", kNot, Shared("sgemm_zorder", "lds", 128, kLoads, 3, 2)},
      {"zorder_frees_loads_and_stores", kNot,
       [](ClaimWorld& w) {
         w.Shared("sgemm_zorder", "lds", 128, kLoads, 3, 2).Shared("sgemm_zorder", "sts", 32, kStores32, 2, 1);
       }},
      {"zorder_frees_loads_and_stores", kInPart, Shared("sgemm_zorder", "lds", 128, kLoads, 3, 2)},

      // seeds/001
      {"intensity_of_one", kNot, Shared("sgemm_smem", "lds", 32, 1e9, 1, 1)},
      {"intensity_of_tile", kNot, Shared("sgemm_pingpong", "lds", 128, 16 * kLoads, 3, 2)},
      {"intensity_of_tile", kInPart, Shared("sgemm_pingpong", "lds", 128, 3 * kLoads, 3, 2)},
      {"one_barrier", kNot,
       [](ClaimWorld& w) {
         w.Barriers("sgemm_pingpong", 2.0 * 8192 * 256);
         w.At("sgemm_pingpong").record.launch.verify_error_over_bound = 7;
       }},
      {"one_barrier", kInPart, Barriers("sgemm_pingpong", 2.0 * 8192 * 256)},
      {"prefetch_hides", kNot, Gflops("sgemm_pingpong", 10000)},
      {"prefetch_hides", kInPart, Set("sgemm_pingpong", "stall_long_scoreboard", 600)},

      // seeds/002
      {"v0_over_naive", kNot, Gflops("v0", 1800)},
      {"v1_slower_than_v0", kNot, Gflops("v1", 2600)},
      {"v2_of_cublas", kNot, Gflops("v2", 4000)},
      {"v2_of_cublas", kInPart, Gflops("v2", 12000)},
      {"v1_9", kNot, Gflops("v1_9", 9790)},
      {"v1_9", kInPart, Gflops("v1_9", 6500)},
      {"v1_9", kNot, Gflops("v1_9", 4000)},
      {"v1_9", kInPart, Set("v1_9", "global_load_inst", 1e6)},
      {"v1_9_memory_busy", kNot, Set("v1_9", "l1_throughput_pct", 39)},
      {"v1_9_coalescing", kNot, Set("v1_9", "global_load_sectors", 2e7)},
      {"v1_8", kNot, Gflops("v1_8", 9000)},
      {"v1_8", kInPart, Gflops("v1_8", 8000)},
      {"v1_8", kNot, Gflops("v1_8", 5000)},
      {"v1_7", kNot, Gflops("v1_7", 8500)},
      {"v1_7", kInPart, Set("v1_7", "shared_load_inst", 1e8)},
      {"v1_7_stores", kNot,
       [](ClaimWorld& w) {
         w.Shared("v1_8", "sts", 128, 10, 4, 4).Shared("v1_7", "sts", 32, 10, 1, 1);
       }},
      {"v1_7_stores", kInPart, Shared("v1_8", "sts", 128, 10, 4, 4)},
      {"v1_7_loads", kNot, Shared("v1_8", "lds", 32, kLoads, 1, 1)},
      {"v1_7_loads", kNot, Shared("v1_7", "lds", 32, 0, 1, 1)},
      {"v1_7_loads", kInPart, Shared("v1_8", "lds", 32, kLoads / 10, 1, 1)},
      {"v1_7_dram", kNot, Set("v1_7", "dram_read_bytes", 3e9)},
      {"v1_7_1", kNot, Gflops("v1_7_1", 6060)},
      {"v1_7_1", kInPart, Gflops("v1_7_1", 3500)},
      {"v1_7_2", kNot, Gflops("v1_7_2", 6000)},
      {"v1_7_2", kInPart, Gflops("v1_7_2", 9000)},
      {"v1_6", kNot, Gflops("v1_6", 6200)},
      {"v1_6", kInPart, Set("v1_7", "local_load_sectors", 1e9)},
      {"stack_frame", kNot, [](ClaimWorld& w) { w.Attribute("v1_6", "stack_frame_bytes", 0); }},
      {"stack_frame", kInPart, [](ClaimWorld& w) { w.Attribute("v1_6", "spill_store_bytes", 16); }},
      {"k_inside_caches", kNot,
       [](ClaimWorld& w) {
         w.Set("v1_6", "shared_load_inst", 9e8);
         w.Set("v1_6", "local_load_sectors", 0).Set("v1_6", "local_store_sectors", 0);
       }},
      {"k_inside_caches", kInPart, Set("v1_6", "shared_load_inst", 9e8)},
      {"occupancy_choice", kNot,
       [](ClaimWorld& w) {
         w.Attribute("v1_6", "registers", 168).Attribute("v1_6", "blocks_per_sm_by_registers", 1);
       }},
      {"local_raises_traffic", kNot,
       [](ClaimWorld& w) { w.Set("v1_6", "l2_sectors", 1e8).Set("v1_6", "dram_write_bytes", 1e8); }},
      {"local_raises_traffic", kInPart, Set("v1_6", "dram_write_bytes", 1e8)},
      {"v1_6_1", kNot, Gflops("v1_6_1", 2500)},
      {"v1_6_1", kInPart, Gflops("v1_6_1", 1860)},
      {"v1_6_3", kNot, Gflops("v1_6_3", 1940)},
      {"v1_6_4", kNot, Gflops("v1_6_4", 2000)},
      {"v1_6_4", kInPart, Gflops("v1_6_4", 3500)},
      {"v1_6_4", kInPart, Set("v1_6_4", "local_load_sectors", 10)},
      {"v1_like_v1_6", kNot, Gflops("v1", 6000)},
      {"v1_like_v1_6", kInPart, Gflops("v1", 2300)},

      // seeds/003
      {"tile_cuts_global_traffic", kNot, Set("view_naive", "global_load_inst", 1e8)},
      {"tile_cuts_global_traffic", kInPart, Set("view_block_v2", "global_load_inst", 1e9)},
      {"naive_fine_when_small", kNot, Ms("view_naive", 0.9, {128, 256})},
      {"naive_fine_when_small", kInPart, Ms("view_naive", 0.9, {256})},
      {"naive_falls_when_large", kNot, Ms("view_naive", 75, {4096})},
      {"v1_over_naive", kNot,
       [](ClaimWorld& w) {
         for (const int size : {1024, 2048, 4096}) w.Ms("view_naive", 0.5, size);
       }},
      {"v1_over_naive", kInPart, Ms("view_naive", 1.0, {1024})},
      {"v1_over_naive", kInPart, Set("view_block_v1", "global_load_inst", 4e9)},
      {"v2_over_v1", kNot, Ms("view_block_v2", 100, {1024, 2048, 4096})},
      {"v2_over_v1", kInPart, Set("view_block_v2", "shared_load_inst", 5e9)},
      {"global_matters_more", kNot, Ms("view_naive", 80, {4096})},
      {"v1_best_when_small", kNot, Ms("view_block_v1", 5, {128, 256})},
      {"v1_best_when_small", kInPart, Ms("view_block_v1", 5, {256})},
      {"v1_best_when_small", kInPart, Ms("view_block_v3", 0.01, {128})},
      {"access_gains_most", kNot, Ms("view_block_v3", 1, {4096})},
      {"access_gains_most", kInPart, Ms("view_block_v3", 5, {4096})},
      {"v2_best_when_large", kNot, Ms("view_block_v2", 500, {1024, 2048, 4096})},
      {"v2_best_when_large", kInPart, Ms("view_block_v2", 500, {4096})},
      {"v3_like_v2", kNot, Ms("view_block_v3", 0.2, {1024, 2048, 4096})},
      {"v3_like_v2", kInPart, Ms("view_block_v3", 10, {4096})},
      {"gap_to_cublas", kNot,
       [](ClaimWorld& w) { w.Ms("view_block_v3", 2, 2048).Gflops("view_block_v3", 14000); }},
      {"gap_to_cublas", kInPart, Gflops("view_block_v3", 14000)},

      // seeds/004
      {"plain_stores_free", kNot, Shared("hgemm_wmma", "sts", 128, kFragments / 4, 8, 4)},
      {"plain_loads_conflict", kNot, Shared("hgemm_wmma", "ldsm", 0, kFragments, 4, 4)},
      {"plain_loads_conflict", kInPart, Shared("hgemm_wmma", "ldsm", 0, kFragments, 5, 4)},
      {"eight_loads", kNot, Shared("hgemm_wmma", "ldsm", 0, 2 * kFragments, 8, 4)},
      {"padding_frees_loads", kNot, Shared("hgemm_wmma_padded", "ldsm", 0, kFragments, 8, 4)},
      {"padding_frees_loads", kInPart, Shared("hgemm_wmma", "ldsm", 0, kFragments, 4, 4)},
      {"padding_burdens_stores", kNot, Shared("hgemm_wmma_padded", "sts", 128, kFragments / 4, 4, 4)},
      {"padding_burdens_stores", kInPart, Shared("hgemm_wmma", "sts", 128, kFragments / 4, 8, 4)},
      {"pad_skips_banks", kNot, Shared("hgemm_wmma_padded", "sts", 128, kFragments / 4, 4, 4)},
      {"pad_skips_banks", kInPart, [](ClaimWorld& w) { w.RowBytesOfA("hgemm_wmma_padded", 72); }},
      {"padding_wins", kNot, Gflops("hgemm_wmma_padded", 29000)},
      {"padding_wins", kInPart, Shared("hgemm_wmma_padded", "sts", 128, 4 * kFragments, 8, 4)},
      {"padded_near_cublas", kNot, Gflops("hgemm_wmma_padded", 20000)},
      {"padded_near_cublas", kInPart, Gflops("hgemm_wmma_padded", 40000)},
      {"padded_near_cublas", kNot, Gflops("hgemm_wmma_padded", 70000)},
      {"permutation_frees_both", kNot,
       [](ClaimWorld& w) {
         w.Shared("hgemm_mma_swizzle", "ldsm", 0, kFragments, 8, 4);
         w.Shared("hgemm_mma_swizzle", "sts", 128, kFragments / 4, 8, 4);
       }},
      {"permutation_frees_both", kInPart, Shared("hgemm_mma_swizzle", "sts", 128, kFragments / 4, 8, 4)},
      {"cublas_conflict_free", kNot, Shared("cublas_hgemm", "ldsm", 0, kFragments, 8, 4)},
  };
  return table;
}

TEST(Claims, AllHoldInTheWorldOfTheSeeds) {
  const Recording recording = ClaimWorld().Recording();
  for (const Claim& claim : AllClaims()) {
    const RetestedClaim retested = Retest(claim, recording);
    EXPECT_EQ(ToText(retested.holds), "holds") << claim.id << ": " << Reason(retested);
  }
}

TEST(Claims, EachHasAWorldWhereItDoesNotHold) {
  std::set<std::string> refuted;
  for (const Perturbed& p : Perturbations())
    if (p.holds == kNot) refuted.insert(p.claim);
  for (const Claim& claim : AllClaims()) EXPECT_TRUE(refuted.contains(claim.id)) << claim.id;
}

class PerturbedClaim : public ::testing::TestWithParam<Perturbed> {};

TEST_P(PerturbedClaim, ChangesItsVerdict) {
  ClaimWorld world;
  GetParam().change(world);
  const RetestedClaim retested = In(world, GetParam().claim);
  EXPECT_EQ(ToText(retested.holds), ToText(GetParam().holds)) << Reason(retested);
}

INSTANTIATE_TEST_SUITE_P(Worlds, PerturbedClaim, ::testing::ValuesIn(Perturbations()), [](const auto& perturbed) {
  return std::string(perturbed.param.claim) + "_" + std::to_string(perturbed.index);
});

TEST(Claims, HaveIdsOfTheirOwnAndSayWhereTheyStand) {
  std::set<std::string> ids;
  for (const Claim& claim : AllClaims()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_THAT(claim.document, HasSubstr("seeds/00"));
    EXPECT_FALSE(claim.text.empty() || claim.section.empty() || claim.gpu.empty()) << claim.id;
    EXPECT_EQ(claim.text.back(), '.') << claim.id;
  }
}

TEST(Claims, CompareCyclesWhereClocksDiffer) {
  ClaimWorld world;
  const double us = world.At("sgemm_tile_2d").record.samples.front().time_us;
  world.At("sgemm_tile_2d").Time(us, 1975);
  world.At("sgemm_tile_2d_reg").Time(us / 1.0075, 1995);
  RetestedClaim retested = In(world, "register_cache");
  EXPECT_EQ(retested.holds, kNot) << "0.75 % less time at a clock 1 % higher: " << Reason(retested);
  EXPECT_EQ(Figure(retested), "-0.3 %");
  for (Sample& sample : world.At("sgemm_tile_2d").record.samples) sample.clock_mhz.reset();
  retested = In(world, "register_cache");
  EXPECT_EQ(Figure(retested), "+0.8 %") << "in time: only one of the clocks is known";
  EXPECT_EQ(retested.holds, kInPart);
}

TEST(Claims, CompareSharesOfALibraryInTime) {
  ClaimWorld world;
  const double us = world.At("cublas_hgemm").record.samples.front().time_us;
  world.At("cublas_hgemm").Time(us, 990);
  world.Gflops("hgemm_wmma_padded", 58500);
  EXPECT_EQ(Reason(In(world, "padded_near_cublas")),
            "Throughput of hgemm_wmma_padded as a share of cublas_hgemm is 90.0 % (holds: asked 80.0 % to 99.5 %); the "
            "same at equal clock is 45.0 %.");
}

TEST(Claims, AreNotMeasuredForALibraryThatReadsWithoutLoads) {
  ClaimWorld world;
  world.Set("cublas_hgemm", "tensor_gmma_inst", 1e6);
  const RetestedClaim retested = In(world, "cublas_conflict_free");
  EXPECT_EQ(retested.holds, Holds::kNotMeasured);
  EXPECT_THAT(Reason(retested), HasSubstr("cublas_hgemm.operand_load_wavefronts"));
  EXPECT_THAT(Reason(retested), HasSubstr("lost arbitration included is 0.1 %"));
  EXPECT_THAT(Reason(retested), HasSubstr("wgmma"));
}

TEST(Claims, SayWhetherTwoStagesAreTheSameMachineCode) {
  ClaimWorld world;
  EXPECT_THAT(Reason(In(world, "smem_unroll")), HasSubstr("the same as of sgemm_smem_no_unroll (1: yes, 0: no) is 1."));
  world.At("sgemm_smem").record.cubin_digest = "00000000000000cc";
  EXPECT_THAT(Reason(In(world, "smem_unroll")), HasSubstr("(1: yes, 0: no) is 0."));
  world.At("sgemm_smem").record.cubin_digest.clear();
  EXPECT_THAT(Reason(In(world, "smem_unroll")), HasSubstr("(1: yes, 0: no) is not measured."));
}

TEST(Claims, ShowBothNumbersWhereARatioWouldDivideByNothing) {
  ClaimWorld world;
  world.Set("sgemm_tile_2d", "local_load_inst", 0).Set("sgemm_tile_2d_kinner", "local_load_inst", 34078720);
  EXPECT_THAT(
      Reason(In(world, "k_inside")),
      HasSubstr("local_load_inst of sgemm_tile_2d is 0; local_load_inst of sgemm_tile_2d_kinner is 34,078,720."));
}

TEST(Claims, WriteWholeNumbersWithoutDecimals) {
  EXPECT_EQ(Figure(In(ClaimWorld(), "padding_frees_store_a")), "1; 0.0 %");
  EXPECT_THAT(Reason(In(ClaimWorld(), "padding_frees_store_a")), HasSubstr("is 1 (holds: asked exactly 1)"));
  EXPECT_THAT(Reason(In(ClaimWorld(), "padding_frees_store_a")), HasSubstr("contradicts itself"));
}

TEST(Claims, NeedMoreThanATraceAsReasons) {
  EXPECT_FALSE(More().in_part.Contains(1.007));
  EXPECT_FALSE(Fewer().in_part.Contains(0.993));
  ClaimWorld world;
  world.Set("v1_9", "inst_executed", 1.007 * 2e9);
  const RetestedClaim retested = In(world, "v1_9");
  EXPECT_EQ(retested.holds, kInPart);
  EXPECT_THAT(Reason(retested), HasSubstr("inst_executed of v1_9 over v2 is 1.007 x (fails"));
}

TEST(Claims, AreNotMeasuredWhenAnyStageIsMissing) {
  const Recording whole = ClaimWorld().Recording();
  for (const Claim& claim : AllClaims()) {
    Evidence needs(&whole, SquareShape(kClaimedSize));
    for (const Criterion& criterion : claim.criteria)
      if (criterion.role != Role::kShown) criterion.value(needs);
    std::set<std::string> stages(needs.stages().begin(), needs.stages().end());
    for (const auto& [stage, size] : needs.sized_stages()) stages.insert(stage);
    for (const std::string& stage : stages) {
      ClaimWorld world;
      world.Remove(stage);
      const RetestedClaim retested = In(world, claim.id);
      EXPECT_EQ(retested.holds, Holds::kNotMeasured) << claim.id << " without " << stage;
      EXPECT_THAT(Reason(retested), HasSubstr(stage)) << claim.id;
    }
  }
}

TEST(Claims, RestOnTimesAloneWhereCountersAreDenied) {
  ClaimWorld world;
  world.DenyCounters();
  EXPECT_EQ(In(world, "v1_8").holds, kHolds);
  const RetestedClaim retested = In(world, "v1_9");
  EXPECT_EQ(retested.holds, Holds::kNotMeasured);
  EXPECT_EQ(Reason(retested),
            "Missing at 4096x4096x4096: v1_9.inst_executed (denied), v2.inst_executed (denied), v1_9.global_load_inst "
            "(denied), v2.global_load_inst (denied).");
  EXPECT_EQ(Figure(retested), "-12.0 %");
}

TEST(Claims, ThatNeedInstructionsAreNotMeasuredWithoutThem) {
  ClaimWorld world;
  world.ForgetInstructions();
  EXPECT_EQ(In(world, "padding_frees_store_a").holds, Holds::kNotMeasured);
  EXPECT_EQ(In(world, "float4_gains").holds, kHolds);
}

TEST(Claims, AboutBarriersNeedOpcodesButNoBarrier) {
  ClaimWorld world;
  world.ForgetOpcodes();
  for (const char* claim : {"one_barrier", "double_buffer"}) {
    EXPECT_EQ(In(world, claim).holds, Holds::kNotMeasured) << claim;
    EXPECT_THAT(Reason(In(world, claim)), HasSubstr("barrier.sass_inst")) << claim;
  }
  EXPECT_EQ(In(world, "padding_frees_store_a").holds, kHolds);
  EXPECT_EQ(In(ClaimWorld().Barriers("sgemm_pingpong", 0), "one_barrier").holds, kInPart);
}

TEST(Claims, FallBackToTheLargestShapeThatTheirStagesShare) {
  ClaimWorld world;
  world.MoveTo("1000x2000x4096");
  const RetestedClaim retested = In(world, "swap_xy");
  EXPECT_EQ(retested.holds, kHolds);
  EXPECT_EQ(retested.shape, "1000x2000x4096");
}

TEST(Claims, AreJudgedAtTheirOwnSizeWhenALargerOneIsThere) {
  ClaimWorld world;
  world.Gflops("v1_8", 100, 8192).Gflops("v1_9", 100, 8192);
  EXPECT_EQ(In(world, "v1_8").shape, "4096x4096x4096");
}

TEST(Claims, UseASizeWithCountersIfTheirOwnHasNone) {
  ClaimWorld world;
  for (const char* stage : {"v1_9", "v2"}) {
    world.Gflops(stage, stage == std::string("v2") ? 9784 : 8606, 2048);
    for (const char* metric : {"inst_executed", "global_load_inst"}) {
      world.Set(stage, metric, stage == std::string("v2") ? 1e6 : 4e6, 2048);
      world.At(stage).Remove(metric);
    }
  }
  const RetestedClaim retested = In(world, "v1_9");
  EXPECT_EQ(retested.shape, "2048x2048x2048");
  EXPECT_EQ(retested.holds, kHolds);
}

TEST(Claims, IgnoreLaunchesWhoseResultsWereWrong) {
  ClaimWorld world;
  world.At("sgemm_naive_swapped").record.launch.state = LaunchState::kFailed;
  EXPECT_EQ(In(world, "swap_xy").holds, Holds::kNotMeasured);
}

TEST(Claims, AreAllNotMeasuredInARunWithoutLaunches) {
  for (const RetestedClaim& retested : RetestAll(Recording({}, {}))) {
    EXPECT_EQ(retested.holds, Holds::kNotMeasured) << retested.claim->id;
    EXPECT_THAT(Reason(retested), HasSubstr("Missing")) << retested.claim->id;
  }
}

TEST(Claims, NameTheValuesThatTheyRestOn) {
  const RetestedClaim retested = In(ClaimWorld(), "v1_7");
  EXPECT_EQ(Reason(retested),
            "Throughput of v1_7 against v1_8 is -27.8 % (holds: asked -47.9 % to -15.0 %); shared loads and stores of "
            "v1_7 over v1_8 is 2.052 x (holds: asked at least 1.050 x).");
  std::vector<std::string> names;
  for (const Fact& fact : retested.evidence) names.push_back(fact.key);
  EXPECT_THAT(names, ::testing::ElementsAre("v1_8.time_us", "v1_7.time_us", "v1_8.clock_mhz", "v1_7.clock_mhz",
                                            "v1_7.shared_load_inst", "v1_7.shared_store_inst", "v1_8.shared_load_inst",
                                            "v1_8.shared_store_inst"));
}

TEST(ClaimsReport, RefusesAnUnknownClaimInASentence) {
  const Recording recording = ClaimWorld().Recording();
  EXPECT_THROW(
      {
        try {
          MakeClaimsReport(recording, {"no_such_claim"}, false, {});
        } catch (const Error& error) {
          EXPECT_STREQ(error.what(), "there is no claim 'no_such_claim': 'culprit_evidence claims' lists them.");
          throw;
        }
      },
      Error);
}

TEST(ClaimsReport, ShowsWarningsOfTheLaunchesThatItReadsAndOfTheRun) {
  const std::vector<Warning> warnings = {{"second_profiler", "of the run", ""},
                                         {"low_clock", "of this one", "v1_7 at 4096x4096x4096"},
                                         {"low_clock", "of a size that the claim does not read", "v1_7 at 256x256x256"},
                                         {"low_clock", "of another stage", "v1 at 4096x4096x4096"}};
  EXPECT_THAT(MakeClaimsReport(ClaimWorld().Recording(), {"v1_7"}, false, warnings).warnings,
              ::testing::ElementsAre("second_profiler: of the run", "low_clock: v1_7 at 4096x4096x4096: of this one"));
}

TEST(ClaimsReport, AsksForNoRunThatCouldMeasureNothingMore) {
  ClaimWorld world;
  world.Set("cublas_hgemm", "tensor_gmma_inst", 1e6);
  std::ostringstream out;
  RenderMarkdown(MakeClaimsReport(world.Recording(), {"cublas_conflict_free"}, true, {}), out);
  EXPECT_THAT(out.str(), ::testing::Not(HasSubstr("gemm_bench")));
}

TEST(ClaimsReport, ListsWhatCannotBeTested) {
  std::ostringstream out;
  RenderMarkdown(MakeClaimsReport(ClaimWorld().Recording(), {}, true, {}), out);
  EXPECT_THAT(out.str(), HasSubstr("35,581 GFLOPS are 35.6 TFLOPS"));
}

TEST(ClaimsReport, NamesTheCommandThatWouldMeasureWhatIsMissing) {
  ClaimWorld world;
  world.Remove("v1_8");
  std::ostringstream out;
  RenderMarkdown(MakeClaimsReport(world.Recording(), {"v1_8", "v3_like_v2"}, true, {}), out);
  EXPECT_THAT(out.str(), HasSubstr("gemm_bench --profile=full --stages v1_8,v1_9 --shapes 4096 --db FILE"));
}

TEST(Thresholds, AcceptHalfToTwiceThePublishedChange) {
  const Threshold t = LikePublished(-75);  // a quarter is left: between a half and a sixteenth
  EXPECT_DOUBLE_EQ(t.holds.high, -50);
  EXPECT_DOUBLE_EQ(t.holds.low, -93.75);
  // In part: a quarter to four times.
  EXPECT_DOUBLE_EQ(t.in_part.high, 100 * (std::pow(0.25, 0.25) - 1));
  EXPECT_DOUBLE_EQ(t.in_part.low, 100 * (std::pow(0.25, 4) - 1));
  const Threshold small = LikePublished(-1);
  EXPECT_TRUE(small.in_part.Contains(-kNoisePct));
  EXPECT_FALSE(small.in_part.Contains(-0.4)) << "less than the noise";
  const Threshold gain = LikePublished(300);
  EXPECT_DOUBLE_EQ(gain.holds.low, 100);
  EXPECT_DOUBLE_EQ(gain.holds.high, 1500);
}

TEST(Thresholds, HoldInPartWhereverTheyHold) {
  for (const Threshold& t : Glossary())
    for (double value = -100; value <= 100; value += 0.25)
      if (t.holds.Contains(value)) {
        EXPECT_TRUE(t.in_part.Contains(value)) << t.word << " " << value;
      }
  for (double change = -99; change <= 300; change += 0.1) {
    const Threshold t = LikePublished(change);
    for (double value = -99.9; value <= 1600; value += 3.3)
      if (t.holds.Contains(value)) {
        EXPECT_TRUE(t.in_part.Contains(value)) << change << " " << value;
      }
  }
}

}  // namespace
}  // namespace culprit::claims
