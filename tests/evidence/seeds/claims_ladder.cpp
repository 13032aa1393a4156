// SPDX-License-Identifier: Apache-2.0
// What seeds/000 says: a ladder from a naive kernel to a z-order lane map, on an RTX 3090.
#include <fmt/core.h>

#include "analysis/number/format.h"
#include "tests/evidence/seeds/criteria.h"
#include "tests/evidence/seeds/published.h"

namespace culprit::claims {
namespace {

using enum InstructionClass;

// The tiles of the float4 stages: 128x128x8, 8x8 results and two float4 of each matrix per thread and k.
constexpr double kFmaPerSharedLoad = 8 * 8 * 32 / 4.0;          // per warp instruction
constexpr double kFmaPerSharedStore = kFmaPerSharedLoad * 6.4;  // 32 loads and 5 stores per thread and tile

Claim FromLadder(std::string id, std::string text, std::string section, std::string published,
                 std::vector<Criterion> criteria) {
  return {std::move(id),        std::move(text), "seeds/000",        std::move(section),
          std::move(published), "RTX 3090",      std::move(criteria)};
}

std::string Each(const char* stage, const char* operation) {
  const PublishedTable& table = PublishedSharedMemory();
  const auto wavefronts = table.Find(stage, std::string(operation) + ".wavefronts");
  const auto instructions = table.Find(stage, std::string(operation) + ".instructions");
  return fmt::format("{}: {} wavefronts for {} instructions", stage, Format(wavefronts.value(), Unit::kCount),
                     Format(instructions.value(), Unit::kCount));
}

Criterion FmaPer(const char* stage, const char* metric, double expected) {
  return {Role::kClaim, fmt::format("FFMA of the product per {} of {}", metric, stage),
          [=](Evidence& e) {
            const Measured flop = e.Get(stage, "flop"), count = e.Get(stage, metric);
            return flop / Measured(2) / count;
          },
          Exactly(expected)};
}

// At least: of the cycles in which the busiest SM was active.
Measured PerCycleAndSm(Evidence& e, const char* metric) {
  const Measured count = e.Get("sgemm_naive", metric);
  const Measured cycles = e.Get("sgemm_naive", "sm_cycles_active_max"), sms = e.Get("sgemm_naive", "sm_count");
  return count / (cycles * sms);
}

std::vector<Claim> GlobalMemory() {
  return {
      FromLadder(
          "swap_xy",
          "Exchanging x and y of the naive kernel gives bad performance, because accesses to A are not coalesced.",
          "naive gemm", "",
          {Speed("sgemm_naive_swapped", "sgemm_naive", Badly()),
           RatioOfPer("global_load_sectors", "global_load_requests", "sgemm_naive_swapped", "sgemm_naive",
                      AtLeast(2))}),
      FromLadder("one_warp_at_a_time", "At any moment only one warp executes on an SM.", "naive gemm, coalesced access",
                 "1",
                 {{Role::kClaim, "resident warps per cycle and SM of sgemm_naive",
                   [](Evidence& e) { return PerCycleAndSm(e, "warps_active"); }, AtMost(1, Unit::kRatio)},
                  // Above 1 it refutes the claim as well; at 1 or below it would not show that one warp ran.
                  {Role::kShown, "instructions issued per cycle and SM of sgemm_naive",
                   [](Evidence& e) { return PerCycleAndSm(e, "inst_issued"); }, OnlyShown(Unit::kRatio)}}),
      FromLadder("shared_memory_gains",
                 "Keeping tiles in shared memory saves global accesses and with them the waiting for memory.",
                 "using shared memory", "",
                 {Speed("sgemm_smem", "sgemm_naive", Gains()),
                  RatioOf("global_load_inst", "sgemm_naive", "sgemm_smem", AtLeast(16))}),
      FromLadder("swap_tx_ty", "Exchanging tx and ty when storing to shared memory halves the performance.",
                 "using shared memory, note in the code", "half",
                 {Speed("sgemm_smem_swapped", "sgemm_smem", Halves()),
                  RatioOfPer("shared_store_wavefronts", "shared_store_inst", "sgemm_smem_swapped", "sgemm_smem", More(),
                             Role::kShown),
                  RatioOfPer("global_load_sectors", "global_load_requests", "sgemm_smem_swapped", "sgemm_smem", More(),
                             Role::kShown)}),
      FromLadder(
          "smem_unroll", "#pragma unroll before the inner loop of the shared-memory kernel has little impact.",
          "using shared memory, note in the code", "little",
          {Speed("sgemm_smem", "sgemm_smem_no_unroll", Hardly()), SameCode("sgemm_smem", "sgemm_smem_no_unroll")}),
  };
}

std::vector<Claim> Tiles() {
  return {
      FromLadder("tile_1d", "Several results per thread along one dimension hide more of the access cost.", "1D-tile",
                 "",
                 {Speed("sgemm_tile_1d", "sgemm_smem", Gains()),
                  RatioOfPer("ffma_thread_inst", "shared_load_inst", "sgemm_tile_1d", "sgemm_smem", More())}),
      FromLadder("tile_2d", "A two-dimensional tile per thread improves on the one-dimensional one.", "2D-tile", "",
                 {Speed("sgemm_tile_2d", "sgemm_tile_1d", Gains()),
                  RatioOfPer("ffma_thread_inst", "shared_load_inst", "sgemm_tile_2d", "sgemm_tile_1d", More())}),
      FromLadder("k_inside", "Moving the loop over k inside costs performance severely.", "2D-tile, note in the code",
                 "severe",
                 {Speed("sgemm_tile_2d_kinner", "sgemm_tile_2d", Badly()),
                  RatioOf("shared_load_inst", "sgemm_tile_2d_kinner", "sgemm_tile_2d", More(), Role::kShown),
                  ValueOf("sgemm_tile_2d", "local_load_inst", OnlyShown(Unit::kCount), Role::kShown),
                  ValueOf("sgemm_tile_2d_kinner", "local_load_inst", OnlyShown(Unit::kCount), Role::kShown)}),
      FromLadder("register_cache",
                 "Caching the fragments of A and B in registers saves shared loads and improves the 2D tile.",
                 "2D-tile register", "",
                 {Speed("sgemm_tile_2d_reg", "sgemm_tile_2d", Gains()),
                  RatioOf("shared_load_inst", "sgemm_tile_2d_reg", "sgemm_tile_2d", Fewer())}),
      FromLadder("waits_for_memory",
                 "Before float4 much of the time still waits for accesses, and memory is loaded more than arithmetic.",
                 "float4", "",
                 {StallPct("sgemm_tile_2d_reg", {"long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle"},
                           {"much", Unit::kPercent, {25, kInfinity}, {10, kInfinity}}, Role::kClaim),
                  {Role::kClaim, "memory_throughput_pct over fma_pipe_pct of sgemm_tile_2d_reg",
                   [](Evidence& e) {
                     const Measured memory = e.Get("sgemm_tile_2d_reg", "memory_throughput_pct");
                     const Measured arithmetic = e.Get("sgemm_tile_2d_reg", "fma_pipe_pct");
                     return memory / arithmetic;
                   },
                   More()}}),
      FromLadder("float4_gains", "float4 accesses raise the performance, because fewer access instructions are needed.",
                 "float4", "1/4 of the instructions",
                 {Speed("sgemm_float4", "sgemm_tile_2d_reg", Gains()),
                  RatioOf("global_load_inst", "sgemm_tile_2d_reg", "sgemm_float4", AtLeast(3.8)),
                  RatioOf("shared_load_inst", "sgemm_tile_2d_reg", "sgemm_float4", More())}),
      FromLadder("float4_indices", "float4 accesses need less index arithmetic.", "float4", "1/4 of the indices",
                 {RatioOf("integer_thread_inst", "sgemm_float4", "sgemm_tile_2d_reg", Fewer(), Role::kClaim)}),
      WithNote(FromLadder("float4_sizes",
                          "With float4 sizes have to be multiples of 4; any size would cost checks at the edges.",
                          "float4", "multiples of 4",
                          {{Role::kClaim,
                            "what must divide the sizes of sgemm_float4",
                            [](Evidence& e) { return e.Get("sgemm_float4", "size_multiple"); },
                            {"a multiple of 4", Unit::kCount, {4, kInfinity}, {4, kInfinity}}},
                           {Role::kClaim,
                            "what must divide the sizes of sgemm_tile_2d_reg, the same without float4",
                            [](Evidence& e) { return e.Get("sgemm_tile_2d_reg", "size_multiple"); },
                            {"any size", Unit::kCount, {1, 1}, {1, 1}}}}),
               "Of these stages as they are written: float4 stages take whole tiles and check no edge."),
      FromLadder("transposed_a",
                 "Only with A transposed can all shared loads be float4, and then A cannot be stored as float4.",
                 "float4, why transpose As", "4 of 5 stores are single floats",
                 {{Role::kClaim, "share of single floats among the shared stores of sgemm_float4",
                   [](Evidence& e) {
                     const Measured narrow = e.Get("sgemm_float4", "sass_memory_32b_inst");
                     const Measured stores = e.Get("sgemm_float4", "sass_shared_store_inst");
                     return narrow / stores;
                   },
                   Exactly(0.8)},
                  {Role::kClaim, "share of narrow loads among the shared loads of sgemm_float4",
                   [](Evidence& e) {
                     const Measured narrow = e.Sum("sgemm_float4", kLdsNarrow, "sass_inst");
                     const Measured loads = e.Get("sgemm_float4", "sass_shared_load_inst");
                     return narrow / loads;
                   },
                   Exactly(0)}}),
      FromLadder(
          "double_buffer",
          "Two buffers need no second barrier per tile and let iterations overlap, which raises the performance.",
          "double buffer", "1 barrier instead of 2",
          {Speed("sgemm_double_buffer", "sgemm_float4", Gains()),
           {Role::kReason, "barriers per warp and tile that sgemm_double_buffer saves",
            [](Evidence& e) {
              const Measured before = BarriersPerTile(e, "sgemm_float4", 8);
              const Measured after = BarriersPerTile(e, "sgemm_double_buffer", 8);
              return before - after;
            },
            About(1)}}),
  };
}

std::vector<Claim> Conflicts() {
  return {
      FromLadder("tiling_counts",
                 "Table: the tiling alone determines the number of shared accesses, 134,217,728 loads and 20,971,520 "
                 "stores at 4096.",
                 "implementation: profiler tables", "512 FFMA per load, 3,276.8 per store",
                 {FmaPer("sgemm_padded", "shared_load_inst", kFmaPerSharedLoad),
                  FmaPer("sgemm_zorder", "shared_load_inst", kFmaPerSharedLoad),
                  FmaPer("sgemm_padded", "shared_store_inst", kFmaPerSharedStore),
                  FmaPer("sgemm_zorder", "shared_store_inst", kFmaPerSharedStore)}),
      FromLadder("store_a_conflicts",
                 "Without padding the stores of A conflict two ways: odd and even threads meet in a bank.",
                 "bank conflicts when storing, As", "2 ways",
                 {WavefrontsEach("sgemm_float4", kSts32, "single-float stores (A)", Exactly(2))}),
      WithNote(
          FromLadder("padding_frees_store_a", "Padding the rows of A by 4 frees its stores of conflicts.",
                     "bank conflicts when storing, As", Each("sgemm_padded", "shared_store"),
                     {WavefrontsEach("sgemm_padded", kSts32, "single-float stores (A)", Exactly(1)),
                      ExcessOf("sgemm_padded", kSts, "shared stores", ConflictFree()),
                      Speed("sgemm_padded", "sgemm_float4", Gains(), Role::kShown)}),
          "The document contradicts itself: its own profile of the padded kernel shows 16,777,216 conflicts of "
          "stores, 2.4 wavefronts for each, where its text says that none are left (4 of 5 stores at 1 and one at 4 "
          "would be 1.6)."),
      FromLadder("store_b_four_wavefronts", "The stores of B are free of conflicts; they only need 4 wavefronts each.",
                 "bank conflicts when storing, Bs", "4 wavefronts",
                 {WavefrontsEach("sgemm_padded", kSts128, "float4 stores (B)", Exactly(4)),
                  ExcessOf("sgemm_padded", kSts128, "float4 stores (B)", ConflictFree())}),
      FromLadder("padding_frees_stores_only", "Padding frees the stores alone: the loads conflict as before.",
                 "implementation", Each("sgemm_padded", "shared_load"),
                 {ExcessOf("sgemm_padded", kSts, "shared stores", ConflictFree()),
                  ExcessOf("sgemm_padded", kLds, "shared loads", Conflicting()),
                  {Role::kReason, "wavefronts of the shared loads of sgemm_padded over sgemm_float4",
                   [](Evidence& e) {
                     const Measured ours = e.Sum("sgemm_padded", kLds, "sass_shared_wavefronts");
                     const Measured theirs = e.Sum("sgemm_float4", kLds, "sass_shared_wavefronts");
                     return ours / theirs;
                   },
                   Unchanged()}}),
      FromLadder("padded_three_wavefronts", "Table: with padding alone a shared load takes 3 wavefronts.",
                 "implementation: profiler tables", Each("sgemm_padded", "shared_load"),
                 {WavefrontsEach("sgemm_padded", kLds, "shared loads", About(3))}),
      FromLadder("zorder_two_wavefronts", "Table: with the z-order lane map a shared load takes 2 wavefronts.",
                 "bank conflicts when loading, z-order", Each("sgemm_zorder", "shared_load"),
                 {WavefrontsEach("sgemm_zorder", kLds, "shared loads", About(2))}),
      FromLadder("zorder_frees_loads_and_stores", "z-order frees loads and stores completely.", "implementation",
                 "0 conflicts",
                 {ExcessOf("sgemm_zorder", kLds, "shared loads", ConflictFree()),
                  ExcessOf("sgemm_zorder", kSts, "shared stores", ConflictFree()),
                  Speed("sgemm_zorder", "sgemm_padded", Gains(), Role::kShown)}),
  };
}

}  // namespace

std::vector<Claim> LadderClaims() {
  std::vector<Claim> claims = GlobalMemory();
  for (const auto& more : {Tiles(), Conflicts()}) claims.insert(claims.end(), more.begin(), more.end());
  return claims;
}

}  // namespace culprit::claims
