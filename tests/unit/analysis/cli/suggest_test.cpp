// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/suggest.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

const std::vector<std::string> kStages = {"sgemm_naive", "v1_6", "v1_7"};

TEST(Suggest, NamesTheClosestOfWhatExists) {
  EXPECT_EQ(UnknownMessage("stage", "sgemm_navie", kStages),
            "unknown stage 'sgemm_navie'; did you mean 'sgemm_naive'? There are: sgemm_naive, v1_6, v1_7.");
}

TEST(Suggest, SuggestsNothingFarAway) {
  EXPECT_EQ(Closest("banana", kStages), "");
  EXPECT_EQ(UnknownMessage("stage", "banana", kStages), "unknown stage 'banana'. There are: sgemm_naive, v1_6, v1_7.");
}

TEST(Suggest, DoesNotMeasureNamesThatAreFarTooLong) {
  const std::vector<std::string> huge = {std::string(2'000'000, 'x'), "v1_6"};
  EXPECT_EQ(Closest(std::string(100'000, 'x'), huge), "");
  EXPECT_EQ(Closest("v1_5", huge), "v1_6");
}

TEST(Suggest, SaysWhenThereIsNothingAtAll) {
  EXPECT_EQ(UnknownMessage("stage", "v2", {}), "unknown stage 'v2'. There are none.");
}

}  // namespace
}  // namespace culprit
