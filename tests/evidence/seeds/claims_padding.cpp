// SPDX-License-Identifier: Apache-2.0
// What seeds/004 says of a 128x256x32 half-precision tile, on an RTX 3090. Its profiles were pictures.
#include "tests/evidence/seeds/criteria.h"
#include "tests/evidence/seeds/published.h"

namespace culprit::claims {
namespace {

using enum InstructionClass;

const std::string kPlain = "hgemm_wmma", kPadded = "hgemm_wmma_padded", kUnpermuted = "hgemm_mma",
                  kSwizzled = "hgemm_mma_swizzle", kLibrary = "cublas_hgemm";
constexpr int kFragmentK = 16;

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

Criterion WorstStore(const std::string& stage, Role role, Threshold threshold) {
  return {role, "wavefronts of the worst shared store of " + stage,
          [=](Evidence& e) { return e.MostEach(stage, kSharedWrite, "sass_shared_wavefronts"); }, std::move(threshold)};
}

// wgmma reads its operands from shared memory by itself: no load of the kernel does. The count of patched code for it
// is the same for every layout.
Criterion LibraryLoads(Threshold threshold) {
  return {Role::kClaim, "excess wavefronts of the shared loads of cublas_hgemm that read operands",
          [](Evidence& e) {
            const Measured gmma = e.Get(kLibrary, "tensor_gmma_inst");
            if (gmma && *gmma > 0) return e.Undefined(kLibrary, "operand_load_wavefronts");
            const Measured excess = Excess(e, kLibrary, kSharedRead);
            return Measured(100) * excess / e.Sum(kLibrary, kSharedRead, "sass_shared_wavefronts_ideal");
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
      WithNote(FromPadding("eight_loads", "For 64x64 results a warp needs 8 shared loads, because wmma_k is 16.",
                           without, "8",
                           {{Role::kClaim, "shared loads per warp and step of 16 along K of hgemm_wmma",
                             [](Evidence& e) {
                               return PerWarpAndTile(e.Sum(kPlain, kSharedRead, "sass_inst"), e, kPlain, kFragmentK);
                             },
                             About(8)}}),
               "4 fragments of A and 4 of B for the 4x4 products of a step: 8. A tile of BK = 32 has two steps and "
               "takes 16; "
               "the document's 8 is one step of both, or both steps of the A that it describes, not the whole tile."),
      FromPadding("padding_frees_loads", "8 halves more per row free the loads of conflicts.", with,
                  "no conflicts left", {Loads(kPadded, ConflictFree()), Loads(kPlain, Conflicting(), Role::kReason)}),
      FromPadding("padding_burdens_stores", "The same padding brings conflicts into the stores.", with,
                  "conflicts appear", {Stores(kPadded, Conflicting()), Stores(kPlain, ConflictFree(), Role::kReason)}),
      FromPadding("pad_skips_banks", "Stores conflict because the pad makes every row of A skip 4 banks.", with,
                  "4 banks",
                  {{Role::kClaim, "wavefronts of the worst shared store, hgemm_wmma_padded over hgemm_wmma",
                    [](Evidence& e) {
                      const Measured padded = e.MostEach(kPadded, kSharedWrite, "sass_shared_wavefronts");
                      return padded / e.MostEach(kPlain, kSharedWrite, "sass_shared_wavefronts");
                    },
                    More()},
                   {Role::kReason, "banks of 4 bytes between the rows of A, hgemm_wmma_padded less hgemm_wmma",
                    [](Evidence& e) {
                      const Measured padded = e.Get(kPadded, "row_bytes_of_A"), plain = e.Get(kPlain, "row_bytes_of_A");
                      return (padded - plain) / Measured(4);
                    },
                    Exactly(4)},
                   WorstStore(kPadded, Role::kShown, OnlyShown(Unit::kCount)),
                   WorstStore(kPlain, Role::kShown, OnlyShown(Unit::kCount))}),
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
                  ShareOf(kLibrary, kPadded, {"close, but below", Unit::kPercent, {80, 99.5}, {50, 99.5}})),
      FromPadding(
          "permutation_frees_both", "A permutation of the layout, without padding, frees loads and stores.", free, "",
          {Loads(kSwizzled, ConflictFree()), Stores(kSwizzled, ConflictFree()),
           Speed(kSwizzled, kUnpermuted, Gains(), Role::kShown), Speed(kSwizzled, kPadded, Gains(), Role::kShown)}),
      WithNote(FromPadding(
                   "cublas_conflict_free", "cuBLAS places its data so that shared bandwidth is used best.", free, "",
                   {LibraryLoads({"hardly any", Unit::kPercent, {0, 1}, {0, 10}}),
                    {Role::kShown, "shared_conflicts_hw per 100 wavefronts of cublas_hgemm, lost arbitration included",
                     [](Evidence& e) {
                       const Measured conflicts = e.Get(kLibrary, "shared_conflicts_hw");
                       return Measured(100) * conflicts / e.Get(kLibrary, "shared_wavefronts");
                     },
                     OnlyShown(Unit::kPercent)}}),
               "Where cuBLAS multiplies with wgmma no load reads the operands, and patched code counts the same "
               "wavefronts for "
               "every layout: what they cost is not measured."),
  };
}

}  // namespace culprit::claims
