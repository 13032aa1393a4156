// SPDX-License-Identifier: Apache-2.0
// Counts by opcode against counters of the same launches, where each warp runs each instruction once.
#include "bench/program/counters_of_opcodes.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "profiler/code/instruction.h"
#include "tests/evidence/samples_study.h"

namespace culprit::testing {
namespace {

constexpr int kWarp = 32;

struct ByOpcode {
  OpcodeCounts executed;
  bool guarded = false;  // some instructions may be switched off
};

// None if some instructions run more or less often than once a warp. Behind the last EXIT nothing runs.
std::optional<ByOpcode> EachOnce(const StudiedLaunch& launch) {
  if (!launch.warps || launch.sampling.code.size() != 1) return std::nullopt;
  std::vector<MachineInstruction> code = launch.sampling.code.front().instructions;
  while (!code.empty() && (code.back().opcode.starts_with("BRA") || code.back().opcode == "NOP")) code.pop_back();
  if (static_cast<double>(code.size()) * *launch.warps != launch.Counter("inst_executed")) return std::nullopt;
  ByOpcode counts;
  for (const MachineInstruction& instruction : code) {
    // Names that older recordings lack are those of sm_90, as all of these are.
    const SassInstruction decoded = DecodeSass(instruction.low, instruction.high, instruction.pc_offset, 90);
    counts.executed[decoded.opcode] += *launch.warps;
    counts.guarded |= decoded.guarded;
    const int bytes = AccessBytesOf(decoded.opcode);
    EXPECT_TRUE(bytes == 0 || bytes == decoded.access_bytes) << decoded.opcode;
  }
  return counts;
}

// Of instructions that access memory. Empty: they were not counted one by one, or the launch that was counted so ran
// more or fewer than the others, as kernels that wait for other blocks do.
OpcodeCounts OfMemory(const StudiedLaunch& launch) {
  OpcodeCounts executed;
  if (launch.Counter("sass_inst") != launch.Counter("inst_executed") || launch.sampling.code.size() != 1)
    return executed;
  for (const MachineInstruction& instruction : launch.sampling.code.front().instructions)
    if (const auto counted = launch.exact.find(instruction.pc_offset); counted != launch.exact.end())
      executed[DecodeSass(instruction.low, instruction.high, instruction.pc_offset, 90).opcode] += counted->second;
  return executed;
}

class Agreement {
 public:
  void Compare(const StudiedLaunch& launch, const std::vector<OpcodeCounter>& counters) {
    for (const auto& [id, value] : counters) {
      const auto counted = launch.counters.find(std::string(id));
      if (counted == launch.counters.end()) continue;
      EXPECT_EQ(value, counted->second) << id << " of " << launch.name;
      compared_[id] += value > 0 ? 1 : 0;
    }
  }
  // Launches with any such instruction.
  int Of(std::string_view id) const {
    const auto found = compared_.find(id);
    return found == compared_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string_view, int> compared_;
};

TEST(CountersOfOpcodes, AreTheCountersOfRecordedLaunches) {
  Agreement agreement;
  int launches = 0;
  for (const auto& all : {StudiedLaunches(), LaunchesCountedElsewhere()})
    for (const StudiedLaunch& launch : all) {
      // Without pipes, which other instructions use as well.
      if (const OpcodeCounts executed = OfMemory(launch); !executed.empty())
        agreement.Compare(launch, CountersOfWarps(executed, false));
      const auto counts = EachOnce(launch);
      if (!counts) continue;
      ++launches;
      agreement.Compare(launch, CountersOfWarps(counts->executed, true));
      if (counts->guarded || launch.Counter("threads_per_inst") != kWarp) continue;
      OpcodeCounts threads = counts->executed;
      for (auto& [opcode, count] : threads) count *= kWarp;
      agreement.Compare(launch, CountersOfThreads(threads, true));
    }
  EXPECT_GE(launches, 200);
  for (const char* id :
       {"shared_load_inst", "shared_store_inst", "global_load_inst", "global_store_inst",   "local_load_inst",
        "local_store_inst", "shared_ldsm_inst",  "pipe_fma_inst",    "pipe_alu_inst",       "pipe_uniform_inst",
        "pipe_xu_inst",     "pipe_tensor_inst",  "tensor_hmma_inst", "tensor_hfma2_inst",   "pipe_fp64_inst",
        "ffma_thread_inst", "fp32_thread_inst",  "fp16_thread_inst", "integer_thread_inst", "conversion_thread_inst"})
    EXPECT_GE(agreement.Of(id), 10) << id;
  for (const char* id : {"fp64_thread_inst", "shared_atom_inst"}) EXPECT_GE(agreement.Of(id), 5) << id;
}

}  // namespace
}  // namespace culprit::testing
