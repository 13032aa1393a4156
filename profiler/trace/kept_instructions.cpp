// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/kept_instructions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace culprit {
namespace {

// What metrics of memory are called; sass_inst and sass_thread_inst count every instruction.
constexpr std::array<std::string_view, 7> kMemoryMetrics = {
    "sass_shared_", "sass_global_", "sass_local_", "sass_memory_", "sass_ldsm_", "sass_stsm_", "sass_ldgsts_"};

const std::string kExecutions = "sass_inst", kLanesOn = "sass_thread_inst_on";
constexpr double kWarp = 32;

bool IsOfMemory(std::string_view metric) {
  return std::any_of(kMemoryMetrics.begin(), kMemoryMetrics.end(),
                     [&](std::string_view prefix) { return metric.starts_with(prefix); });
}

bool TouchesMemory(const InstructionRecord& instruction) {
  return std::any_of(instruction.counts.begin(), instruction.counts.end(),
                     [](const auto& count) { return count.second != 0 && IsOfMemory(count.first); });
}

// Elsewhere, or switched off by a predicate.
bool HasLanesOff(const InstructionRecord& instruction) {
  const auto executions = instruction.counts.find(kExecutions), on = instruction.counts.find(kLanesOn);
  return executions != instruction.counts.end() && on != instruction.counts.end() &&
         on->second < kWarp * executions->second;
}

}  // namespace

std::vector<InstructionRecord> KeptInstructions(std::span<const InstructionRecord> counted) {
  std::vector<InstructionRecord> kept;
  for (const InstructionRecord& instruction : counted) {
    if (TouchesMemory(instruction) || HasLanesOff(instruction)) {
      kept.push_back(instruction);
    } else if (instruction.opcode == "BAR" && instruction.counts.contains(kExecutions)) {
      kept.push_back(instruction);
      kept.back().counts = {{kExecutions, instruction.counts.at(kExecutions)}};
    }
  }
  return kept;
}

}  // namespace culprit
