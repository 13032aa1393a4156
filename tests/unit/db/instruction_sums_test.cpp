// SPDX-License-Identifier: Apache-2.0
// What a launch's instructions sum to when it is loaded: barriers, bytes by access, and loads of atomics' loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

using Code = std::vector<std::pair<const char*, const char*>>;

// Two loops of load, compare and swap, and loads that are none of theirs: one is the index of a plain atomic.
const Code kLoops = {{"LDS.64", "R12, [R17]"},
                     {"DADD", "R14, R12, R8"},
                     {"ATOMS.CAST.64", "R14, [R17], R12, R14"},
                     {"LDS", "R2, [R3]"},
                     {"ATOMS.ADD", "RZ, [R4], R2"},
                     {"LDS.128", "R4, [R5]"},
                     {"LDS", "R2, [R5+UR4]"},
                     {"ATOMS.CAST.SPIN", "R3, [R6], R2, R3"}};

class SwapLoadsOf : public InstructionSums {
 protected:
  SwapLoadsOf() {
    std::vector<Reading> readings;
    for (const char* id : {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal"})
      readings.push_back({{id, "sass", "smsp__x", "wavefront", "counted one by one"}, 1000, ReadingStatus::kOk});
    db.StoreReadings(launch, readings);
    Atomics(9);
  }
  void Atomics(double count) {
    db.StoreReadings(
        launch, std::vector<Reading>{
                    {{"shared_atom_inst", "range", "smsp__y", "inst", "shared atomics"}, count, ReadingStatus::kOk}});
  }
  // `samples` of warps that issue, at each instruction.
  void Sampled(const std::vector<std::pair<std::string, Code>>& functions, const std::vector<std::int64_t>& samples) {
    SamplingRecord sampling{.period_cycles = 2048, .launches = 1, .rows = {}, .code = {}};
    std::size_t sampled = 0;
    for (const auto& [function, code] : functions) {
      MachineCode& stored = sampling.code.emplace_back(MachineCode{function, "d", {}});
      for (const auto& [opcode, operands] : code) {
        MachineInstruction& instruction = stored.instructions.emplace_back();
        instruction.pc_offset = 16 * static_cast<std::int64_t>(stored.instructions.size() - 1);
        instruction.opcode = opcode;
        instruction.operands = operands;
        const std::int64_t count = samples.at(sampled++);
        sampling.rows.push_back({function, instruction.pc_offset, "selected", count, 0});
        sampling.rows.push_back({function, instruction.pc_offset, "short_scoreboard", 1000 * count, 0});
        sampling.samples += 1001 * count;
      }
    }
    db.StoreSampling(launch, sampling);
  }
  std::optional<SwapLoads> Loaded() { return db.LoadKernel(launch).swap_loads; }
};

TEST_F(SwapLoadsOf, FollowFromExactCounts) {
  Sampled({{"k", kLoops}}, {1, 1, 1, 1, 1, 1, 1, 1});
  const auto counts = [](double inst, double wavefronts, double ideal) {
    return std::map<std::string, double>{
        {"sass_inst", inst}, {"sass_shared_wavefronts", wavefronts}, {"sass_shared_wavefronts_ideal", ideal}};
  };
  const std::optional<SwapLoads> swaps = With({{"LDS", counts(4, 60, 8)},
                                               {"DADD", {{"sass_inst", 4}}},
                                               {"ATOMS", counts(4, 500, 400)},
                                               {"LDS", counts(3, 5, 3)},
                                               {"ATOMS", counts(3, 700, 600)},
                                               {"LDS", counts(1, 15, 4)},
                                               {"LDS", counts(2, 20, 2)},
                                               {"ATOMS", counts(2, 900, 800)}})
                                             .swap_loads;
  ASSERT_TRUE(swaps);
  EXPECT_TRUE(swaps->is_exact);
  EXPECT_EQ(swaps->executions, 6);
  EXPECT_EQ(swaps->wavefronts, 80);
  EXPECT_EQ(swaps->ideal_wavefronts, 10);
  EXPECT_DOUBLE_EQ(swaps->bytes, (4 * 8 + 2 * 4) / 6.0);
}

TEST_F(SwapLoadsOf, FollowFromSamplesOfWarpsThatIssueTimesTheWordsOfALoad) {
  Sampled({{"k", kLoops}}, {10, 9, 9, 4, 4, 5, 1, 1});
  const std::optional<SwapLoads> swaps = Loaded();
  ASSERT_TRUE(swaps);
  EXPECT_FALSE(swaps->is_exact);
  EXPECT_EQ(swaps->samples, 20);
  EXPECT_DOUBLE_EQ(swaps->executions, 11 / 20.0);
  EXPECT_DOUBLE_EQ(swaps->wavefronts, (10 * 2 + 1) / (10 * 2 + 4 + 5 * 4 + 1.0));
  EXPECT_DOUBLE_EQ(swaps->bytes, (10 * 8 + 1 * 4) / 11.0);
  Atomics(0);
  EXPECT_FALSE(Loaded()) << "no atomics, so nobody looks";
}

TEST_F(SwapLoadsOf, AreNoneWhereTheCodeHasNoLoop) {
  Sampled({{"k", {{"LDS", "R2, [R3]"}, {"ATOMS.ADD", "RZ, [R4], R2"}}}}, {5, 5});
  const std::optional<SwapLoads> swaps = Loaded();
  ASSERT_TRUE(swaps);
  EXPECT_TRUE(swaps->is_exact);
  EXPECT_EQ(swaps->executions, 0);
}

TEST_F(SwapLoadsOf, AreNotThoseOfAnotherFunctionNorFarBefore) {
  const Code swap = {{"ATOMS.CAST.SPIN", "R3, [R6], R2, R3"}}, load = {{"LDS", "R2, [R3]"}};
  Sampled({{"f", load}, {"g", swap}}, {5, 5});
  EXPECT_EQ(Loaded()->executions, 0);
  Code far(70, {"NOP", ""});
  far.front() = load.front();
  far.back() = swap.front();
  Sampled({{"k", far}}, std::vector<std::int64_t>(70, 1));
  EXPECT_EQ(Loaded()->executions, 0);
  far.at(10) = load.front();
  Sampled({{"k", far}}, std::vector<std::int64_t>(70, 1));
  EXPECT_EQ(Loaded()->executions, 0.5) << "the newest load of that register";
}

TEST_F(SwapLoadsOf, AreNotKnownWithoutTheCodeOfTheAtomics) {
  EXPECT_FALSE(With({{"LDS", {{"sass_inst", 4}, {"sass_shared_wavefronts", 60}}}}).swap_loads);
  Sampled({{"k", {{"LDS", "R2, [R3]"}}}}, {5});
  EXPECT_FALSE(Loaded());
}

}  // namespace
}  // namespace culprit
