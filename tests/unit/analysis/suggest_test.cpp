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

TEST(Suggest, SaysWhenThereIsNothingAtAll) {
  EXPECT_EQ(UnknownMessage("stage", "v2", {}), "unknown stage 'v2'. There are none.");
}

}  // namespace
}  // namespace culprit
