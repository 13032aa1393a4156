// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/rank.h"

#include <gtest/gtest.h>

#include <map>

namespace culprit {
namespace {

std::optional<int> Rank(const std::map<std::string, std::string>& variables) {
  return RankIn([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Rank, IsWhatEachLauncherSays) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
    EXPECT_EQ(Rank({{name, "12"}}), 12) << name;
  EXPECT_EQ(Rank({{"RANK", "3"}, {"WORLD_SIZE", "8"}}), 3);
  EXPECT_EQ(Rank({{"OMPI_COMM_WORLD_RANK", "0"}}), 0);
}

TEST(Rank, IsNotAnyVariableOfThatName) {
  EXPECT_FALSE(Rank({}));
  EXPECT_FALSE(Rank({{"RANK", "3"}})) << "not torchrun's";
  for (const char* text : {"", "x", "-1", "1 ", "1.5", "99999999999"}) EXPECT_FALSE(Rank({{"PMI_RANK", text}})) << text;
}

TEST(Rank, IsThatOfTheInnerLauncher) {
  EXPECT_EQ(Rank({{"SLURM_PROCID", "1"}, {"RANK", "9"}, {"WORLD_SIZE", "16"}}), 9) << "torchrun below srun";
  EXPECT_EQ(Rank({{"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_RANK", "5"}}), 5) << "mpirun in a job";
  EXPECT_EQ(Rank({{"RANK", "general"}, {"WORLD_SIZE", "2"}, {"SLURM_PROCID", "4"}}), 4);
}

}  // namespace
}  // namespace culprit
