// SPDX-License-Identifier: Apache-2.0
// What seeds/004 says of a 128x256x32 half-precision tile, on an RTX 3090. Its profiles were pictures.
#include "analysis/claims/criteria.h"
#include "analysis/published/published.h"

namespace culprit {
namespace {

using enum InstructionClass;

const std::string kPlain = "hgemm_wmma", kPadded = "hgemm_wmma_padded", kUnpermuted = "hgemm_mma",
                  kSwizzled = "hgemm_mma_swizzle", kLibrary = "cublas_hgemm";
constexpr int kTileK = 32;

Claim FromPadding(std::string id, std::string text, std::string section, std::string published,
                  std::vector<Criterion> criteria) {
  return {std::move(id),      std::move(text),      std::string(kPaddingDocument),
          std::move(section), std::move(published), std::string(kPaddingGpu),
          std::move(criteria)};
}

Criterion Loads(const std::string& stage, Threshold threshold, Role role = Role::kClaim) {
  return ExcessOf(stage, kSharedRead, "shared loads", std::move(threshold), role);
}

Criterion Stores(const std::string& stage, Threshold threshold, Role role = Role::kClaim) {
  return ExcessOf(stage, kSharedWrite, "shared stores", std::move(threshold), role);
}

Measured Excess(Evidence& e, const std::string& stage, InstructionClass which) {
  const Measured exact = e.Sum(stage, which, "sass_shared_wavefronts");
  const Measured ideal = e.Sum(stage, which, "sass_shared_wavefronts_ideal");
  return exact - ideal;
}

Criterion ShareOfLibrary(Threshold threshold) {
  return {Role::kClaim, "throughput of hgemm_wmma_padded as a share of cublas_hgemm",
          [](Evidence& e) {
            const Measured ours = e.Get(kPadded, "time_us"), theirs = e.Get(kLibrary, "time_us");
            return Measured(100) * theirs / ours;
          },
          std::move(threshold)};
}

}  // namespace

std::vector<Claim> PaddingClaims() {
  const std::string without = "without a pad", with = "with a pad in each row", free = "how to become conflict-free";
  return {
      FromPadding("plain_stores_free",
                  "Without padding a simple map of threads stores to shared memory without conflicts.", without, "",
                  {Stores(kPlain, ConflictFree())}),
      FromPadding("plain_loads_conflict",
                  "Without padding the loads of 16x16 fragments conflict: at least half of the bandwidth is wasted.",
                  without, "half of the bandwidth",
                  {Loads(kPlain, {"half is wasted", Unit::kPercent, {100, kInfinity}, {0.5, kInfinity}})}),
      FromPadding(
          "eight_loads", "A warp needs 8 shared loads for each step of 32 along K.", without, "8",
          {{Role::kClaim, "shared loads per warp and tile of hgemm_wmma",
            [](Evidence& e) { return PerWarpAndTile(e.Sum(kPlain, kSharedRead, "sass_inst"), e, kPlain, kTileK); },
            About(8)}}),
      FromPadding("padding_frees_loads", "8 halves more per row free the loads of conflicts.", with,
                  "no conflicts left", {Loads(kPadded, ConflictFree()), Loads(kPlain, Conflicting(), Role::kReason)}),
      FromPadding("padding_burdens_stores", "The same padding brings conflicts into the stores.", with,
                  "conflicts appear", {Stores(kPadded, Conflicting()), Stores(kPlain, ConflictFree(), Role::kReason)}),
      FromPadding(
          "padding_wins", "Padding wins clearly all the same, because the loads are several times the stores.", with,
          "",
          {Speed(kPadded, kPlain, ClearlyFaster()),
           {Role::kReason, "shared loads over shared stores of hgemm_wmma_padded",
            [](Evidence& e) {
              const Measured loads = e.Sum(kPadded, kSharedRead, "sass_inst"),
                             stores = e.Sum(kPadded, kSharedWrite, "sass_inst");
              return loads / stores;
            },
            AtLeast(2)},
           {Role::kReason, "excess wavefronts that padding frees in loads over those that it brings into stores",
            [](Evidence& e) {
              const Measured before = Excess(e, kPlain, kSharedRead), after = Excess(e, kPadded, kSharedRead);
              const Measured stores = Excess(e, kPadded, kSharedWrite), stores_before = Excess(e, kPlain, kSharedWrite);
              return (before - after) / (stores - stores_before);
            },
            More()}}),
      FromPadding("padded_near_cublas", "A padded kernel can come close to cuBLAS, but in general not all the way.",
                  with, "about as good",
                  {ShareOfLibrary({"close, but below", Unit::kPercent, {80, 99.5}, {50, 99.5}})}),
      FromPadding(
          "permutation_frees_both", "A permutation of the layout, without padding, frees loads and stores.", free, "",
          {Loads(kSwizzled, ConflictFree()), Stores(kSwizzled, ConflictFree()),
           Speed(kSwizzled, kUnpermuted, Gains(), Role::kShown), Speed(kSwizzled, kPadded, Gains(), Role::kShown)}),
      FromPadding("cublas_conflict_free", "cuBLAS places its data so that shared bandwidth is used best.", free, "",
                  {ExcessOfAll(kLibrary, {"hardly any", Unit::kPercent, {0, 1}, {0, 10}})}),
  };
}

}  // namespace culprit
