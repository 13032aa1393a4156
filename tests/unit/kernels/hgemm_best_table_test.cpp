// SPDX-License-Identifier: Apache-2.0
#include "kernels/hgemm/hgemm_best_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace culprit {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr int kMultiprocessors = 132;  // of the GPU that the table was measured on

TEST(HgemmBestTable, NamesStagesThatTakeWhatHgemmBestTakes) {
  const Stage* const best = FindStage("hgemm_best");
  ASSERT_NE(best, nullptr);
  for (const TiledStage& tiled : kTiledHgemm) {
    const Stage* const stage = FindStage(tiled.stage);
    ASSERT_NE(stage, nullptr) << tiled.stage;
    EXPECT_EQ(Describe(stage->constraint), Describe(best->constraint)) << tiled.stage;
    EXPECT_EQ(ElementOf(*stage), ElementType::kHalf) << tiled.stage;
    EXPECT_THAT(DeviceRefusal(*stage, best->device.least), IsEmpty()) << tiled.stage;
    EXPECT_NE(stage, best) << "it would launch itself for ever";
    const auto tile = std::find_if(stage->factors.begin(), stage->factors.end(),
                                   [](const auto& factor) { return factor.first == "block tile"; });
    ASSERT_NE(tile, stage->factors.end()) << tiled.stage;
    EXPECT_THAT(tile->second, StartsWith(std::to_string(tiled.tile_m) + "x" + std::to_string(tiled.tile_n) + "x"));
  }
}

TEST(HgemmBestTable, HasATimeOfEachStageAtShapesThatHgemmBestTakes) {
  const Stage& best = *FindStage("hgemm_best");
  for (const MeasuredTimes& row : kMeasuredHgemm) {
    EXPECT_THAT(Refusal(best, row.shape), IsEmpty()) << "a shape that was never measured";
    for (std::size_t i = 0; i < std::size(kTiledHgemm); ++i) EXPECT_GT(row.us.at(i), 0) << kTiledHgemm[i].stage;
  }
}

// Each shape in turn left out, and launched as the others have it: how long that takes, beside the fastest stage.
TEST(HgemmBestTable, ChoosesWellWhereItWasNotMeasured) {
  double sum = 0;
  std::set<std::string> chosen;
  for (const MeasuredTimes& left_out : kMeasuredHgemm) {
    std::vector<MeasuredTimes> others;
    std::copy_if(std::begin(kMeasuredHgemm), std::end(kMeasuredHgemm), std::back_inserter(others),
                 [&](const MeasuredTimes& row) { return &row != &left_out; });
    const std::string id = LeastExpected("best", kTiledHgemm, others, left_out.shape, kMultiprocessors).id;
    chosen.insert(id);
    const auto at = std::find_if(std::begin(kTiledHgemm), std::end(kTiledHgemm),
                                 [&](const TiledStage& stage) { return id == stage.stage; });
    const auto least = std::min_element(left_out.us.begin(), left_out.us.begin() + std::size(kTiledHgemm));
    const double ratio = left_out.us.at(static_cast<std::size_t>(at - std::begin(kTiledHgemm))) / *least;
    sum += std::log(ratio);
    const auto [m, n, k] = left_out.shape;
    EXPECT_LT(ratio, 1.3) << id << " at " << m << 'x' << n << 'x' << k;
  }
  const double mean = std::exp(sum / std::size(kMeasuredHgemm));
  RecordProperty("times_the_fastest", std::to_string(mean));
  EXPECT_LT(mean, 1.03);
  EXPECT_GT(chosen.size(), 2u);
}

}  // namespace
}  // namespace culprit
