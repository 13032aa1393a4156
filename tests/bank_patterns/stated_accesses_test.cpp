// SPDX-License-Identifier: Apache-2.0
// What stages state of their shared accesses against what a GPU counted for their instructions: the model's cost of a
// stated access is the measured cost of an instruction, and nothing is measured that the stage does not state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "analysis/banks/bank_model.h"
#include "db/database.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A shared-memory instruction of a kernel, per execution.
struct Counted {
  SharedOp op;
  int lane_bytes;
  double wavefronts, ideal;
  std::string where;
};

struct OpCounter {
  const char* metric;
  SharedOp op;
};
constexpr OpCounter kOps[] = {{"sass_shared_load_inst", SharedOp::kLoad},
                              {"sass_shared_store_inst", SharedOp::kStore},
                              {"sass_ldsm_inst", SharedOp::kLoadMatrix},
                              {"sass_stsm_inst", SharedOp::kStoreMatrix}};
struct WidthCounter {
  const char* metric;
  int bytes;
};
constexpr WidthCounter kWidths[] = {{"sass_memory_128b_inst", 16},
                                    {"sass_memory_64b_inst", 8},
                                    {"sass_memory_32b_inst", 4},
                                    {"sass_memory_16b_inst", 2},
                                    {"sass_memory_8b_inst", 1}};

double Count(const InstructionRecord& instruction, const char* metric) {
  const auto found = instruction.counts.find(metric);
  return found == instruction.counts.end() ? 0 : found->second;
}

// Empty for what is no load or store of shared memory, for what never ran and for what has no wavefronts counted.
std::optional<Counted> SharedCounts(const InstructionRecord& instruction) {
  if (!instruction.counts.contains("sass_shared_wavefronts")) return std::nullopt;
  for (const auto& [metric, op] : kOps) {
    const double executed = Count(instruction, metric);
    if (executed == 0) continue;
    int bytes = op == SharedOp::kLoadMatrix || op == SharedOp::kStoreMatrix ? 16 : 0;
    for (const auto& [width, of_lane] : kWidths)
      if (bytes == 0 && Count(instruction, width) > 0) bytes = of_lane;
    std::ostringstream where;
    where << instruction.function << "+0x" << std::hex << instruction.pc_offset << std::dec << " ("
          << instruction.source_file << ':' << instruction.source_line << ')';
    return Counted{op, bytes, Count(instruction, "sass_shared_wavefronts") / executed,
                   Count(instruction, "sass_shared_wavefronts_ideal") / executed, where.str()};
  }
  return std::nullopt;
}

bool Explains(const SharedAccess& access, const Counted& counted) {
  const BankCost cost = Model(access);
  return access.op == counted.op && access.lane_bytes == counted.lane_bytes &&
         cost.sass_wavefronts == counted.wavefronts && cost.ideal == counted.ideal;
}

std::string_view Name(SharedOp op) {
  switch (op) {
    case SharedOp::kLoad:
      return "load";
    case SharedOp::kStore:
      return "store";
    case SharedOp::kLoadMatrix:
      return "ldmatrix";
    case SharedOp::kStoreMatrix:
      return "stmatrix";
  }
  return "";
}

// A sentence for each stated access that no instruction bears out, and for each instruction that no stated access
// explains. A stage that states one load states all its loads; an operation that it does not state is not judged.
std::vector<std::string> Disagreements(const std::vector<SharedAccess>& stated,
                                       const std::vector<InstructionRecord>& instructions) {
  std::vector<std::string> sentences;
  std::vector<Counted> all;
  for (const InstructionRecord& instruction : instructions)
    if (const auto counted = SharedCounts(instruction)) all.push_back(*counted);
  for (const SharedAccess& access : stated) {
    if (std::ranges::any_of(all, [&](const Counted& c) { return Explains(access, c); })) continue;
    const BankCost cost = Model(access);
    std::ostringstream text;
    text << "'" << access.name << "', a " << Name(access.op) << " of " << access.lane_bytes << " bytes, should cost "
         << cost.sass_wavefronts << " wavefronts (ideal " << cost.ideal << "); no such instruction was counted";
    sentences.push_back(text.str());
  }
  for (const Counted& counted : all) {
    const bool judged =
        std::ranges::any_of(stated, [&](const SharedAccess& access) { return access.op == counted.op; });
    if (!judged || std::ranges::any_of(stated, [&](const SharedAccess& access) { return Explains(access, counted); }))
      continue;
    std::ostringstream text;
    text << "the " << Name(counted.op) << " of " << counted.lane_bytes << " bytes at " << counted.where << " costs "
         << counted.wavefronts << " wavefronts (ideal " << counted.ideal << "), which no stated access explains";
    sentences.push_back(text.str());
  }
  return sentences;
}

