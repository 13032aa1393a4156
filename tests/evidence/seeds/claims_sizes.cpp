// SPDX-License-Identifier: Apache-2.0
// What seeds/003 says: five kernels at six sizes, on a P100.
#include <fmt/core.h>

#include <cmath>

#include "analysis/number/format.h"
#include "tests/evidence/seeds/criteria.h"
#include "tests/evidence/seeds/published.h"

namespace culprit::claims {
namespace {

const std::string kNaive = "view_naive", kV2 = "view_block_v2", kV3 = "view_block_v3", kCublas = "cublas_sgemm";
constexpr int kSmall[] = {128, 256}, kLarge[] = {1024, 2048, 4096};

// The document measured its V1 with 16x16 blocks up to 1024 and with 32x32 above.
std::string V1At(int size) { return size <= 1024 ? "view_block_v1" : "view_block_v1_32"; }

Claim FromSizes(std::string id, std::string text, std::string published, std::vector<Criterion> criteria) {
  const PublishedTable& table = PublishedSizes();
  return {std::move(id),        std::move(text),        std::string(table.document), std::string(table.section),
          std::move(published), std::string(table.gpu), std::move(criteria)};
}

std::string Ms(const std::string& stage, int size) {
  return fmt::format("{} ms", PublishedSizes().Find(stage, "time_ms", size).value());
}

std::string Against(const std::string& one, const std::string& other, std::initializer_list<int> sizes) {
  std::string text;
  for (const int size : sizes)
    text += fmt::format("{}{} against {} at {}", text.empty() ? "" : ", ", Ms(one, size), Ms(other, size), size);
  return text;
}

// The time ratio of two stages at one size, divided by their ratio at a second size.
Criterion Growth(const std::string& one, const std::string& other_small, const std::string& other_large, int small,
                 int large, Threshold threshold) {
  return {Role::kClaim,
          fmt::format("time of {} over {} at {}, over {} at {}", one, other_large, large, other_small, small),
          [=](Evidence& e) {
            const Measured then = TimeRatio(e, {one, large}, {other_large, large});
            return then / TimeRatio(e, {one, small}, {other_small, small});
          },
          std::move(threshold)};
}

}  // namespace

std::vector<Claim> SizeClaims() {
  std::vector<Criterion> naive_fine, v1_over_naive, v2_over_v1, v1_best, v2_best, v3_like_v2;
  const Threshold fine{
      "within twice the time of the tiled one", Unit::kChangePercent, {-50, kInfinity}, {-75, kInfinity}};
  for (const int size : kSmall) {
    naive_fine.push_back(SpeedAt(size, kNaive, V1At(size), fine));
    for (const std::string& other : {kV2, kV3, kNaive}) v1_best.push_back(SpeedAt(size, V1At(size), other, Faster()));
  }
  for (const int size : kLarge) {
    v1_over_naive.push_back(SpeedAt(size, V1At(size), kNaive, ClearlyFaster()));
    v2_over_v1.push_back(SpeedAt(size, kV2, V1At(size), ClearlyFaster()));
    v2_best.push_back(SpeedAt(size, kV2, V1At(size), Faster()));
    v2_best.push_back(SpeedAt(size, kV2, kNaive, Faster()));
    v3_like_v2.push_back(SpeedAt(size, kV3, kV2, Hardly()));
  }
  v1_over_naive.push_back(RatioOf("global_load_inst", kNaive, "view_block_v1", AtLeast(8)));
  v2_over_v1.push_back(RatioOf("shared_load_inst", "view_block_v1", kV2, More()));
  // The document's reason: few blocks leave SMs without work.
  v1_best.push_back({Role::kReason,
                     "blocks of view_block_v2 at 256 per SM",
                     [](Evidence& e) {
                       const Measured blocks = e.GetAt(kV2, "blocks", 256), sms = e.GetAt(kV2, "sm_count", 256);
                       return blocks / sms;
                     },
                     {"fewer than one", Unit::kRatio, {0, 0.999}, {0, 2}}});
  return {
      FromSizes("tile_cuts_global_traffic", "Tiles of BM x BN read A from global memory N/BN times instead of N times.",
                "16 and 128 times fewer accesses",
                {RatioOf("global_load_inst", kNaive, "view_block_v1", About(16), Role::kClaim),
                 RatioOf("global_load_inst", kNaive, kV2, About(128), Role::kClaim)}),
      FromSizes("naive_fine_when_small", "Below 512 the naive kernel is not bad.",
                Against(kNaive, "view_block_v1", {128, 256}), std::move(naive_fine)),
      FromSizes("naive_falls_when_large", "The larger the matrix, the further the naive kernel falls behind.",
                Against(kNaive, "view_block_v1_32", {4096}),
                {Growth(kNaive, V1At(128), V1At(4096), 128, 4096, AtLeast(1.5))}),
      FromSizes("v1_over_naive", "Above 512 V1 is clearly faster than naive, because global memory is read less often.",
                Against("view_block_v1_32", kNaive, {2048, 4096}), std::move(v1_over_naive)),
      FromSizes("v2_over_v1", "Above 512 V2 is clearly faster than V1, because shared memory is read less often.",
                Against(kV2, "view_block_v1_32", {2048, 4096}), std::move(v2_over_v1)),
      FromSizes("global_matters_more", "Saving global accesses (V1) gains more than saving shared ones (V2).",
                fmt::format("{}, {} and {} at 4096", Ms(kNaive, 4096), Ms("view_block_v1_32", 4096), Ms(kV2, 4096)),
                {{Role::kClaim, "gain from naive to V1 over the gain from V1 to V2 at 4096",
                  [](Evidence& e) {
                    const Launched v1{V1At(4096), 4096};
                    const Measured first = TimeRatio(e, {kNaive, 4096}, v1);
                    return first / TimeRatio(e, v1, {kV2, 4096});
                  },
                  More()}}),
      FromSizes("v1_best_when_small",
                "At 128 and 256 V1 is the fastest of the hand-written ones: V2 has too few blocks.",
                Against("view_block_v1", kV2, {128, 256}), std::move(v1_best)),
      FromSizes("v2_best_when_large", "Above 512 V2 is faster than V1 and naive.",
                Against(kV2, "view_block_v1", {1024}), std::move(v2_best)),
      FromSizes("v3_like_v2", "Prefetching (V3) hardly improves V2.", Against(kV3, kV2, {1024, 2048, 4096}),
                std::move(v3_like_v2)),
      FromSizes("access_gains_most",
                "Most of the gain comes from accesses to memory (V1, V2), little from prefetch (V3).",
                fmt::format("{}, {} and {} at 4096", Ms(kNaive, 4096), Ms(kV2, 4096), Ms(kV3, 4096)),
                {{Role::kClaim,
                  "part of V1 and V2 in the gain from naive to V3 at 4096 (of its logarithm)",
                  [](Evidence& e) {
                    const Measured access = TimeRatio(e, {kNaive, 4096}, {kV2, 4096});
                    const Measured all = TimeRatio(e, {kNaive, 4096}, {kV3, 4096});
                    if (!access || !all) return access / all;
                    return Measured(100 * std::log(*access) / std::log(*all));
                  },
                  {"most", Unit::kPercent, {75, kInfinity}, {50, kInfinity}}}}),
      FromSizes("gap_to_cublas", "The gap to cuBLAS is still large.", Against(kV3, kCublas, {4096}),
                {SpeedAt(4096, kCublas, kV3, ClearlyFaster()), SpeedAt(2048, kCublas, kV3, ClearlyFaster())}),
  };
}

}  // namespace culprit::claims
