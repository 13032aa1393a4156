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

TEST(Suggest, NamesThoseThatTheWordIsAPartOf) {
  const std::vector<std::string> stages = {"softmax_rows_41", "softmax_rows_40", "v1"};
  EXPECT_EQ(UnknownMessage("stage", "softmax", stages, "'culprit list'"),
            "unknown stage 'softmax'; did you mean 'softmax_rows_41' or 'softmax_rows_40'? There are: "
            "softmax_rows_41, softmax_rows_40, v1.");
  EXPECT_EQ(UnknownMessage("stage", "my_softmax_rows_40_kernel", stages),
            "unknown stage 'my_softmax_rows_40_kernel'; did you mean 'softmax_rows_40'? There are: softmax_rows_41, "
            "softmax_rows_40, v1.");
}

TEST(Suggest, CountsWhatIsTooMuchToRead) {
  std::vector<std::string> stages;
  for (int i = 10; i < 30; ++i) stages.push_back("rows_" + std::to_string(i));
  EXPECT_EQ(UnknownMessage("stage", "banana", stages, kListsStages),
            "unknown stage 'banana'. 'culprit list' lists all 20.");
  EXPECT_EQ(UnknownMessage("stage", "rows", stages, kListsStages),
            "unknown stage 'rows'; did you mean 'rows_10', 'rows_11', 'rows_12', 'rows_13' or 16 more? 'culprit list' "
            "lists all 20.");
}

TEST(Suggest, SaysWhenThereIsNothingAtAll) {
  EXPECT_EQ(UnknownMessage("stage", "v2", {}), "unknown stage 'v2'. There are none.");
}

}  // namespace
}  // namespace culprit