SharedAccess Store4(int stride) {
  SharedAccess access{.name = "store A", .array = "A", .op = SharedOp::kStore, .lane_bytes = 4};
  access.address = {};
  for (int lane = 0; lane < kWarpLanes; ++lane) access.address[lane] = 4 * stride * lane;
  return access;
}

InstructionRecord Instruction(const char* op, const char* width, double executed, double wavefronts, double ideal) {
  return {"kernel",
          16,
          "kernel.cu",
          7,
          {{op, executed},
           {width, executed},
           {"sass_shared_wavefronts", wavefronts},
           {"sass_shared_wavefronts_ideal", ideal}}};
}

TEST(StatedAccesses, AgreeWithInstructionsThatCostWhatTheModelSays) {
  const auto store = Instruction("sass_shared_store_inst", "sass_memory_32b_inst", 10, 20, 10);
  const auto load = Instruction("sass_shared_load_inst", "sass_memory_128b_inst", 10, 80, 40);  // not stated
  InstructionRecord global = store;
  global.counts = {{"sass_global_load_inst", 10}, {"sass_memory_32b_inst", 10}};
  EXPECT_THAT(Disagreements({Store4(2)}, {store, load, global}), IsEmpty());
}

TEST(StatedAccesses, AreContradictedByInstructionsThatCostSomethingElse) {
  const auto store = Instruction("sass_shared_store_inst", "sass_memory_32b_inst", 10, 40, 10);
  EXPECT_THAT(Disagreements({Store4(2)}, {store}),
              ElementsAre("'store A', a store of 4 bytes, should cost 2 wavefronts (ideal 1); no such instruction was "
                          "counted",
                          "the store of 4 bytes at kernel+0x10 (kernel.cu:7) costs 4 wavefronts (ideal 1), which no "
                          "stated access explains"));
}

TEST(StatedAccesses, AreContradictedByAnotherWidthOrOperation) {
  const auto wide = Instruction("sass_shared_store_inst", "sass_memory_64b_inst", 10, 20, 10);
  EXPECT_THAT(Disagreements({Store4(2)}, {wide}), ElementsAre(HasSubstr("'store A'"), HasSubstr("store of 8 bytes")));
  const auto load = Instruction("sass_shared_load_inst", "sass_memory_32b_inst", 10, 20, 10);
  EXPECT_THAT(Disagreements({Store4(2)}, {load}), ElementsAre(HasSubstr("'store A'")));
}

TEST(StatedAccesses, OfEveryRecordedStageAgreeWithItsInstructions) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "recorded.db");
  testing::ImportRecordings("", database);
  int counted = 0, judged = 0;
  for (const RunSummary& run : database.Runs())
    for (const LaunchId launch : database.Launches(run.id, "")) {
      const KernelRecord kernel = database.LoadKernel(launch);
      const std::vector<InstructionRecord> instructions = database.Instructions(launch);
      if (!instructions.empty()) ++counted;
      if (instructions.empty() || kernel.stage.shared_accesses.empty()) continue;
      ++judged;
      for (const std::string& sentence : Disagreements(kernel.stage.shared_accesses, instructions))
        ADD_FAILURE() << kernel.stage.id << " at " << kernel.launch.shape << " in run " << run.run.label << ": "
                      << sentence;
    }
  EXPECT_GT(counted, 0) << "no recorded run has counts of single instructions";
  EXPECT_GT(judged, 0) << "no stage with counts of single instructions states its accesses";
}

}  // namespace
}  // namespace culprit::testing
