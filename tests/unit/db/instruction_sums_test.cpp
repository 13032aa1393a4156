// SPDX-License-Identifier: Apache-2.0
// What a launch's instructions sum to when it is loaded: barriers, and bytes by access.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class InstructionSums : public testing::Test {
 protected:
  InstructionSums() {
    const RunId run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("v1_7"), {});
    launch = db.StoreLaunch(run, ALaunch("v1_7", 1024), Samples({10.5}));
    std::vector<Reading> readings;
    for (const char* id :
         {"sass_inst", "sass_shared_inst", "sass_global_inst", "sass_memory_8b_inst", "sass_memory_16b_inst",
          "sass_memory_32b_inst", "sass_memory_64b_inst", "sass_memory_128b_inst"})
      readings.push_back({{id, "sass", "smsp__x", "inst", "counted one by one"}, 1000, ReadingStatus::kOk});
    db.StoreReadings(launch, readings);
  }

  // Each with its opcode, at an offset of its own.
  KernelRecord With(const std::vector<std::pair<std::string, std::map<std::string, double>>>& instructions) {
    std::vector<InstructionRecord> records;
    for (const auto& [opcode, counts] : instructions)
      records.push_back({"k", 16 * static_cast<std::int64_t>(records.size()), "a.cu", 1, counts, opcode});
    db.StoreInstructions(launch, records);
    return db.LoadKernel(launch);
  }

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  LaunchId launch = 0;
};

TEST_F(InstructionSums, AreNoneWhereInstructionsWereNotCounted) {
  const KernelRecord kernel = With({});
  EXPECT_FALSE(kernel.barriers);
  EXPECT_THAT(kernel.access_bytes, IsEmpty());
}

TEST_F(InstructionSums, CountEveryBarrierThatWarpsExecuted) {
  EXPECT_EQ(With({{"BAR", {{"sass_inst", 4}}},
                  {"BAR", {{"sass_inst", 300}}},
                  {"LDS", {{"sass_inst", 5000}, {"sass_shared_inst", 5000}}}})
                .barriers,
            304);
}

TEST_F(InstructionSums, FindNoBarrierWhereTheOthersWereCounted) {
  EXPECT_EQ(With({{"LDS", {{"sass_inst", 5000}, {"sass_shared_inst", 5000}}}}).barriers, 0);
}

TEST_F(InstructionSums, KnowNoBarriersWhereExecutionsOfNoInstructionWereCounted) {
  EXPECT_FALSE(With({{"LDS", {{"sass_shared_inst", 5000}}}, {"LDG", {{"sass_global_inst", 10}}}}).barriers);
}

TEST_F(InstructionSums, KnowNeitherBarriersNorBytesWithoutOpcodes) {
  const KernelRecord kernel =
      With({{"", {{"sass_inst", 5000}, {"sass_shared_inst", 5000}, {"sass_memory_32b_inst", 5000}}}});
  EXPECT_FALSE(kernel.barriers);
  EXPECT_THAT(kernel.access_bytes, IsEmpty());
}

TEST_F(InstructionSums, WeighTheBytesOfAnAccessByItsExecutions) {
  // (300 x 4 + 100 x 16) / 400, and 1, 2 and 8 bytes once each.
  EXPECT_THAT(With({{"LDS", {{"sass_memory_32b_inst", 300}}},
                    {"STS", {{"sass_memory_128b_inst", 100}}},
                    {"LDG", {{"sass_memory_8b_inst", 50}}},
                    {"STG", {{"sass_memory_16b_inst", 50}}},
                    {"LDGSTS", {{"sass_memory_64b_inst", 50}}}})
                  .access_bytes,
              ElementsAre(Pair("global", DoubleEq(11.0 / 3)), Pair("shared", 7)));
}

TEST_F(InstructionSums, KnowTheBytesOnlyOfTheMemoryWhoseWidthsWereCounted) {
  EXPECT_THAT(With({{"LDS", {{"sass_memory_64b_inst", 10}}}, {"LDG", {{"sass_inst", 10}, {"sass_global_inst", 10}}}})
                  .access_bytes,
              ElementsAre(Pair("shared", 8)));
  EXPECT_THAT(With({{"LDS", {{"sass_inst", 10}, {"sass_shared_inst", 10}}}}).access_bytes, IsEmpty());
}

TEST_F(InstructionSums, TellAccessesApartByMemoryAndWidth) {
  EXPECT_THAT(
      With({{"LDS", {{"sass_memory_32b_inst", 300}}},
            {"STS", {{"sass_memory_32b_inst", 100}}},
            {"LDG", {{"sass_memory_8b_inst", 50}}},
            {"STG", {{"sass_memory_16b_inst", 50}}},
            {"LDL", {{"sass_memory_128b_inst", 1000}}}})
          .accesses,
      ElementsAre(Pair("global", ElementsAre(Pair(1, 50), Pair(2, 50))), Pair("shared", ElementsAre(Pair(4, 400)))));
}

TEST_F(InstructionSums, KnowThatAKernelHasNoSharedAccessWhereWidthsWereCounted) {
  EXPECT_THAT(With({{"LDG", {{"sass_memory_64b_inst", 10}}}}).accesses,
              ElementsAre(Pair("global", ElementsAre(Pair(8, 10))), Pair("shared", IsEmpty())));
  EXPECT_THAT(With({{"", {{"sass_memory_64b_inst", 10}}}}).accesses, IsEmpty());
}

TEST_F(InstructionSums, LeaveAtomicsAndLocalAccessesOutOfTheBytes) {
  EXPECT_THAT(With({{"LDG", {{"sass_memory_32b_inst", 10}}},
                    {"LDL", {{"sass_memory_128b_inst", 1000}}},
                    {"RED", {{"sass_memory_64b_inst", 1000}}},
                    {"ATOMS", {{"sass_memory_64b_inst", 1000}}}})
                  .access_bytes,
              ElementsAre(Pair("global", 4)));
}

}  // namespace
}  // namespace culprit
